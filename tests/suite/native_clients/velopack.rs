//! Velopack. Libraries for Node and Python are left out where these are missing.

use serde_json::json;
use spindrift_tests::native_clients::velopack::{Checked, FeedPackage, Library, Updated, VelopackApp, feed};
use spindrift_tests::{Driver, Release, World, on_hosts};

use super::{acme, base, installation, program, roll_out};

on_hosts! {
    every: [
        the_newest_release_is_downloaded_and_verified,
        deltas_are_there_where_all_of_them_are,
        there_may_be_nothing_newer,
        a_rollout_is_decided_by_staging_id,
        a_required_version_comes_first,
        one_address_serves_all_channels,
        every_library_downloads,
        every_library_downloads_what_a_group_may_have,
        one_release_has_the_default_channels_of_all_systems,
    ],
}

const INSTALLATIONS: u32 = 20;

fn full(version: &str) -> FeedPackage {
    FeedPackage::full("Notes", version, "win", &program(version))
}

/// The update to a version.
fn updated(version: &str) -> Updated {
    Updated { version: version.to_owned(), package: full(version).bytes().to_vec() }
}

/// A release as the packager leaves it, with the full packages of earlier ones in its feed.
fn release(version: &str, earlier: &[&str]) -> Release {
    let mut own = vec![full(version)];
    own.extend(
        (!earlier.is_empty()).then(|| FeedPackage::delta("Notes", version, "win", version.as_bytes())),
    );
    let old: Vec<_> = earlier.iter().map(|old| full(old)).collect();
    let release = Release::empty(version).with("platform", "windows").with("updater", "velopack");
    let index = feed(&own.iter().chain(&old).collect::<Vec<_>>());
    own.iter()
        .fold(release, |release, package| release.file(&package.file_name, package.bytes()))
        .feed("releases.win.json", index)
}

fn app(world: &World, version: &str) -> VelopackApp {
    VelopackApp::new(&base(world, "windows", version), "Notes", version, "win")
}

fn check(app: &VelopackApp) -> Checked {
    app.install().unwrap().check().unwrap()
}

/// The deltas that the manager would take, and where they lead.
fn steps(app: &VelopackApp) -> (Vec<String>, String) {
    let update = check(app).update();
    let deltas = update.DeltasToTarget.into_iter().map(|asset| asset.Version);
    (deltas.collect(), update.TargetFullRelease.Version)
}

fn the_newest_release_is_downloaded_and_verified(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0", &[]));
    acme.publish(release("1.1.0", &["1.0.0"]));
    acme.publish(release("1.2.0", &["1.0.0", "1.1.0"]));

    for installed in ["0.9.0", "1.0.0"] {
        let app = app(&world, installed).install().unwrap();
        let update = app.check().unwrap().update();
        assert_eq!(update.TargetFullRelease.Version, "1.2.0");
        assert_eq!(app.download(&update).unwrap(), full("1.2.0").bytes(), "from {installed}");
    }
}

fn deltas_are_there_where_all_of_them_are(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0", &[]));
    let middle = acme.publish(release("1.1.0", &["1.0.0"]));
    acme.publish(release("1.2.0", &["1.0.0", "1.1.0"]));
    let steps = |version: &str| steps(&app(&world, version));

    assert_eq!(steps("1.0.0"), (vec!["1.1.0".into(), "1.2.0".into()], "1.2.0".into()));
    assert_eq!(steps("1.1.0"), (vec!["1.2.0".into()], "1.2.0".into()));
    assert_eq!(steps("0.9.0"), (Vec::new(), "1.2.0".into()));
    roll_out(&acme, &middle, 0);
    assert_eq!(steps("1.0.0"), (Vec::new(), "1.2.0".into()), "a step is missing");
}

fn there_may_be_nothing_newer(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let first = acme.publish(release("1.0.0", &[]));

    for installed in ["1.0.0", "2.0.0"] {
        assert!(matches!(check(&app(&world, installed)), Checked::Current), "{installed}");
    }
    roll_out(&acme, &first, 0);
    assert!(matches!(check(&app(&world, "0.9.0")), Checked::Empty), "nothing for anybody");
}

fn a_rollout_is_decided_by_staging_id(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0", &[]));
    let newest = acme.publish(release("1.1.0", &["1.0.0"]).rollout(50));
    let takers = || {
        let takes = |n: &u32| {
            let staging_id = Some(installation(*n, INSTALLATIONS));
            match check(&VelopackApp { staging_id, ..app(&world, "1.0.0") }) {
                Checked::Update(update) => update.TargetFullRelease.Version == "1.1.0",
                Checked::Current => false,
                Checked::Empty => panic!("the fully rolled out release is there"),
            }
        };
        (0..INSTALLATIONS).filter(takes).collect::<Vec<_>>()
    };

    let some = takers();
    assert!(!some.is_empty() && some.len() < INSTALLATIONS as usize, "{some:?}");
    let taker =
        VelopackApp { staging_id: Some(installation(some[0], INSTALLATIONS)), ..app(&world, "1.0.0") };
    assert_eq!(Library::Rust.update(&taker), Some(Ok(Some(updated("1.1.0")))));
    assert_eq!(takers(), some, "devices that are in stay in");
    roll_out(&acme, &newest, 0);
    assert_eq!(takers(), [0_u32; 0]);
    roll_out(&acme, &newest, 100);
    assert_eq!(takers().len(), INSTALLATIONS as usize);
}

fn a_required_version_comes_first(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0", &[]));
    acme.publish(release("1.1.0", &["1.0.0"]).intermediate());
    acme.publish(release("1.2.0", &["1.0.0", "1.1.0"]));

    for (installed, next) in [("1.0.0", "1.1.0"), ("1.1.0", "1.2.0")] {
        assert_eq!(steps(&app(&world, installed)), (vec![next.into()], next.into()));
    }
}

fn one_address_serves_all_channels(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0", &[]));
    acme.publish(release("1.1.0", &["1.0.0"]));
    let base = format!("{}/velopack/acme/notes/windows/amd64", world.url());
    let on = |channel: &str| VelopackApp::new(&base, "Notes", "1.0.0", channel).install().unwrap();

    let app = on("stable");
    let update = app.check().unwrap().update();
    assert_eq!(update.DeltasToTarget.len(), 1);
    assert_eq!(app.download(&update).unwrap(), full("1.1.0").bytes());
    assert!(on("nightly").check().is_err());
}

/// Each in its newest stable version and in the oldest, at each form of the address.
fn every_library_downloads(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0", &[]));
    acme.publish(release("1.1.0", &["1.0.0"]));
    let of_all = |channel: &str| format!("{}/velopack/acme/notes{channel}/windows/amd64", world.url());

    for library in Library::ALL {
        for (base, channel) in
            [(base(&world, "windows", "1.0.0"), "win"), (of_all(""), "stable"), (of_all("/stable"), "win")]
        {
            let app = VelopackApp::new(&base, "Notes", "1.0.0", channel);
            let Some(result) = library.update(&app) else { continue };
            assert_eq!(result, Ok(Some(updated("1.1.0"))), "{library:?} at {base}");
        }
        let current = VelopackApp::new(&of_all("/stable"), "Notes", "1.1.0", "win");
        assert!(library.update(&current).is_none_or(|result| result == Ok(None)), "{library:?}");
    }
}

/// Their addresses have no query, so the group's key is in the path.
fn every_library_downloads_what_a_group_may_have(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0", &[]));
    let newest = acme.publish(release("1.1.0", &["1.0.0"]).rollout(0));
    let made = acme.post_json("/device-groups", json!({ "app": "notes", "name": "qa" })).send();
    let key = made.expect(201).json()["key"].as_str().unwrap().to_owned();
    let offer = json!({ "groups": ["qa"] });
    let _ = acme.post_json(&format!("/releases/{newest}/offer"), offer).send().expect(200);

    for library in Library::ALL {
        let of = |pairs: &str| {
            let base = format!("{}/velopack/acme/notes/stable/windows/amd64{pairs}", world.url());
            library.update(&VelopackApp::new(&base, "Notes", "1.0.0", "win"))
        };
        let Some(result) = of(&format!(";group={key}")) else { continue };
        assert_eq!(result, Ok(Some(updated("1.1.0"))), "{library:?}");
        assert_eq!(of(""), Some(Ok(None)), "{library:?}");
    }
}

fn one_release_has_the_default_channels_of_all_systems(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    for platform in ["win", "osx", "linux-velopack"] {
        acme.create_platform_with(platform, &["velopack"]);
    }
    for version in ["1.0.0", "1.1.0"] {
        for (platform, channel) in [("win", "win"), ("osx", "osx"), ("linux-velopack", "linux")] {
            let package = FeedPackage::full("Notes", version, channel, &program(version));
            let release = Release::empty(version).with("platform", platform).with("updater", "velopack");
            let release = release.file(&package.file_name, package.bytes());
            acme.publish(release.feed(&format!("releases.{channel}.json"), feed(&[&package])));
        }
    }

    for (platform, channel) in [("win", "win"), ("osx", "osx"), ("linux-velopack", "linux")] {
        let base = format!("{}/velopack/acme/notes/stable/{platform}/amd64", world.url());
        let app = VelopackApp::new(&base, "Notes", "1.0.0", channel).install().unwrap();
        let update = app.check().unwrap().update();
        let expected = FeedPackage::full("Notes", "1.1.0", channel, &program("1.1.0"));
        assert_eq!(app.download(&update).unwrap(), expected.bytes(), "{platform}");
    }
}
