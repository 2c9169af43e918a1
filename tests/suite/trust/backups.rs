//! Database, bucket, or both are put back to what they were before five publishes. A client that has seen all five accepts
//! the next one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use spindrift_tests::trust::client::{Installation, clients_and_library};
use spindrift_tests::trust::place::Place;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{Account, Driver, PUBLIC_BUCKET, World, on_hosts, until};

use super::gets;
use super::service::upload;
use crate::backup::tables;
use crate::listing::{begin, begin_service};

on_hosts! {
    every: [
        a_restored_database,
        a_restored_bucket,
        both_restored,
        a_restored_database_where_the_service_signs,
        a_restored_bucket_where_the_service_signs,
        both_restored_where_the_service_signs,
    ],
}

/// How long to wait for the clock, or for other calls.
const PATIENCE: Duration = Duration::from_mins(1);
const LOST: usize = 5;

/// A copy of the database and of the public bucket.
struct Backup {
    database: PathBuf,
    objects: BTreeMap<String, Vec<u8>>,
}

impl Backup {
    fn of(world: &World) -> Self {
        let database = world.dir().join("backup.db");
        tables::copy_to(world, &database);
        let keys = world.store().keys(PUBLIC_BUCKET, "");
        let bytes = |key: String| (world.store().object(PUBLIC_BUCKET, &key).unwrap(), key);
        Self { database, objects: keys.into_iter().map(bytes).map(|(bytes, key)| (key, bytes)).collect() }
    }

    fn restore_database(&self, world: &World) {
        tables::put_back(world, &self.database);
    }

    fn restore_bucket(&self, world: &World) {
        for key in world.store().keys(PUBLIC_BUCKET, "") {
            if !self.objects.contains_key(&key) {
                world.store().remove(PUBLIC_BUCKET, &key);
            }
        }
        for (key, bytes) in &self.objects {
            world.store().write(PUBLIC_BUCKET, key, bytes);
        }
    }
}

/// A release that is uploaded and listed.
fn publish(
    acme: &Account,
    publisher: &Publisher,
    by_service: bool,
    version: &str,
    listed: &[TestTarget],
) -> TestTarget {
    let new = upload(acme, version);
    if !by_service {
        let files = [listed, std::slice::from_ref(&new)].concat();
        // As the command does: what was adopted from the bucket has other numbers.
        until("the list is taken", PATIENCE, || {
            let answer = publisher.publish(&files);
            assert!(matches!(answer.status, 200 | 409 | 503), "{} {}", answer.status, answer.text());
            (answer.status == 200).then_some(())
        });
    }
    new
}

fn all_get(apps: &[(Place, Installation)], target: &TestTarget) {
    for (place, app) in apps {
        gets(app, place, target);
    }
}

fn restored(host: Driver, by_service: bool, restore: impl FnOnce(&Backup, &World)) {
    let world = World::new(host);
    if world.database().into_file().is_none() {
        return;
    }
    let acme = world.admin("acme").with_notes();
    let publisher = if by_service { begin_service(&acme) } else { begin(&acme) };
    let _changed = world.database().execute("UPDATE repositories SET keep = 0", []).unwrap();
    let first = publish(&acme, &publisher, by_service, "1.0.0", &[]);
    let root = publisher.pinned_root();
    let places = [publisher.service(&world), publisher.bucket(&world)];
    let at = |place: &Place| {
        clients_and_library()
            .into_iter()
            .map(|client| (place.clone(), Installation::new(client, &root)))
            .collect::<Vec<_>>()
    };
    let apps: Vec<_> = places.iter().flat_map(at).collect();
    all_get(&apps, &first);
    let backup = Backup::of(&world);
    for lost in 1..=LOST {
        let _lost =
            publish(&acme, &publisher, by_service, &format!("1.{lost}.0"), std::slice::from_ref(&first));
    }
    all_get(&apps, &super::service::target("1.5.0"));
    let seen = publisher.version("targets").unwrap();

    restore(&backup, &world);
    // Numbers are seconds, or one more than the last: a restored backup is older than the publishes that it lacks.
    until("the clock has passed the numbers that are lost", PATIENCE, || {
        (Timestamp::now().as_second() > i64::try_from(seen).unwrap() + 1).then_some(())
    });
    let next = publish(&acme, &publisher, by_service, "1.6.0", std::slice::from_ref(&first));
    all_get(&apps, &next);
    all_get(&apps, &first);
    assert!(publisher.version("targets").unwrap() > seen);
    for place in &places {
        for client in clients_and_library() {
            gets(&Installation::new(client, &root), place, &next);
        }
    }
}

fn a_restored_database(host: Driver) {
    restored(host, false, Backup::restore_database);
}

fn a_restored_bucket(host: Driver) {
    restored(host, false, Backup::restore_bucket);
}

fn both(backup: &Backup, world: &World) {
    backup.restore_database(world);
    backup.restore_bucket(world);
}

fn both_restored(host: Driver) {
    restored(host, false, both);
}

fn a_restored_database_where_the_service_signs(host: Driver) {
    restored(host, true, Backup::restore_database);
}

fn a_restored_bucket_where_the_service_signs(host: Driver) {
    restored(host, true, Backup::restore_bucket);
}

fn both_restored_where_the_service_signs(host: Driver) {
    restored(host, true, both);
}
