//! Tests of the Squirrel.Mac format as a whole.

use super::render::body;
use crate::feeds::testing::{decision, version};
use crate::{Decision, FileContent, ScopePatch, ScopeRelease, Timestamp};

fn text(release: &ScopeRelease, critical: bool) -> String {
    let client = version("1.0.0");
    serde_json::to_string(&body(&Decision { critical, ..decision(release) }, &client).unwrap()).unwrap()
}

#[test]
fn exact_bytes() {
    let mut release = crate::feeds::testing::release("1.2.0", &[("deb", None), ("zip", Some("s"))]);
    release.released_at = Timestamp::from_millis(1_795_225_422_999);
    release.changelog = "New".into();
    assert_eq!(
        text(&release, true),
        r#"{"url":"https://h.example/a.zip","name":"1.2.0","notes":"New","pub_date":"2026-11-21T01:43:42+00:00","update_available":true,"critical":true,"version":"1.2.0","signature":"s"}"#
    );
    release.changelog.clear();
    release.artifacts[1].signature = None;
    let text = text(&release, false);
    assert!(!text.contains("notes") && !text.contains("signature"), "{text}");
}

#[test]
fn without_an_update_there_is_no_body() {
    let release = crate::feeds::testing::release("1.2.0", &[("zip", None)]);
    let client = version("1.0.0");
    assert!(body(&Decision { update_available: false, ..decision(&release) }, &client).is_none());
    let other = crate::feeds::testing::release("1.2.0", &[("deb", None)]);
    assert!(body(&decision(&other), &client).is_none());
}

#[test]
fn the_digest_and_the_delta_from_the_clients_version() {
    let mut release = crate::feeds::testing::release("1.2.0", &[("zip", None)]);
    let digest = |byte: &str| byte.repeat(32).parse().unwrap();
    let patch = |base: &str, format: &str, sha256: Option<&str>| ScopePatch {
        base_version: version(base),
        base_sha256: digest("0b"),
        format: format.to_owned(),
        url: format!("https://h.example/{base}.patch"),
        length: 5,
        sha256: sha256.map(digest),
    };
    let zip = &mut release.artifacts[0];
    zip.content = Some(FileContent { length: 100, sha256: digest("ab") });
    zip.patches = vec![
        patch("1.1.0", "binary-delta", Some("cd")),
        patch("1.0.0", "bidiff+brotli", Some("cd")),
        patch("1.0", "binary-delta", Some("ef")),
    ];
    let tail = format!(
        r#""version":"1.2.0","sha256":"{}","size":100,"delta":{{"from_version":"1.0.0","url":"https://h.example/1.0.patch","sha256":"{}","size":5}}}}"#,
        "ab".repeat(32),
        "ef".repeat(32),
    );
    assert!(text(&release, false).ends_with(&tail), "{}", text(&release, false));
    for not_a_delta in [patch("1.0.0", "bidiff+brotli", Some("cd")), patch("1.0.0", "binary-delta", None)] {
        release.artifacts[0].patches = vec![not_a_delta];
        assert!(!text(&release, false).contains("delta"));
    }
}
