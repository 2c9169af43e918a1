//! Velopack.

use spindrift_tests::native_clients::velopack::{Checked, FeedPackage, VelopackApp, feed};
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
    ],
}

const INSTALLATIONS: u32 = 20;

fn full(version: &str) -> FeedPackage {
    FeedPackage::full("Notes", version, "win", &program(version))
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
