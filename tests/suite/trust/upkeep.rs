//! Maintenance of repositories.

use serde_json::{Value, json};
use spindrift_tests::trust::aged::age;
use spindrift_tests::trust::client::{Installation, clients_and_library};
use spindrift_tests::trust::key::Signers;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{Account, Answer, Driver, PRIVATE_BUCKET, PUBLIC_BUCKET, World, on_hosts};

use super::gets;
use super::service::{acme, started, upload};
use crate::listing::{begin_service, listed_versions, one_file};

on_hosts! {
    every: [
        a_run_signs_what_is_due,
        a_run_goes_on_where_the_last_one_ended,
        offline_signatures_that_are_needed_soon_are_counted,
        what_the_bucket_has_lost_is_put_back,
        a_repository_is_compared_once_a_day,
        what_was_killed_is_finished,
        a_list_that_is_behind_catches_up,
        former_files_go_after_a_month,
        staged_metadata_goes_after_a_month,
        a_storage_that_refuses_fails_the_run_and_the_next_goes_on,
        one_broken_repository_does_not_stop_the_others,
    ],
    in_process: [nothing_to_do_costs_little],
}

const FOLDER: &str = "tuf_metadata/acme/notes/";
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

fn run(acme: &Account) -> Answer {
    acme.post("/maintenance/run").send()
}

/// Signed, expiring, deleted objects.
fn counts(acme: &Account) -> [u64; 3] {
    let body = run(acme).expect(200).json();
    ["metadata_signed", "metadata_expiring", "objects_deleted"].map(|name| body[name].as_u64().unwrap())
}

fn execute(world: &World, sql: &str) -> usize {
    world.database().execute(sql, []).unwrap()
}

fn number(world: &World, sql: &str) -> i64 {
    world.database().query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Makes every repository be compared with the bucket in the next run.
fn forget_comparison(world: &World) {
    execute(world, "UPDATE repositories SET checked_at = 0");
}

fn timestamp(world: &World) -> Value {
    world.get("/tuf/repository/acme/notes/metadata/timestamp.json").send().expect(200).json()["signed"]
        .clone()
}

fn keys(world: &World) -> Vec<String> {
    let keys = world.store().keys(PUBLIC_BUCKET, FOLDER);
    keys.iter().map(|key| key.trim_start_matches(FOLDER).to_owned()).collect()
}

fn object(world: &World, file: &str) -> Option<Vec<u8>> {
    world.store().object(PUBLIC_BUCKET, &format!("{FOLDER}{file}"))
}

/// Every client gets the target from both places.
fn everybody_gets(world: &World, publisher: &Publisher, target: &TestTarget) {
    let root = publisher.pinned_root();
    for client in clients_and_library() {
        for place in [publisher.service(world), publisher.bucket(world)] {
            gets(&Installation::new(client, &root), &place, target);
        }
    }
}

fn a_run_signs_what_is_due(host: Driver) {
    let world = World::new(host);
    let (acme, publisher, target) = started(&world);
    assert_eq!(counts(&acme), [0, 0, 0], "nothing is due");
    let before = timestamp(&world);
    execute(&world, "UPDATE repositories SET timestamp_days = 30, due_at = 1");
    assert_eq!(counts(&acme), [1, 0, 0]);
    let after = timestamp(&world);
    assert!(after["version"].as_u64() > before["version"].as_u64());
    assert!(after["expires"].as_str() > before["expires"].as_str());
    assert_eq!(counts(&acme), [0, 0, 0]);
    everybody_gets(&world, &publisher, &target);
}

fn a_run_goes_on_where_the_last_one_ended(host: Driver) {
    const MANY: i64 = 205;
    let world = World::new(host);
    let (acme, _publisher, _target) = started(&world);
    // Repositories that have nothing, so that a run is done with each of them at once.
    let apps = format!(
        "INSERT INTO apps (id, owner_id, name, created_at, updated_at) \
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {MANY}) \
         SELECT 'many-' || n, owner_id, 'many-' || n, 1, 1 FROM n, apps WHERE name = 'notes'"
    );
    execute(&world, &apps);
    execute(
        &world,
        "INSERT INTO repositories (app_id, name, revision, written_revision, applied_revision, online_generation, \
          targets_generation, keep, root_days, targets_days, snapshot_days, timestamp_days, due_at, created_at) \
         SELECT id, 'acme/' || name, 0, 0, 0, 1, 1, 5, 730, 365, 30, 7, rowid, 1 FROM apps WHERE name LIKE 'many-%'",
    );
    execute(
        &world,
        "UPDATE repositories SET timestamp_days = 30, due_at = 1000000 WHERE name = 'acme/notes'",
    );
    let due = || number(&world, "SELECT count(*) FROM repositories WHERE due_at <= 1000000");
    let unchecked = || number(&world, "SELECT count(*) FROM repositories WHERE checked_at = 0");

    assert_eq!((due(), unchecked()), (MANY + 1, MANY + 1));
    assert_eq!(counts(&acme), [0, 0, 0], "the one that signs is the last");
    assert_eq!((due(), unchecked()), (6, 6));
    assert_eq!(counts(&acme), [1, 0, 0]);
    assert_eq!((due(), unchecked()), (0, 0));
}

fn offline_signatures_that_are_needed_soon_are_counted(host: Driver) {
    let world = World::new(host);
    let (acme, _publisher, _target) = started(&world);
    for (days, expiring) in [(334, 0), (2, 1), (40, 1)] {
        age(&world, days);
        let [_signed, counted, _deleted] = counts(&acme);
        assert_eq!(counted, expiring, "after {days} more days");
    }
    // Where the service signs targets, only root counts.
    let second = acme.create_app_with(json!({ "app": "second", "tuf": true }));
    let publisher = Publisher::new(&acme, "second");
    let mut named = publisher.named();
    named.targets = vec![publisher.service_key("targets_key")];
    let root = publisher.root_file(1, &named, &publisher.root.keys[..1]);
    let _ = publisher.start_with(json!({ "metadata": { "root": root } })).expect(202);
    assert_eq!(counts(&acme)[1], 1, "{second} does not expire");
    age(&world, 699);
    assert_eq!(counts(&acme)[1], 1);
    age(&world, 2);
    assert_eq!(counts(&acme)[1], 2);
}

fn what_the_bucket_has_lost_is_put_back(host: Driver) {
    let world = World::new(host);
    let (acme, publisher, target) = started(&world);
    assert_eq!(counts(&acme), [0, 0, 0]);
    let before: Vec<_> = keys(&world).into_iter().map(|file| (object(&world, &file), file)).collect();
    let is_current = |file: &str| {
        let current = ["targets", "snapshot"].map(|role| {
            let sql =
                format!("SELECT version FROM repository_metadata WHERE role = '{role}' AND is_current = 1");
            format!("{}.{role}.json", number(&world, &sql))
        });
        file == "1.root.json" || file == "timestamp.json" || current.contains(&file.to_owned())
    };
    for (_bytes, file) in &before {
        let key = format!("{FOLDER}{file}");
        match file.as_str() {
            // Another file of the same length.
            "1.root.json" => {
                world.store().write(PUBLIC_BUCKET, &key, &vec![b' '; object(&world, file).unwrap().len()]);
            }
            "timestamp.json" => world.store().write(PUBLIC_BUCKET, &key, b"{}"),
            _ => world.store().remove(PUBLIC_BUCKET, &key),
        }
    }
    forget_comparison(&world);
    assert_eq!(counts(&acme), [0, 0, 0]);
    for (bytes, file) in before {
        if is_current(&file) {
            assert_eq!(object(&world, &file), bytes, "{file}");
        }
    }
    everybody_gets(&world, &publisher, &target);
}

fn a_repository_is_compared_once_a_day(host: Driver) {
    let world = World::new(host);
    let (acme, _publisher, _target) = started(&world);
    assert_eq!(counts(&acme), [0, 0, 0]);
    let root = format!("{FOLDER}1.root.json");
    world.store().remove(PUBLIC_BUCKET, &root);
    let comes_back_after = |millis: i64| {
        execute(&world, &format!("UPDATE repositories SET checked_at = checked_at - {millis}"));
        let _ = run(&acme).expect(200);
        object(&world, "1.root.json").is_some()
    };
    assert!(!comes_back_after(0));
    assert!(!comes_back_after(DAY_MILLIS - 60_000));
    assert!(comes_back_after(60_000));
}

fn what_was_killed_is_finished(host: Driver) {
    let world = World::new(host);
    let (acme, publisher, target) = started(&world);
    execute(
        &world,
        "UPDATE repositories SET written_revision = revision - 1, applied_revision = revision - 1",
    );
    execute(&world, "UPDATE artifacts SET listing = 'unlisted'");
    world.store().write(PUBLIC_BUCKET, &format!("{FOLDER}timestamp.json"), b"{}");

    assert_eq!(counts(&acme), [0, 0, 0], "nothing has to be signed");
    assert_eq!(number(&world, "SELECT count(*) FROM artifacts WHERE listing = 'listed'"), 1);
    let unfinished =
        "SELECT count(*) FROM repositories WHERE written_revision < revision OR applied_revision < revision";
    assert_eq!(number(&world, unfinished), 0);
    everybody_gets(&world, &publisher, &target);
}

/// A call was killed after its change, before the service signed.
fn a_list_that_is_behind_catches_up(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin_service(&acme);
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        acme.publish(one_file(version));
    }
    assert_eq!(listed_versions(&acme).len(), 3);
    execute(&world, "UPDATE repositories SET keep = 1, changes = changes + 1");
    let _ = run(&acme).expect(200);
    assert_eq!(listed_versions(&acme), ["1.2.0"]);
    assert_eq!(number(&world, "SELECT changes - synced_changes FROM repositories"), 0);
}

fn former_files_go_after_a_month(host: Driver) {
    let world = World::new(host);
    let (acme, publisher, first) = started(&world);
    let second = upload(&acme, "2.0.0");
    let former: Vec<String> = keys(&world);
    let _ = publisher.publish(&[first, second.clone()]).expect(200);
    // Files of a commit that was killed before it recorded anything, and a file of a stranger.
    for stray in ["7.snapshot.json", "7.targets.json", "9.root.json", "notes.txt"] {
        world.store().write(PUBLIC_BUCKET, &format!("{FOLDER}{stray}"), b"{}");
    }
    let all = keys(&world);
    forget_comparison(&world);
    assert_eq!(counts(&acme), [0, 0, 0], "all of them are young");
    assert_eq!(keys(&world), all);

    // A month later: the rows, and for the others the clock of a service that is ahead of the storage's.
    let month = 30 * DAY_MILLIS;
    execute(&world, &format!("UPDATE repository_metadata SET created_at = created_at - {month}"));
    assert_eq!(counts(&acme)[2], 2, "one list and one snapshot");
    let left = keys(&world);
    let gone: Vec<_> = all.iter().filter(|key| !left.contains(key)).collect();
    assert_eq!(gone.len(), 2, "{gone:?}");
    assert!(gone.iter().all(|key| former.contains(key) && !key.contains("root") && *key != "timestamp.json"));
    assert_eq!(number(&world, "SELECT count(*) FROM repository_metadata WHERE is_current = 0"), 0);
    assert_eq!(counts(&acme)[2], 0);
    everybody_gets(&world, &publisher, &second);
}

fn staged_metadata_goes_after_a_month(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let mut publisher = Publisher::new(&acme, "notes");
    // Two have to sign, and one has.
    publisher.targets = Signers { threshold: 2, ..Signers::one_of([10, 11]) };
    let _ = publisher.start(None).expect(202);
    publisher.targets.keys.truncate(1);
    let answer = publisher.publish(&[]).expect(200);
    assert!(answer.text().contains("is pending signatures"), "{}", answer.text());
    let staged = || number(&world, "SELECT count(*) FROM repository_staged");
    let age = |millis: i64| {
        execute(&world, &format!("UPDATE repository_staged SET created_at = created_at - {millis}"));
        let _ = run(&acme).expect(200);
        staged()
    };
    assert_eq!((staged(), age(0), age(30 * DAY_MILLIS - 60_000)), (1, 1, 1));
    assert_eq!(age(60_000), 0);
    assert_eq!(number(&world, "SELECT count(*) FROM repository_events WHERE kind = 'staged_expired'"), 1);
    assert_eq!(publisher.get("bootstrap").json()["data"]["state"], "waiting", "the repository stays");
}

fn a_storage_that_refuses_fails_the_run_and_the_next_goes_on(host: Driver) {
    let world = World::builder(host).with_gate().start();
    let (acme, publisher, target) = started(&world);
    world.gate().watch(&format!("/{PUBLIC_BUCKET}/tuf_metadata/"));
    execute(&world, "UPDATE repositories SET timestamp_days = 30, due_at = 1");
    world.gate().refuse(true);
    assert_eq!(run(&acme).refusal(), (502, "the object storage failed".into()));
    world.gate().refuse(false);
    assert_eq!(counts(&acme)[0], 0, "the next attempt is a minute later");
    execute(&world, "UPDATE repositories SET refresh_failed_at = refresh_failed_at - 60000");
    assert_eq!(counts(&acme)[0], 1);
    everybody_gets(&world, &publisher, &target);
}

fn one_broken_repository_does_not_stop_the_others(host: Driver) {
    let world = World::new(host);
    let (acme, _publisher, _target) = started(&world);
    acme.create_app_with(json!({ "app": "broken", "tuf": true, "private": true }));
    let broken = Publisher::new(&acme, "broken");
    let _ = broken.start(Some(&broken.list(&[]))).expect(202);
    assert!(!world.store().keys(PRIVATE_BUCKET, "tuf_metadata/acme/broken/").is_empty());
    // A read of what is due would sign it beside the run.
    let before = timestamp(&world);
    execute(&world, "UPDATE repositories SET timestamp_days = 30, due_at = 2");
    execute(&world, "UPDATE repositories SET due_at = 1 WHERE name = 'acme/broken'");
    execute(
        &world,
        "UPDATE repository_metadata SET content = 'x' WHERE role = 'root' \
          AND app_id = (SELECT app_id FROM repositories WHERE name = 'acme/broken')",
    );
    assert_eq!(run(&acme).status, 500);
    assert!(timestamp(&world)["version"].as_u64() > before["version"].as_u64());
}

fn nothing_to_do_costs_little(host: Driver) {
    let world = World::new(host);
    let (acme, _publisher, _target) = started(&world);
    assert_eq!(counts(&acme), [0, 0, 0]);
    let before = (world.platform().statements(), world.platform().requests());
    assert_eq!(counts(&acme), [0, 0, 0]);
    let cost = (world.platform().statements() - before.0, world.platform().requests() - before.1);
    assert!(cost.0 <= 44 && cost.1 <= 3, "{cost:?}");
}
