//! From `trust init` to installed updates.

use std::os::unix::fs::PermissionsExt as _;

use spindrift_tests::{Driver, PUBLIC_BUCKET, World, on_hosts};

use super::publisher::Publisher;
use crate::shell::{KEY_PASSWORD, Shell};

on_hosts! {
    every: [a_publisher_begins_and_publishes, the_service_may_sign, earlier_releases_are_adopted],
    in_process: [a_crashed_beginning_goes_on, only_kept_or_needed_files_stay_listed, the_bucket_alone_is_enough],
}

fn a_publisher_begins_and_publishes(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let message = shell.ok(&["trust", "init", "--app", "notes"]).stdout;
    for part in [
        "commit      root.json",
        "give to CI",
        "targets.pem",
        "move away",
        "recovery.pem",
        "keep",
        "root.pem",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(message.lines().count() < 10, "{message}");
    let ada = Publisher { shell };
    for name in ["root.pem", "recovery.pem", "targets.pem"] {
        let path = ada.key(name);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("ENCRYPTED") && !text.contains(KEY_PASSWORD), "{name}");
    }
    assert_eq!(ada.verified_files(), 0);

    ada.publish_signed("1.0.0", "a program");
    ada.publish_signed("1.1.0", "a better program");
    assert_eq!(ada.verified_files(), 2);
    let status = ada.trust(&["status"]);
    assert_eq!((&status["files"]["listed"], &status["files"]["unlisted"]), (&2.into(), &0.into()));
    assert_eq!(status["problems"].as_array().unwrap().len(), 0);
    let holders: Vec<&str> = status["roles"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|role| role["keys"].as_array().unwrap())
        .map(|key| key["holder"].as_str().unwrap())
        .collect();
    assert_eq!(holders, ["here", "here", "here", "service", "service"]);
    let metadata = world.store().keys(PUBLIC_BUCKET, "tuf_metadata/ada/notes/");
    assert!(metadata.iter().any(|key| key.ends_with("/timestamp.json")), "{metadata:?}");

    // Repeating the command changes nothing.
    let before = ada.role("targets");
    let again = ada.publish("1.1.0", "a better program");
    assert_eq!(again.code, Some(6), "the artifact is there: {again:?}");
    let again = ada.trust(&["init"]);
    assert_eq!(again["init"]["state"], "complete");
    assert_eq!(ada.role("targets"), before);
}

fn the_service_may_sign(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::begin_trust(&world, &["--online", "--no-passphrase"]);
    assert!(!ada.key("targets.pem").exists());
    let done = ada.publish("1.0.0", "a program");
    assert_eq!((done.code, &done.json()["trust"]["state"]), (Some(0), &"service".into()), "{done:?}");
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.0.0", 1));

    // From here on the publisher signs, and clients need no change.
    ada.trust(&["rotate", "targets", "--no-passphrase"]);
    ada.publish_signed("1.1.0", "a better program");
    assert_eq!(ada.verified_files(), 2);
    ada.trust(&["rotate", "targets", "--online"]);
    let done = ada.publish("1.2.0", "the best program");
    assert_eq!((done.code, &done.json()["trust"]["state"]), (Some(0), &"service".into()), "{done:?}");
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.2.0", 3));
}

fn earlier_releases_are_adopted(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "a program").write("notes.rpm", "the same");
    shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb", "notes.rpm"]));
    shell.write("notes.deb", "a draft");
    shell.ok(&Shell::publish("1.1.0", &["notes.deb"]));
    let asked = ["trust", "init", "--app", "notes", "--no-passphrase", "--adopt"];
    let nobody = shell.run(&asked);
    assert!(nobody.error(2).contains("--yes"), "{nobody:?}");
    assert!(nobody.stderr.contains("notes-1.0.0.deb"), "{nobody:?}");
    shell.ok(&[&asked[..], &["--yes"]].concat());
    let ada = Publisher { shell };
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.0.0", 2));
    assert_eq!(ada.trust(&["status"])["files"]["legacy"], 1);
    // Both releases can be updated from.
    ada.publish_signed("1.2.0", "a better program");
}

/// Kills the command after each step: with its keys, its root, or its answer lost.
fn a_crashed_beginning_goes_on(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let init = ["trust", "init", "--app", "notes", "--no-passphrase"];
    world.store().stop();
    let failed = shell.run(&init);
    assert_ne!(failed.code, Some(0), "{failed:?}");
    world.store().start_again();
    let ada = Publisher { shell };
    let (root, key) = (ada.shell.path("root.json"), ada.key("targets.pem"));
    let before = (std::fs::read(&root).unwrap(), std::fs::read(&key).unwrap());
    ada.shell.ok(&init);
    assert_eq!((std::fs::read(&root).unwrap(), std::fs::read(&key).unwrap()), before);
    ada.publish_signed("1.0.0", "a program");
    ada.shell.ok(&init);
    assert_eq!((std::fs::read(&root).unwrap(), std::fs::read(&key).unwrap()), before);

    // Another root for the same application.
    std::fs::remove_file(&root).unwrap();
    assert!(ada.shell.run(&init).error(6).contains("another root"));
}

fn only_kept_or_needed_files_stay_listed(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    for minor in 0..7 {
        ada.publish_signed(&format!("1.{minor}.0"), &format!("program {minor}"));
    }
    assert_eq!(ada.verified_files(), 5);
    let status = ada.trust(&["status"]);
    assert_eq!(status["files"]["listed"], 5);
}

fn the_bucket_alone_is_enough(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    ada.publish_signed("1.0.0", "a program");
    let bucket = format!("{}/{PUBLIC_BUCKET}", world.store().url());
    let status = ada.trust(&["status", "--bucket-url", &bucket]);
    assert_eq!(status["files"]["listed"], 1);
    let verified = ada.trust(&["verify"]);
    let places: Vec<&str> =
        verified["checks"].as_array().unwrap().iter().map(|check| check["check"].as_str().unwrap()).collect();
    assert_eq!(places, ["expiry", "service", "service", "bucket", "bucket"]);

    // A problem that clients would see is reported.
    let keys = world.store().keys(PUBLIC_BUCKET, "ada/notes/");
    world.store().write(PUBLIC_BUCKET, &keys[0], b"another program");
    let wrong = ada.try_trust(&["verify"]);
    assert_eq!(wrong.code, Some(9), "{wrong:?}");
    assert!(wrong.stdout.contains("15 bytes instead of 9"), "{wrong:?}");
    world.store().remove(PUBLIC_BUCKET, &keys[0]);
    assert_eq!(ada.try_trust(&["verify"]).code, Some(9));
}
