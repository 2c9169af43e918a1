//! Squirrel.Windows.

use spindrift_tests::native_clients::nupkg::Package;
use spindrift_tests::native_clients::squirrel::{Entry, Plan, SquirrelApp, releases};
use spindrift_tests::{Driver, Release, World, on_hosts};

use super::{acme, base, installation, program, roll_out};

on_hosts! {
    every: [
        deltas_lead_to_the_newest_release,
        a_setup_and_a_client_too_old_for_deltas_take_the_full_package,
        there_may_be_nothing_newer,
        installations_take_part_by_their_own_number,
        a_required_version_comes_first,
    ],
}

/// How many installations ask about a rollout.
const INSTALLATIONS: u32 = 40;

/// Name and content of a full package.
fn full(version: &str) -> (String, Vec<u8>) {
    let package = Package::new("Notes", version).with_file("Notes.exe", &program(version));
    (package.full_name(), package.bytes())
}

/// Name and content of a difference to the version before.
fn delta(version: &str) -> (String, Vec<u8>) {
    let package = Package::new("Notes", version).with_file("Notes.exe.diff", version.as_bytes());
    (package.delta_name(), package.bytes())
}

/// A release as the packager leaves it, with the packages of earlier ones in its `RELEASES`.
fn release(version: &str, earlier: &[&str]) -> Release {
    let mut own = vec![full(version)];
    own.extend((!earlier.is_empty()).then(|| delta(version)));
    let listed: Vec<_> = earlier.iter().map(|old| full(old)).chain(own.clone()).collect();
    let listed: Vec<_> = listed.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    let release = Release::empty(version).with("platform", "windows").with("updater", "squirrel_windows");
    let release = own.into_iter().fold(release, |release, (name, bytes)| release.file(&name, bytes));
    release.feed("RELEASES", releases(&listed))
}

fn app(world: &World, version: &str) -> SquirrelApp {
    SquirrelApp {
        base: base(world, "windows", version),
        id: "Notes".to_owned(),
        version: Some(version.to_owned()),
        beta_id: None,
    }
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.apply.iter().map(|entry| entry.file_name.as_str()).collect()
}

/// The client gets the published bytes for these entries.
fn downloads(app: &SquirrelApp, entries: &[Entry], published: &[(String, Vec<u8>)]) {
    assert_eq!(entries.len(), published.len());
    for (entry, (name, bytes)) in entries.iter().zip(published) {
        assert_eq!((&entry.file_name, &app.download(entry).unwrap()), (name, bytes));
    }
}

fn deltas_lead_to_the_newest_release(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0", &[]));
    acme.publish(release("1.1.0", &["1.0.0"]));
    acme.publish(release("1.2.0", &["1.0.0", "1.1.0"]));
    let app = app(&world, "1.0.0");

    let plan = app.check().unwrap();

    downloads(&app, &plan.apply, &[delta("1.1.0"), delta("1.2.0")]);
    downloads(&app, &[plan.newest], &[full("1.2.0")]);
}

fn a_setup_and_a_client_too_old_for_deltas_take_the_full_package(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0", &[]));
    acme.publish(release("1.1.0", &["1.0.0"]));
    acme.publish(release("1.2.0", &["1.1.0"]).rollout(50));

    let setup = SquirrelApp { version: None, ..app(&world, "0") };
    downloads(&setup, &setup.check().unwrap().apply, &[full("1.1.0")]);
    let old = app(&world, "0.9.0");
    downloads(&old, &old.check().unwrap().apply, &[full("1.1.0")]);
}

fn there_may_be_nothing_newer(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0", &[]));
    let newest = acme.publish(release("1.1.0", &["1.0.0"]));

    for installed in ["1.1.0", "2.0.0"] {
        assert_eq!(names(&app(&world, installed).check().unwrap()), [""; 0], "{installed}");
    }
    roll_out(&acme, &newest, 0);
    let mut outside = app(&world, "1.0.0");
    assert_eq!(names(&outside.check().unwrap()), [""; 0]);
    outside.beta_id = Some(installation(0, INSTALLATIONS));
    assert_eq!(names(&outside.check().unwrap()), [""; 0], "0 percent is nobody");
}

fn installations_take_part_by_their_own_number(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0", &[]));
    let newest = acme.publish(release("1.1.0", &["1.0.0"]).rollout(25));
    let takers = |installed: &str, new: &str, others: &[&str]| {
        let with_new = |n: &u32| {
            let beta_id = Some(installation(*n, INSTALLATIONS));
            let plan = SquirrelApp { beta_id, ..app(&world, installed) }.check().unwrap();
            let is_new = names(&plan) == [new];
            assert!(is_new || names(&plan) == others, "{plan:?}");
            is_new
        };
        (0..INSTALLATIONS).filter(with_new).count()
    };

    assert_eq!(takers("1.0.0", "Notes-1.1.0-delta.nupkg", &[]), 10);
    assert_eq!(takers("0.9.0", "Notes-1.1.0-full.nupkg", &["Notes-1.0.0-full.nupkg"]), 10);
    roll_out(&acme, &newest, 100);
    assert_eq!(takers("1.0.0", "Notes-1.1.0-delta.nupkg", &[]), 40);
}

fn a_required_version_comes_first(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0", &[]));
    acme.publish(release("1.1.0", &["1.0.0"]).intermediate());
    acme.publish(release("1.2.0", &["1.0.0", "1.1.0"]));

    for (installed, delta) in [("1.0.0", "Notes-1.1.0-delta.nupkg"), ("1.1.0", "Notes-1.2.0-delta.nupkg")] {
        assert_eq!(names(&app(&world, installed).check().unwrap()), [delta]);
    }
    assert_eq!(names(&app(&world, "0.9.0").check().unwrap()), ["Notes-1.1.0-full.nupkg"]);
}
