//! Tests of the Tauri format as a whole.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::check::{GLOBAL_SIGNATURE_BYTES, SIGNATURE_BYTES, check_signature};
use super::render::body;
use crate::Decision;
use crate::feeds::testing::{decision, release};

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
        serde_json::to_string(&body(&update, None).unwrap()).unwrap(),
        r#"{"version":"1.2.0","url":"https://h.example/a.appimage","signature":"s","pub_date":"1970-01-01T00:00:00+00:00"}"#
    );
    assert!(body(&Decision { update_available: false, ..update }, None).is_none());
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
            let answer = body(&decision(&release), Some(kind));
            assert_eq!(answer.is_some(), installing.contains(&kind), "{signed} for {kind}");
        }
        for unknown in [None, Some("unknown"), Some("")] {
            assert!(body(&decision(&release), unknown).is_some(), "{signed} for {unknown:?}");
        }
    }
}
