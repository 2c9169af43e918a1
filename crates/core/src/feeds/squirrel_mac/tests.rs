//! Tests of the Squirrel.Mac format as a whole.

use super::render::body;
use crate::feeds::testing::decision;
use crate::{Decision, ScopeRelease, Timestamp};

fn text(release: &ScopeRelease, critical: bool) -> String {
    serde_json::to_string(&body(&Decision { critical, ..decision(release) }).unwrap()).unwrap()
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
    assert!(body(&Decision { update_available: false, ..decision(&release) }).is_none());
    let other = crate::feeds::testing::release("1.2.0", &[("deb", None)]);
    assert!(body(&decision(&other)).is_none());
}
