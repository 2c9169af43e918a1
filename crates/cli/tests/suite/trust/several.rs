//! Several signers.

use spindrift_tests::{Driver, World, on_hosts};

use super::publisher::Publisher;
use crate::shell::Shell;

on_hosts! {
    every: [two_of_three_sign],
    in_process: [two_sign_by_files_without_a_network],
}

/// Makes unencrypted keys, with their public parts beside them.
fn keys(shell: &Shell, names: &[&str]) {
    for name in names {
        shell.ok(&["trust", "key", "new", "--no-passphrase", &format!("{name}.pem")]);
    }
}

/// The signing of the first root and of each list by several people.
fn two_of_three_sign(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    keys(&shell, &["ada", "bob", "eve", "ci", "person"]);
    let public =
        ["--root-key", "ada.pub", "--root-key", "bob.pub", "--root-key", "eve.pub", "--threshold", "2"];
    let targets = ["--targets-key", "ci.pub", "--targets-key", "person.pub", "--targets-threshold", "2"];
    let init =
        [&["trust", "init", "--app", "notes", "--json", "--key", "ada.pem"], &public[..], &targets].concat();
    assert_eq!(shell.ok(&init).json()["init"]["state"], "signing");
    let ada = Publisher { shell };
    assert_eq!(ada.try_trust(&["status"]).code, Some(9));

    // Other keys do not count, and each key counts once.
    let waits = ada.try_trust(&["sign", "--key", "person.pem", "--yes"]);
    assert_eq!(waits.code, Some(11), "{waits:?}");
    assert_eq!(ada.try_trust(&["sign", "--key", "ada.pem", "--yes"]).code, Some(11));
    let signed = ada.trust(&["sign", "--key", "eve.pem", "--yes"]);
    assert_eq!(
        (&signed["signed"][0]["role"], &signed["signed"][0]["finished"]),
        (&"root".into(), &true.into())
    );
    let pinned: serde_json::Value =
        serde_json::from_slice(&std::fs::read(ada.shell.path("root.json")).unwrap()).unwrap();
    assert_eq!(pinned["signatures"].as_array().unwrap().len(), 2, "applications are built with it");

    ada.shell.write("notes.deb", "a program");
    let done =
        ada.shell.run(&Shell::publish("1.0.0", &["--publish", "--json", "--key", "ci.pem", "notes.deb"]));
    assert_eq!((done.code, &done.json()["trust"]["state"]), (Some(11), &"waiting".into()), "{done:?}");
    assert_eq!(ada.offered_version(), "");
    let nobody = ada.try_trust(&["sign", "--key", "person.pem"]);
    assert!(nobody.stderr.contains("+ 1.0.0"), "{nobody:?}");
    let signed = ada.trust(&["sign", "--key", "person.pem", "--yes"]);
    assert_eq!(signed["signed"][0]["role"], "targets");
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.0.0", 1));

    // A waiting list can be dropped.
    ada.shell.write("notes.deb", "a better program");
    let done =
        ada.shell.run(&Shell::publish("1.1.0", &["--publish", "--json", "--key", "ci.pem", "notes.deb"]));
    assert_eq!(done.code, Some(11), "{done:?}");
    // Another list that lacks signatures is not sent, and the user is told how to continue.
    ada.shell.write("notes.deb", "the best program");
    let blocked =
        ada.shell.run(&Shell::publish("1.2.0", &["--publish", "--json", "--key", "ci.pem", "notes.deb"]));
    assert_eq!(blocked.code, Some(11), "{blocked:?}");
    assert!(blocked.stderr.contains("another version waits for signatures: targets"), "{blocked:?}");
    assert!(blocked.stderr.contains("spindrift trust sign --drop"), "{blocked:?}");
    assert_eq!(ada.trust(&["sign", "--drop"])["dropped"][0], "targets");
    assert_eq!(ada.trust(&["sign"])["signed"].as_array().unwrap().len(), 0);
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.0.0", 1));
}

fn two_sign_by_files_without_a_network(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    keys(&shell, &["ci", "person", "stranger"]);
    let targets = ["--targets-key", "ci.pub", "--targets-key", "person.pub", "--targets-threshold", "2"];
    let keys = ["--key", "ci.pem", "--key", "person.pem"];
    shell.ok(&[&["trust", "init", "--app", "notes", "--no-passphrase"], &targets[..], &keys].concat());
    let ada = Publisher { shell };
    ada.shell.write("notes.deb", "a program");
    let done =
        ada.shell.run(&Shell::publish("1.0.0", &["--publish", "--json", "--key", "ci.pem", "notes.deb"]));
    assert_eq!(done.code, Some(11), "{done:?}");

    ada.trust(&["sign", "--out", "waiting.json"]);
    let away = Shell::new(&crate::server::nobody());
    for file in ["waiting.json", "root.json", "person.pem", "stranger.pem"] {
        std::fs::copy(ada.shell.path(file), away.path(file)).unwrap();
    }
    let sign =
        ["trust", "sign", "--app", "notes", "--in", "waiting.json", "--out", "signature.json", "--yes"];
    let nameless = away.run(&[&sign[..], &["--key", "person.pem"]].concat());
    assert!(nameless.error(2).contains("--repository-name"), "{nameless:?}");
    let named = [&sign[..], &["--repository-name", "ada/notes"]].concat();
    let stranger = away.run(&[&named[..], &["--key", "stranger.pem"]].concat());
    assert!(stranger.error(5).contains("no key of targets"), "{stranger:?}");
    let other = away.run(&[&sign[..], &["--repository-name", "ada/draw", "--key", "person.pem"]].concat());
    assert!(other.error(1).contains("another application"), "{other:?}");
    let done = away.ok(&[&named[..], &["--key", "person.pem"]].concat());
    assert!(done.stderr.contains("+ 1.0.0"), "{done:?}");

    std::fs::copy(away.path("signature.json"), ada.shell.path("signature.json")).unwrap();
    ada.trust(&["sign", "--in", "signature.json"]);
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.0.0", 1));
}
