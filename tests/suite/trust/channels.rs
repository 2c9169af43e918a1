//! Channels with signers of their own.

use spindrift_tests::trust::client::{Client, NOT_LISTED};
use spindrift_tests::trust::key::{RootKeys, Signers};
use spindrift_tests::trust::place::{Place, Places};
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::{Channel, TestTarget};

use super::{APP, Installation, OWNER, custom, days_ago, gets, installations, package, refuses};

fn channel(name: &str, seed: u8) -> Channel {
    Channel { name: name.to_owned(), signers: Signers::one_of([seed]) }
}

/// A package of an updater that keeps file names, under the second of the two shapes of keys.
fn kept(app: &str, channel: &str, version: &str) -> TestTarget {
    let key = format!("velopack/{OWNER}/{app}/{version}/{channel}/windows/amd64/Notes-{version}.nupkg");
    TestTarget::new(&key, format!("{channel} {version}").as_bytes(), custom(channel, version))
}

/// A package that keeps its name in a folder, and one whose key was taken, so that it is in another folder.
fn in_folders(channel: &str, version: &str) -> [TestTarget; 2] {
    let folder = format!("{OWNER}/{APP}/{channel}/windows/amd64/{APP}-{version}");
    [format!("{folder}/x-full.nupkg"), format!("{folder}/0190/x-full.nupkg")]
        .map(|key| TestTarget::new(&key, key.as_bytes(), custom(channel, version)))
}

fn delegating(app: &str, channels: &[Channel]) -> TestRepository {
    let mut repository = TestRepository::new(OWNER, app, RootKeys::generation(1), days_ago(3));
    for channel in channels {
        repository.delegate(channel.clone(), days_ago(3));
    }
    repository
}

#[test]
fn all_shapes_of_names_belong_to_a_channel() {
    let mut repository = delegating(APP, &[channel("stable", 200)]);
    let published =
        ["stable", "nightly"].map(|channel| [package(channel, "1.0.0"), kept(APP, channel, "1.0.0")]);
    let mut published = published.concat();
    published.extend(in_folders("stable", "1.0.0"));
    repository.publish(published.clone(), days_ago(2));
    let places = Places::of(&repository);
    let apps = installations(&places, repository.root());
    for (place, app) in &apps {
        for target in &published {
            gets(app, place, target);
        }
        refuses(app, place, &package("stable", "1.1.0"), [NOT_LISTED; 3]);
    }

    let next = [package("stable", "1.1.0"), kept(APP, "stable", "1.1.0")];
    repository.publish(next.clone(), days_ago(1));
    places.show(&repository);
    for (place, app) in &apps {
        for target in published.iter().chain(&next) {
            gets(app, place, target);
        }
    }
}

#[test]
fn the_signers_of_a_channel_sign_no_other() {
    let mut repository = delegating(APP, &[channel("stable", 200)]);
    let stable = package("stable", "1.0.0");
    // Their list takes in a package whose name is another channel's.
    let foreign = TestTarget { custom: stable.custom.clone(), ..package("nightly", "1.0.0") };
    repository.publish([stable.clone(), foreign.clone()], days_ago(2));
    let places = Places::of(&repository);
    for (place, app) in installations(&places, repository.root()) {
        let undelegated = "Target file not delegated";
        refuses(&app, &place, &foreign, [undelegated, NOT_LISTED, NOT_LISTED]);
        match app.client() {
            // It refuses the whole repository.
            Client::PythonTuf(_) | Client::TufJs(_) => gets(&app, &place, &stable),
            _ => refuses(&app, &place, &stable, [undelegated; 3]),
        }
    }
}

/// Installations that have seen the target in the list of a channel, and the repository after the channel has lost its
/// signers.
fn without_signers(target: &TestTarget) -> (TestRepository, Places, Vec<(Place, Installation)>) {
    let mut repository = delegating(APP, &[channel("stable", 200)]);
    repository.publish([target.clone()], days_ago(2));
    let places = Places::of(&repository);
    let apps = installations(&places, repository.root());
    for (place, app) in &apps {
        gets(app, place, target);
    }
    repository.undelegate("stable", days_ago(1));
    (repository, places, apps)
}

#[test]
fn a_channel_may_lose_its_signers() {
    let target = package("stable", "1.0.0");
    let (repository, places, apps) = without_signers(&target);
    places.show(&repository);
    for (place, app) in apps.iter().chain(&installations(&places, repository.root())) {
        gets(app, place, &target);
    }
}

#[test]
fn a_snapshot_may_not_lose_a_name() {
    let target = package("stable", "1.0.0");
    let (mut repository, places, apps) = without_signers(&target);
    repository.forget("channel-stable", days_ago(0));
    places.show(&repository);
    for (place, app) in &apps {
        let reasons = ["appears in snapshot", "missing info for", "in new snapshot"];
        refuses(app, place, &target, reasons);
    }
    for (place, app) in installations(&places, repository.root()) {
        gets(&app, &place, &target);
    }
}

/// tuf-js does not match a leading dot by `*`, and names have none.
#[test]
fn a_leading_dot_belongs_to_its_channel_when_it_is_encoded() {
    let mut repository = delegating(APP, &[channel("stable", 200)]);
    let key = format!("{OWNER}/{APP}/stable/windows/amd64/.{APP}-1.0.0.zip");
    let encoded = TestTarget::new(&key, b"encoded", custom("stable", "1.0.0"));
    let raw = TestTarget { name: key, ..encoded.clone() };
    repository.publish([encoded.clone(), raw.clone()], days_ago(2));
    let places = Places::of(&repository);
    for (place, app) in installations(&places, repository.root()) {
        gets(&app, &place, &encoded);
        match app.client() {
            Client::TufJs(_) => refuses(&app, &place, &raw, [NOT_LISTED; 3]),
            _ => gets(&app, &place, &raw),
        }
    }
}

/// The repository of an application with the channels `stable` and `beta`: a file of the latter, and one of the former
/// under a name that belongs to the latter.
fn two_channels(app: &str, key: impl Fn(&str) -> String) -> (TestRepository, TestTarget, TestTarget) {
    let mut repository = delegating(app, &[channel("stable", 200), channel("beta", 201)]);
    let target = |channel, version| {
        TestTarget::new(&key(version), format!("{channel} {version}").as_bytes(), custom(channel, version))
    };
    let (beta, foreign) = (target("beta", "1.0.0"), target("stable", "1.1.0"));
    repository.publish([beta.clone(), foreign.clone()], days_ago(2));
    (repository, beta, foreign)
}

/// The names of some updaters have the application where others have the channel, so the application's own name decides
/// which role is asked.
#[test]
fn an_application_is_taken_for_a_channel() {
    let key =
        |version: &str| format!("velopack/{OWNER}/stable/{version}/beta/windows/amd64/Notes-{version}.nupkg");
    let (repository, beta, foreign) = two_channels("stable", key);
    let places = Places::of(&repository);
    for (place, app) in installations(&places, repository.root()) {
        gets(&app, &place, &foreign);
        refuses(&app, &place, &beta, [NOT_LISTED; 3]);
    }
}

/// `*` of tough matches `/` as well, so the pattern for names with six segments matches others where the third or a later
/// one is called like the channel: here the platform.
#[test]
fn tough_takes_a_platform_for_a_channel() {
    let key = |version: &str| format!("{OWNER}/{APP}/beta/stable/amd64/{APP}-{version}/x.nupkg");
    let (repository, beta, foreign) = two_channels(APP, key);
    let places = Places::of(&repository);
    for (place, app) in installations(&places, repository.root()) {
        let (refused, verified) = match app.client() {
            Client::PythonTuf(_) | Client::TufJs(_) => (&foreign, &beta),
            _ => (&beta, &foreign),
        };
        gets(&app, &place, verified);
        refuses(&app, &place, refused, [NOT_LISTED; 3]);
    }
}
