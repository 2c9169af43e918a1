//! A revoked version.

use serde_json::Value;
use spindrift_tests::{Driver, World, on_hosts};

use super::publisher::Publisher;

on_hosts! {
    every: [a_revoked_version_stays_gone, a_withdrawal_revokes_too],
}

fn a_withdrawal_revokes_too(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        ada.publish_signed(version, &format!("a program of {version}"));
    }
    let withdraw = |version: &str, more: &[&str]| {
        let words =
            ["release", "withdraw", version, "--app", "notes", "--reason", "it deletes files", "--json"];
        ada.shell.ok(&[&words, more].concat()).json()
    };
    let only = withdraw("1.1.0", &[]);
    assert_eq!((&only["withdrawn"]["reason"], &only["revoked"]), (&"it deletes files".into(), &Value::Null));
    assert_eq!(ada.verified_files(), 3, "it is still listed");
    let both = withdraw("1.2.0", &["--revoke"]);
    assert_eq!(
        (&both["version"], &both["withdrawn"]["reason"]),
        (&"1.2.0".into(), &"it deletes files".into())
    );
    let revoked = &both["revoked"];
    assert_eq!((&revoked["version"], &revoked["lists"][0]["outcome"]), (&"1.2.0".into(), &"current".into()));
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.0.0", 2));
    let shown = ada.shell.ok(&["release", "show", "1.2.0", "--app", "notes", "--json"]).json();
    assert_eq!(shown["Offers"][0]["state"], "withdrawn", "it is not a draft");
    // Withdraws again with `--revoke`, after a withdrawal without.
    assert_eq!(withdraw("1.1.0", &["--revoke"])["revoked"]["lists"][0]["outcome"], "current");
    assert_eq!(ada.verified_files(), 1);
}

fn a_revoked_version_stays_gone(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    ada.publish_signed("1.0.0", "a program");
    ada.publish_signed("1.1.0", "a bad program");
    let done = ada.trust(&["revoke", "--version", "1.1.0"]);
    assert_eq!((&done["unpublished"], &done["lists"][0]["outcome"]), (&true.into(), &"current".into()));
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.0.0", 1));
    let revoked = std::fs::read_to_string(ada.shell.path("revoked.json")).unwrap();
    assert!(revoked.contains(&spindrift_tests::sha256_hex(b"a bad program")), "{revoked}");

    // Again in any way, and as another version.
    assert_eq!(ada.trust(&["revoke", "--version", "1.1.0"])["lists"].as_array().unwrap().len(), 0);
    ada.shell.write("notes.deb", "a bad program");
    let signed = ada.try_trust(&["sign", "notes.deb", "--yes"]);
    assert!(signed.error(6).contains("revoked"), "{signed:?}");
    let signed = ada.try_trust(&["sign", "--stored", "--yes"]);
    assert!(signed.error(6).contains("revoked"), "{signed:?}");
    let published = ada.publish("1.2.0", "a bad program");
    assert!(published.error(6).contains("revoked"), "{published:?}");
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.0.0", 1));

    assert!(ada.try_trust(&["revoke", "--version", "9.0.0"]).error(5).contains("no release 9.0.0"));
    ada.publish_signed("1.3.0", "a good program");
    assert_eq!(ada.verified_files(), 2);
}
