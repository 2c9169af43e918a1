//! Rotated keys, and renewed metadata.

use spindrift_tests::{Driver, World, on_hosts};

use super::liar::{self, Answer};
use super::publisher::Publisher;
use crate::shell::Finished;

on_hosts! {
    every: [keys_move_on_and_clients_follow],
    in_process: [stolen_keys_sign_nothing_more, a_lost_answer_rotates_once, ends_move],
}

fn keys_move_on_and_clients_follow(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    ada.publish_signed("1.0.0", "a program");
    let pinned = std::fs::read(ada.shell.path("root.json")).unwrap();

    let before = ada.keyids("targets");
    let done = ada.trust(&["rotate", "targets", "--no-passphrase"]);
    assert_eq!((&done["version"], &done["outcome"]), (&2.into(), &"current".into()));
    assert_ne!(ada.keyids("targets"), before);
    assert!(ada.key("targets-2.pem").exists());
    ada.publish_signed("1.1.0", "a better program");

    let before = ada.keyids("timestamp");
    ada.trust(&["rotate", "online"]);
    assert_ne!(ada.keyids("timestamp"), before);
    assert_eq!(ada.verified_files(), 2);

    let before = ada.keyids("root");
    ada.trust(&["rotate", "root", "--no-passphrase"]);
    let after = ada.keyids("root");
    assert_eq!((after.len(), after.iter().filter(|id| before.contains(id)).count()), (2, 1));
    ada.trust(&["rotate", "root", "--add", ada.key("targets.pub").to_str().unwrap(), "--threshold", "2"]);
    assert_eq!(ada.role("root"), (5, 3));
    let gone = &ada.keyids("root")[0];
    ada.trust(&["rotate", "root", "--remove", &gone[..8]]);
    assert_eq!(ada.role("root"), (6, 2));
    let none = ada.try_trust(&["rotate", "root", "--remove", &ada.keyids("root")[0]]);
    assert!(none.error(2).contains("would have 1 keys"), "{none:?}");

    ada.publish_signed("1.2.0", "the best program");
    assert_eq!(ada.verified_files(), 3);
    assert_eq!(std::fs::read(ada.shell.path("root.json")).unwrap(), pinned);
}

fn stolen_keys_sign_nothing_more(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    ada.publish_signed("1.0.0", "a program");
    let before = ada.keyids("timestamp");
    ada.trust(&["rotate", "targets", "--compromised", "--no-passphrase"]);
    assert_ne!(ada.keyids("timestamp"), before, "a stolen key may have been used with the online key");
    assert_eq!(ada.verified_files(), 1);
    let old = ada.key("targets.pem").display().to_string();
    let thief = ada.shell.path("thief").display().to_string();
    ada.shell.write("notes.deb", "malware");
    let done = ada.shell.run(&crate::shell::Shell::publish(
        "6.6.6",
        &["--publish", "--json", "--key", &old, "--keys-dir", &thief, "notes.deb"],
    ));
    assert_eq!(done.code, Some(11), "{done:?}");
    assert_eq!(ada.offered_version(), "1.0.0");

    // Rotate the root key as well. The recovery key stays.
    let ids = ada.keyids("root");
    ada.trust(&["rotate", "root", "--compromised", "--no-passphrase"]);
    assert_eq!(ada.keyids("root").iter().filter(|id| ids.contains(id)).count(), 1);
    let stolen = ada.key("root.pem").display().to_string();
    let done = ada.try_trust(&["renew", "root", "--key", &stolen, "--keys-dir", &thief]);
    assert_eq!((done.code, &done.json()["outcome"]), (Some(11), &"no_key".into()), "{done:?}");
}

/// The service accepted the root, but its answer was lost.
fn a_lost_answer_rotates_once(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    let url = liar::before(&world.url(), |line, _| {
        if line.starts_with("POST /tuf/v1/metadata") { Answer::Lost } else { Answer::Real }
    });
    let rotate = ["trust", "rotate", "targets", "--no-passphrase", "--app", "notes"];
    let lost = ada.through(&url, &rotate);
    assert!(lost.error(7).contains("cannot be reached"), "{lost:?}");
    let keys = ada.keyids("targets");
    let again = ada.trust(&rotate[1..4]);
    assert_eq!((&again["version"], &again["outcome"]), (&2.into(), &"already_done".into()));
    assert_eq!(ada.keyids("targets"), keys);
    assert_eq!(ada.trust(&rotate[1..4])["version"], 3);
    ada.publish_signed("1.0.0", "a program");
}

fn ends_move(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    ada.publish_signed("1.0.0", "a program");
    ada.trust(&["renew", "targets", "--targets-days", "20"]);
    let soon = ada.try_trust(&["status"]);
    assert_eq!(soon.code, Some(9), "{soon:?}");
    let says = |done: &Finished, role: &str, days: u32| {
        // One day less, unless it is still the same second.
        let said = [days, days - 1].map(|days| format!("{role} expires in {days} days"));
        assert!(said.iter().any(|said| done.stdout.contains(said)), "{done:?}");
    };
    says(&soon, "targets", 20);
    ada.trust(&["renew", "targets"]);
    ada.trust(&["renew", "root", "--root-days", "100"]);
    says(&ada.try_trust(&["verify"]), "root", 100);
    ada.trust(&["renew", "root"]);
    assert_eq!((ada.verified_files(), ada.role("root")), (1, (3, 2)));
}
