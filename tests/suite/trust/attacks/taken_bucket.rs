//! Somebody writes into the bucket, in the end with the online key. The service has its database.

use spindrift_tests::trust::client::Verified;
use spindrift_tests::trust::key::TestKey;
use spindrift_tests::trust::place::Place;
use spindrift_tests::trust::repository::{TARGETS, TestRepository};
use spindrift_tests::trust::role::{TestTarget, naming};
use spindrift_tests::trust::signed::signed;
use spindrift_tests::{Driver, PUBLIC_BUCKET, on_hosts};

use super::super::{Installation, OLDER, days_ago};
use super::hosted::Hosted;
use super::{get, refuse};

on_hosts! {
    every: [everything_of_yesterday],
    in_process: [
        deleted_files,
        swapped_files,
        other_bytes_of_a_target,
        a_timestamp_that_is_none,
        a_timestamp_of_the_far_future,
        a_snapshot_that_names_another_list,
    ],
}

type Apps = Vec<(Place, Installation)>;

/// The installations at the bucket, and those at the service.
fn by_place(apps: Apps) -> (Apps, Apps) {
    apps.into_iter().partition(|(place, _)| place.name == "bucket")
}

/// They get this target or nothing.
fn get_it_or_nothing(apps: &Apps, target: &TestTarget) {
    for (place, app) in apps {
        let taken = app.update(place, target);
        let right = Verified { bytes: target.bytes.clone(), custom: target.custom.clone() };
        assert!(taken.is_err() || taken == Ok(right), "{}", app.client().name());
    }
}

/// Clients that look again get the targets everywhere.
fn all_is_well(hosted: &Hosted, known: &[&Apps], targets: &[&TestTarget]) {
    for apps in known {
        get(apps, targets);
    }
    get(&hosted.installations(), targets);
}

fn everything_of_yesterday(host: Driver) {
    let (mut hosted, old) = Hosted::new(host);
    let yesterday = hosted.repository.clone();
    let new = hosted.release("1.1.0");
    let (at_bucket, at_service) = by_place(hosted.installations());
    get(&at_bucket, &[&old, &new]);

    hosted.take_bucket(&yesterday);
    refuse(&at_bucket, &new, OLDER);
    // A client without state cannot know, until the timestamp expires.
    get(&by_place(hosted.installations()).0, &[&old]);
    get(&at_service, &[&old, &new]);

    let next = hosted.release("1.2.0");
    all_is_well(&hosted, &[&at_bucket, &at_service], &[&old, &new, &next]);
}

fn deleted_files(host: Driver) {
    let (mut hosted, target) = Hosted::new(host);
    for role in ["timestamp", "snapshot", TARGETS] {
        let (at_bucket, at_service) = by_place(hosted.installations());
        get(&at_bucket, &[&target]);
        match role {
            "timestamp" => hosted.remove("timestamp.json"),
            role => hosted.remove(&hosted.repository.newest(role)),
        }
        // Some have what is missing.
        get_it_or_nothing(&at_bucket, &target);
        let missing = ["not found", "DownloadHTTPError", "Failed to download"];
        refuse(&by_place(hosted.installations()).0, &target, missing);
        get(&at_service, &[&target]);
        let _committed = hosted.commit();
        all_is_well(&hosted, &[&at_bucket, &at_service], &[&target]);
    }
}

fn swapped_files(host: Driver) {
    let (mut hosted, target) = Hosted::new(host);
    for (role, other) in
        [("timestamp", "snapshot"), ("snapshot", TARGETS), (TARGETS, "root"), (TARGETS, "snapshot")]
    {
        let (at_bucket, at_service) = by_place(hosted.installations());
        get(&at_bucket, &[&target]);
        let bytes = hosted.repository.metadata[&hosted.repository.newest(other)].clone();
        match role {
            "timestamp" => hosted.write("timestamp.json", &bytes),
            role => hosted.write(&hosted.repository.newest(role), &bytes),
        }
        get_it_or_nothing(&at_bucket, &target);
        for (place, app) in by_place(hosted.installations()).0 {
            let said = app.update(&place, &target).unwrap_err();
            println!("{role} is {other}: {}: {said}", app.client().name());
        }
        get(&at_service, &[&target]);
        let _committed = hosted.commit();
        all_is_well(&hosted, &[&at_bucket, &at_service], &[&target]);
    }
}

/// The service sends to the bucket for it, so it is refused at both places.
fn other_bytes_of_a_target(host: Driver) {
    let (hosted, target) = Hosted::new(host);
    let apps = hosted.installations();
    get(&apps, &[&target]);
    let key = target.key();
    let mut bytes = target.bytes.clone();
    bytes[0] ^= 1;
    hosted.world.store().write(PUBLIC_BUCKET, &key, &bytes);
    refuse(&apps, &target, ["Hash mismatch", "LengthOrHashMismatchError", "LengthOrHashMismatchError"]);
    hosted.world.store().remove(PUBLIC_BUCKET, &key);
    for (place, app) in &apps {
        let _unavailable = app.update(place, &target).unwrap_err();
    }
    hosted.world.store().write(PUBLIC_BUCKET, &key, &target.bytes);
    get(&apps, &[&target]);
}

/// A broken timestamp in the bucket does not stop the service.
fn a_timestamp_that_is_none(host: Driver) {
    let (mut hosted, target) = Hosted::new(host);
    let mut by_stranger = hosted.repository.clone();
    by_stranger.keys.online = TestKey::from_seed(250);
    by_stranger.commit(days_ago(0));
    let deep = "[".repeat(4000);
    let cases: [&[u8]; 6] =
        [b"", b"{}", b"\xff", deep.as_bytes(), &vec![b' '; 9 << 20], &by_stranger.metadata["timestamp.json"]];
    let (at_bucket, at_service) = by_place(hosted.installations());
    get(&at_bucket, &[&target]);
    for bytes in cases {
        hosted.take_bucket(&by_stranger);
        hosted.write("timestamp.json", bytes);
        for (place, app) in &at_bucket {
            let _refused = app.update(place, &target).unwrap_err();
        }
        get(&at_service, &[&target]);
        let _committed = hosted.commit();
        all_is_well(&hosted, &[&at_bucket, &at_service], &[&target]);
    }
}

/// The thief has the online key: numbers that nothing can follow. The service does not follow them; who has seen them is
/// stuck until the key is replaced.
fn a_timestamp_of_the_far_future(host: Driver) {
    let (mut hosted, target) = Hosted::new(host);
    let (at_bucket, at_service) = by_place(hosted.installations());
    get(&at_service, &[&target]);
    let mut hostile = hosted.repository.clone();
    hostile.pretend("snapshot", (1 << 53) - 2);
    hostile.pretend("timestamp", (1 << 53) - 2);
    hostile.commit(days_ago(0));
    hosted.take_bucket(&hostile);
    get(&at_bucket, &[&target]);

    let next = hosted.release("1.1.0");
    refuse(&at_bucket, &next, OLDER);
    all_is_well(&hosted, &[&at_service], &[&target, &next]);

    let mut keys = hosted.repository.keys.clone();
    keys.online = TestKey::of_service(spindrift_tests::TUF_SECRET, &hosted.app_id, "online", 2);
    hosted.rotate(keys);
    all_is_well(&hosted, &[&at_bucket, &at_service], &[&target, &next]);
    let last = hosted.release("1.2.0");
    all_is_well(&hosted, &[&at_bucket, &at_service], &[&target, &next, &last]);
}

/// The thief has the online key, and signs a snapshot that names the current list with digests of something else.
fn a_snapshot_that_names_another_list(host: Driver) {
    let (mut hosted, target) = Hosted::new(host);
    let (at_bucket, at_service) = by_place(hosted.installations());
    get(&at_bucket, &[&target]);
    let mut hostile: TestRepository = hosted.repository.clone();
    let (list, online) = (hostile.version(TARGETS), [hostile.keys.online.clone()]);
    let version = hostile.version("snapshot") + 1;
    let snapshot =
        naming("snapshot", version, days_ago(-7), &[("targets.json".to_owned(), (list, &b"{}"[..]))].into());
    hostile.put("snapshot", version, signed(&snapshot, &online));
    hostile.write_timestamp(days_ago(0));
    hosted.take_bucket(&hostile);
    get_it_or_nothing(&at_bucket, &target);
    get(&at_service, &[&target]);

    // The service compares when it is called, and adopts none of it.
    let _looked = hosted.again().expect(200);
    all_is_well(&hosted, &[&at_service], &[&target]);
    // Numbers rise with the clock. The test is faster than that: the first may have the number of the thief's.
    for _ in 0..2 {
        let _committed = hosted.commit();
    }
    all_is_well(&hosted, &[&at_bucket, &at_service], &[&target]);
}
