//! Releases that are uploaded where no key is available.

use spindrift_tests::{Driver, World, on_hosts};

use super::publisher::{Publisher, publish};
use crate::shell::Finished;

on_hosts! {
    every: [a_release_without_a_key_waits_for_a_person],
    in_process: [stored_files_are_signed_after_a_check, a_key_without_a_pinned_root_signs_nothing],
}

fn without_key(ada: &Publisher, arguments: &[&str]) -> Finished {
    let mut command = ada.shell.command(arguments);
    Finished::from(command.env("SPINDRIFT_KEYS_DIR", ada.shell.path("no-keys")).output().unwrap())
}

fn a_release_without_a_key_waits_for_a_person(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    ada.publish_signed("1.0.0", "a program");
    let token = ada.token();
    ada.shell.write("notes.deb", "a better program");
    let done = Finished::from(ada.ci(&token, None, &publish("1.1.0", &["notes.deb"])).output().unwrap());
    assert_eq!(done.code, Some(11), "{done:?}");
    assert_eq!(done.json()["trust"]["state"], "waiting");
    assert_eq!(ada.offered_version(), "1.0.0");
    assert_eq!(ada.trust(&["status"])["files"]["unlisted"], 1);

    let nobody = ada.try_trust(&["sign", "notes.deb"]);
    assert!(nobody.error(2).contains("--yes"), "{nobody:?}");
    assert!(nobody.stderr.contains("notes-1.1.0.deb") && nobody.stderr.contains("sha256"), "{nobody:?}");
    let signed = ada.trust(&["sign", "notes.deb", "--yes"]);
    assert_eq!((&signed["role"], &signed["outcome"]), (&"targets".into(), &"current".into()));
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.1.0", 2));

    // Bytes that were never uploaded.
    ada.shell.write("notes.deb", "a third program");
    assert!(ada.try_trust(&["sign", "notes.deb", "--yes"]).error(5).contains("spindrift publish"));
    assert_eq!(ada.trust(&["sign"])["signed"].as_array().unwrap().len(), 0);
}

fn stored_files_are_signed_after_a_check(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    for (version, content) in [("1.0.0", "a program"), ("1.1.0", "a better program")] {
        ada.shell.write("notes.deb", content);
        assert_eq!(without_key(&ada, &publish(version, &["notes.deb"])).code, Some(11));
    }
    let signed = ada.trust(&["sign", "--stored", "--version", "1.0.0", "--yes"]);
    assert_eq!(signed["difference"]["added"].as_array().unwrap().len(), 1);
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.0.0", 1));
    ada.trust(&["sign", "--stored", "--yes"]);
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.1.0", 2));
    assert_eq!(ada.trust(&["sign", "--stored", "--yes"])["outcome"], "unchanged");
}

/// Nothing is uploaded either, so the job can simply be repeated.
fn a_key_without_a_pinned_root_signs_nothing(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    let key = std::fs::read_to_string(ada.key("targets.pem")).unwrap();
    let token = ada.token();
    ada.shell.write("notes.deb", "a program");
    let root = ada.shell.path("root.json");
    std::fs::rename(&root, ada.shell.path("elsewhere.json")).unwrap();
    let done =
        Finished::from(ada.ci(&token, Some(&key), &publish("1.0.0", &["notes.deb"])).output().unwrap());
    assert!(done.error(2).contains("SPINDRIFT_TRUST_ROOT"), "{done:?}");
    let done = Finished::from(
        ada.ci(&token, Some(&key), &publish("1.0.0", &["notes.deb"]))
            .env("SPINDRIFT_TRUST_ROOT", "elsewhere.json")
            .output()
            .unwrap(),
    );
    assert_eq!(done.code, Some(0), "{done:?}");
    let without = Finished::from(ada.ci(&token, None, &publish("1.1.0", &["notes.deb"])).output().unwrap());
    assert_eq!(without.code, Some(11), "{without:?}");
}
