//! A channel with its own signers.

use spindrift_tests::{Driver, World, on_hosts};

use super::publisher::Publisher;
use crate::shell::Shell;

on_hosts! {
    every: [a_channel_has_its_own_signers],
}

fn a_channel_has_its_own_signers(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    ada.publish_signed("1.0.0", "a program");
    ada.shell.ok(&["channel", "create", "beta"]);
    ada.shell.ok(&["trust", "key", "new", "--no-passphrase", "beta.pem"]);
    let done = ada.trust(&["delegate", "--channel", "stable", "--key", "beta.pub", "--with", "beta.pem"]);
    assert_eq!((&done["role"], &done["outcome"]), (&"channel-stable".into(), &"current".into()));
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.0.0", 1));

    // The publisher's key no longer signs the channel `stable`, and the channel's key signs nothing
    // else.
    let done = ada.publish("1.1.0", "a better program");
    assert_eq!(done.code, Some(11), "{done:?}");
    let done = ada.trust(&["sign", "notes.deb", "--key", "beta.pem", "--yes"]);
    assert_eq!((&done["role"], &done["outcome"]), (&"channel-stable".into(), &"current".into()));
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.1.0", 2));
    let beta = [
        "publish",
        "--app",
        "notes",
        "--channel",
        "beta",
        "--platform",
        "linux",
        "--arch",
        "amd64",
        "--publish",
        "--json",
    ];
    let thief = ada.shell.path("none").display().to_string();
    let done = ada.shell.run(
        &[&beta[..], &["--version", "2.0.0", "--key", "beta.pem", "--keys-dir", &thief, "notes.deb"]]
            .concat(),
    );
    assert_eq!(done.code, Some(11), "{done:?}");
    let done = ada.shell.ok(&[&beta[..], &["--version", "2.1.0", "notes.deb"]].concat());
    assert_eq!(done.json()["trust"]["role"], "targets");

    assert_eq!(ada.trust(&["delegate", "--channel", "stable", "--undo"])["outcome"], "current");
    assert_eq!(ada.trust(&["delegate", "--channel", "stable", "--undo"])["outcome"], "unchanged");
    ada.publish_signed("1.2.0", "the best program");
    assert_eq!(ada.verified_files(), 4);
    let renewed =
        ada.shell.run(&Shell::publish("1.3.0", &["--key", "beta.pem", "--keys-dir", &thief, "notes.deb"]));
    assert_eq!(renewed.code, Some(11), "{renewed:?}");
}
