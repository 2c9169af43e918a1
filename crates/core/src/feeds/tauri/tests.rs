//! Tests of the Tauri format as a whole.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::check::{GLOBAL_SIGNATURE_BYTES, SIGNATURE_BYTES, check_signature};
use super::render::body;
use crate::Decision;
use crate::feeds::testing::{decision, release, version};
use crate::{FileContent, ScopePatch};

fn sig(trusted: &str) -> String {
    let signed = STANDARD.encode([b'E'; SIGNATURE_BYTES]);
    let global = STANDARD.encode([7; GLOBAL_SIGNATURE_BYTES]);
    STANDARD.encode(format!(
        "untrusted comment: signature from tauri secret key\n{signed}\ntrusted comment: {trusted}\n{global}\n"
    ))
}

fn check(signature: &str) -> Result<String, String> {
    let version = "1.2.0-beta.1".parse().unwrap();
    check_signature(signature, &version).map(str::to_owned).map_err(|error| error.to_string())
}

#[test]
fn content_of_sig_files() {
    let plain = sig("timestamp:1700000000\tfile:My App.app.tar.gz");
    assert_eq!(check(&format!("\n{plain}\r\n")), Ok(plain));
    let versioned = sig("timestamp:1700000000\tfile:a.tar.gz\tversion:v1.2.0-beta.1");
    assert_eq!(check(&versioned), Ok(versioned));
    assert_eq!(check(&sig("timestamp:1\tversion:1.2.0")), Err("signature: made for another version".into()));
    assert_eq!(check(&"A".repeat(20_000)), Err("signature: too long".into()));
}

#[test]
fn other_texts_are_refused() {
    let raw = String::from_utf8(STANDARD.decode(sig("timestamp:1")).unwrap()).unwrap();
    let cut = STANDARD.encode("untrusted comment: x\nAAAA\ntrusted comment: y\nAAAA\n");
    for bad in ["", "https://h.example/a.sig", "./a.app.tar.gz.sig", "dGVzdA==", raw.as_str(), &cut] {
        assert_eq!(check(bad), Err("signature: not the content of a .sig file".into()), "{bad}");
    }
}

#[test]
fn exact_bytes() {
    let release = release("1.2.0", &[("deb", None), ("appimage", Some("s"))]);
    let update = decision(&release);
    assert_eq!(
        serde_json::to_string(&body(&update, &version("1.0.0"), None).unwrap()).unwrap(),
        r#"{"version":"1.2.0","url":"https://h.example/a.appimage","signature":"s","pub_date":"1970-01-01T00:00:00+00:00"}"#
    );
    assert!(body(&Decision { update_available: false, ..update }, &version("1.0.0"), None).is_none());
}

#[test]
fn a_copy_gets_the_patch_from_its_version() {
    let mut release = release("1.2.0", &[("appimage", Some("s"))]);
    let digest = |digit: &str| digit.repeat(64).parse().unwrap();
    let patch = |base: &str| ScopePatch {
        base_version: version(base),
        base_sha256: digest("b"),
        format: "bidiff+brotli".into(),
        url: format!("https://h.example/{base}.patch"),
        length: 7,
        sha256: Some(digest("a")),
    };
    let patches = &mut release.artifacts[0].patches;
    patches.extend([patch("1.1.0"), ScopePatch { sha256: None, ..patch("1.0.0") }]);
    let patch_of = |release: &_, client| {
        let body = serde_json::to_value(body(&decision(release), &version(client), None).unwrap()).unwrap();
        body.get("patch").cloned()
    };
    assert_eq!(patch_of(&release, "1.1.0"), None, "nobody knows the digest of the file");

    release.artifacts[0].content = Some(FileContent { length: 20, sha256: digest("c") });

    let expected = json!({
        "url": "https://h.example/1.1.0.patch", "length": 7, "sha256": "a".repeat(64), "format": "bidiff+brotli",
        "base_sha256": "b".repeat(64), "file_length": 20, "file_sha256": "c".repeat(64),
    });
    assert_eq!(patch_of(&release, "1.1.0"), Some(expected));
    assert_eq!(patch_of(&release, "1.0.0"), None, "nobody could verify the patch");
    assert_eq!(patch_of(&release, "0.9.0"), None);
}

#[test]
fn a_copy_gets_only_what_it_can_install() {
    let kinds = ["appimage", "app", "deb", "rpm", "msi", "nsis"];
    for (signed, installing) in [
        ("appimage", &["appimage"][..]),
        ("tar.gz", &["appimage", "app"]),
        ("app.tar.gz", &["app"]),
        ("deb", &["deb"]),
        ("rpm", &["rpm"]),
        ("msi", &["msi"]),
        ("exe", &["nsis"]),
        ("zip", &["msi", "nsis"]),
    ] {
        // The other files are for people, and have no signatures.
        let release =
            release("1.2.0", &[("deb", None), ("appimage", None), ("exe", None), (signed, Some("s"))]);
        for kind in kinds {
            let answer = body(&decision(&release), &version("1.0.0"), Some(kind));
            assert_eq!(answer.is_some(), installing.contains(&kind), "{signed} for {kind}");
        }
        for unknown in [None, Some("unknown"), Some("")] {
            assert!(
                body(&decision(&release), &version("1.0.0"), unknown).is_some(),
                "{signed} for {unknown:?}"
            );
        }
    }
}
