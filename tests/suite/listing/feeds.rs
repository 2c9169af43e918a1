//! The feeds of native updaters.

use spindrift_tests::{
    Account, Driver, Release, World, electron, full_package, on_hosts, sparkle, squirrel, tauri_signature,
    velopack,
};

use super::{begin, mark};
use crate::feeds;

on_hosts! {
    every: [
        squirrel_windows_offers_what_is_listed,
        velopack_offers_what_is_listed,
        electron_builder_offers_what_is_listed,
        sparkle_offers_what_is_listed,
        tauri_offers_what_is_listed,
        squirrel_mac_offers_what_is_listed,
        a_feed_of_several_architectures_has_the_listed_ones,
    ],
}

/// A feed, and how to find out its offers.
struct Feed {
    platform: &'static str,
    file: &'static str,
    updater: &'static str,
    release: fn(&str) -> Release,
}

impl Feed {
    /// The versions of the three that the feed names to a client of 0.9.0. `None`: there is no feed.
    fn offers(&self, world: &World) -> Option<Vec<&'static str>> {
        let answer = world.get(&feeds::path(self.platform, "0.9.0", self.file)).send();
        if answer.status == 404 {
            return None;
        }
        let text = answer.expect(200).text();
        Some(["1.0.0", "1.1.0", "1.2.0"].into_iter().filter(|version| text.contains(version)).collect())
    }

    /// The status of this updater's check, and whether the answer offers 1.1.0.
    fn check(&self, world: &World) -> (u16, bool) {
        let path = format!(
            "/checkVersion?owner=acme&app_name=notes&version=0.9.0&channel=stable&platform={}&arch=amd64&updater={}",
            self.platform, self.updater
        );
        let answer = world.get(&path).send();
        (answer.status, answer.text().contains("1.1.0"))
    }
}

/// Publishes 1.0.0 before and 1.1.0 after the start, and follows the feed.
fn follow(host: Driver, feed: &Feed) {
    let world = World::new(host);
    let acme = feeds::acme(&world);
    acme.publish((feed.release)("1.0.0"));
    let _publisher = begin(&acme);
    acme.publish((feed.release)("1.1.0").with_digests());
    assert_eq!(feed.offers(&world), Some(vec!["1.0.0"]));
    let status = feed.check(&world);
    assert!(!status.1, "a check tells of it");

    mark(&world, &acme, "1.1.0", ("", "listed"));
    let offered = feed.offers(&world).unwrap_or_default();
    assert!(offered.contains(&"1.1.0"), "{offered:?}");
    assert_eq!(feed.check(&world).0, status.0);

    mark(&world, &acme, "1.1.0", ("", "unlisted"));
    mark(&world, &acme, "1.0.0", ("", "unlisted"));
    assert_eq!(feed.offers(&world), None, "there is no feed of nothing");
}

/// The redirect to a package at the base address.
fn package(world: &World, name: &str) -> u16 {
    world.get(&feeds::path("windows", "0.9.0", name)).send().status
}

fn squirrel_windows_offers_what_is_listed(host: Driver) {
    let release = |version: &str| squirrel(version, &[]);
    follow(host, &Feed { platform: "windows", file: "RELEASES", updater: "squirrel_windows", release });
    packages(host, release);
}

fn velopack_offers_what_is_listed(host: Driver) {
    let release = |version: &str| velopack(version, &[]);
    follow(host, &Feed { platform: "windows", file: "releases.win.json", updater: "velopack", release });
    packages(host, release);
}

fn packages(host: Driver, release: fn(&str) -> Release) {
    let world = World::new(host);
    let acme = feeds::acme(&world);
    let _publisher = begin(&acme);
    acme.publish(release("1.1.0").with_digests());
    assert_eq!(package(&world, &full_package("1.1.0")), 404);
    mark(&world, &acme, "1.1.0", ("", "listed"));
    assert_eq!(package(&world, &full_package("1.1.0")), 302);
}

fn electron_builder_offers_what_is_listed(host: Driver) {
    let release = |version: &str| electron(version, "latest.yml", &["Notes.exe"]).with("platform", "windows");
    follow(host, &Feed { platform: "windows", file: "latest.yml", updater: "electron-builder", release });
}

fn sparkle_offers_what_is_listed(host: Driver) {
    follow(host, &Feed { platform: "darwin", file: "appcast.xml", updater: "sparkle", release: sparkle });
}

fn tauri_offers_what_is_listed(host: Driver) {
    let release = |version: &str| {
        let signed = Release::empty(version).file("notes.AppImage", version);
        signed.with("updater", "tauri").with("signature", tauri_signature(Some(version)))
    };
    follow(host, &Feed { platform: "linux", file: "tauri.json", updater: "tauri", release });
}

fn squirrel_mac_offers_what_is_listed(host: Driver) {
    let release = |version: &str| {
        let mac = Release::empty(version).with("platform", "darwin").with("updater", "squirrel_darwin");
        mac.file("Notes.zip", version)
    };
    follow(host, &Feed { platform: "darwin", file: "squirrel.json", updater: "squirrel_darwin", release });
}

fn a_feed_of_several_architectures_has_the_listed_ones(host: Driver) {
    let world = World::new(host);
    let acme = feeds::acme(&world);
    let _publisher = begin(&acme);
    let publish = |acme: &Account, arch: &str| {
        let release = electron("1.1.0", "latest-mac.yml", &[&format!("Notes-{arch}.zip")]);
        acme.publish(release.with("platform", "darwin").with("arch", arch).with_digests());
    };
    publish(&acme, "amd64");
    publish(&acme, "arm64");
    mark(&world, &acme, "1.1.0", ("amd64.zip", "listed"));
    let feed = || world.get(&feeds::path("darwin", "0.9.0", "latest-mac.yml")).send().expect(200).text();
    assert!(feed().contains("Notes-amd64.zip") && !feed().contains("Notes-arm64.zip"), "{}", feed());

    mark(&world, &acme, "1.1.0", ("arm64.zip", "listed"));
    assert!(feed().contains("Notes-amd64.zip") && feed().contains("Notes-arm64.zip"), "{}", feed());
}
