//! `POST /maintenance/run`.

use std::io::Write as _;
use std::net::TcpListener;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use spindrift_core::{BUCKET_MARKER, Timestamp};
use spindrift_tests::{
    Account, Answer, Driver, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, Upload, UploadFile, World, gzip,
    on_hosts,
};

use crate::reports;

on_hosts! {
    every: [
        the_token_and_admins_start_it,
        an_empty_token_starts_nothing,
        without_anything_to_do_it_removes_nothing,
        uploads_that_ended_are_removed,
        uploads_that_live_stay,
        leftovers_in_a_stopped_storage_are_removed_later,
        old_telemetry_is_removed,
        old_details_are_removed,
        old_groups_are_removed_with_their_details,
        staged_objects_of_nobody_are_removed_after_two_days,
        services_that_share_a_bucket_leave_each_others_uploads_alone,
        a_bucket_is_taken_over_without_its_marker,
        an_address_that_was_used_too_late_leaves_nothing,
        uploads_through_the_service_that_died_are_removed,
        a_grace_that_cannot_be_used_is_named,
        two_runs_are_never_under_way,
        admins_leave_the_next_run_to_an_operator_who_waits,
        a_run_that_died_is_followed_by_another,
        a_stopped_storage_is_an_error_and_the_next_run_goes_on,
        a_run_goes_on_after_an_object_that_it_cannot_delete,
        a_storage_without_tls_is_a_502,
    ],
    in_process: [
        an_upload_ends_some_time_after_its_urls,
        counters_do_not_pile_up,
        a_release_that_cannot_be_settled_does_not_keep_the_others_waiting,
        a_failure_of_one_kind_of_records_does_not_keep_the_others,
    ],
}

const TOKEN: &str = "a-token-that-starts-maintenance";
const METRICS_TOKEN: &str = "a-token-that-reads-metrics";
/// Seconds after which staged objects of unknown uploads are removed.
const TWO_DAYS: i64 = 2 * 24 * 60 * 60;

fn maintained(host: Driver) -> World {
    World::builder(host)
        .with_variable("maintenance_token", TOKEN)
        .with_variable("device_hash_key", "a key of the tests")
        .start()
}

fn run(world: &World) -> Answer {
    world.client().with_token(TOKEN).post("/maintenance/run").send()
}

/// The counts of a run's removals.
fn removed(world: &World) -> Value {
    run(world).expect(200).json()
}

/// The answer of a run that removed so many of these, and nothing else.
fn only(counts: &[(&str, u64)]) -> Value {
    let mut body = json!({
        "uploads_expired": 0, "objects_deleted": 0, "telemetry_deleted": 0, "blobs_deleted": 0,
        "counters_deleted": 0, "metadata_signed": 0, "metadata_expiring": 0, "webhooks_sent": 0,
        "bucket_of_another_database": false,
    });
    for (name, count) in counts {
        body[name] = json!(count);
    }
    body
}

fn execute(world: &World, sql: &str) {
    world.database().execute(sql, []).unwrap();
}

fn rows(world: &World, table: &str) -> u64 {
    let sql = format!("SELECT count(*) FROM {table}");
    let count: i64 = world.database().query_row(&sql, [], |row| row.get(0)).unwrap();
    count.cast_unsigned()
}

fn the_token_and_admins_start_it(host: Driver) {
    let world = maintained(host);
    let acme = world.admin("acme").with_notes();
    let app = acme.app_id("notes");
    let all = json!({ "create": true, "delete": true, "edit": true, "upload": true, "allowed": [app] });
    let ann = reports::team_user(&world, &acme, "ann", all);
    let start = |who: &Account| who.post("/maintenance/run").send();
    let refused = |text: &str| (401, text.to_owned());

    let missing = world.client().post("/maintenance/run").send();
    assert_eq!(missing.refusal(), refused("missing authorization header"));
    assert!(missing.headers.contains_key("www-authenticate"));
    let wrong = acme.with_credential("a-token-that-starts-nothing");
    assert_eq!(start(&wrong).refusal(), refused("invalid token"));
    assert_eq!(start(&acme.with_credential(&format!("{TOKEN}x"))).status, 401);
    let needed = refused("an admin or the maintenance token is needed");
    assert_eq!(start(&ann).refusal(), needed);
    assert_eq!(start(&acme.ci_token(&[&app])).refusal(), needed);
    assert_eq!(start(&acme).expect(200).json(), only(&[]));
    assert_eq!(run(&world).expect(200).json(), only(&[]));
}

fn an_empty_token_starts_nothing(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");

    let call = world.client().post("/maintenance/run").header("authorization", "Bearer ");
    assert_eq!(call.send().status, 401);
    assert_eq!(run(&world).status, 401);
    let _ = acme.post("/maintenance/run").send().expect(200);
}

fn without_anything_to_do_it_removes_nothing(host: Driver) {
    let world = maintained(host);
    let acme = world.admin("acme");
    let key = reports::create_notes(&acme);
    acme.publish(Release::new("1.0.0"));
    acme.check_as("device", "0.1");
    let report = reports::with_details(reports::failure(), &gzip(b"{}"));
    let _ = reports::send(world.client(), &key, "device", &report).expect(202);

    for _ in 0..3 {
        assert_eq!(removed(&world), only(&[]));
    }

    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    assert_eq!(reports::group(&acme)["stats"]["details_stored"], 1);
    assert_eq!(world.store().keys(PUBLIC_BUCKET, "").len(), 1);
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "").len(), 1);
}

fn uploads_that_ended_are_removed(host: Driver) {
    let world = maintained(host);
    let acme = world.admin("acme").with_notes();
    let release = Release::empty("1.0.0").file("notes.deb", "deb").file("notes.rpm", "rpm");
    let upload = acme.stage(&release);
    acme.begin(&Release::new("2.0.0"));
    execute(&world, "UPDATE upload_sessions SET expires_at = 1");

    assert_eq!(removed(&world), only(&[("uploads_expired", 2), ("objects_deleted", 2)]));
    assert_eq!(world.store().keys(PRIVATE_BUCKET, ""), Vec::<String>::new());
    assert_eq!(rows(&world, "upload_sessions"), 0);
    assert_eq!(acme.complete(&upload).status, 404);
    assert_eq!(removed(&world), only(&[]), "it is safe to repeat");
    acme.publish(release);
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
}

fn uploads_that_live_stay(host: Driver) {
    let world = maintained(host);
    let acme = world.admin("acme").with_notes();
    let upload = acme.stage(&Release::new("1.0.0").published());

    assert_eq!(removed(&world), only(&[]));
    let first = acme.complete(&upload).expect(200).json();

    assert_eq!(removed(&world), only(&[]));
    assert_eq!(acme.complete(&upload).expect(200).json(), first, "a completion may be repeated");
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    let object = world.store().object(PUBLIC_BUCKET, "acme/notes/stable/linux/amd64/notes-1.0.0.deb");
    assert_eq!(object.as_deref(), Some(&b"notes 1.0.0"[..]));
}

fn an_upload_ends_some_time_after_its_urls(host: Driver) {
    // The storage bears a service whose clock is that far ahead.
    let world = World::builder(host)
        .with_variable("maintenance_token", TOKEN)
        .with_variable("presigned_upload_url_ttl", "1m")
        .with_variable("upload_grace", "2m")
        .start();
    let acme = world.admin("acme").with_notes();
    acme.stage(&Release::new("1.0.0"));

    world.advance(61);
    assert_eq!(removed(&world), only(&[]), "its addresses have ended, its grace has not");
    world.advance(100);
    assert_eq!(removed(&world), only(&[]));
    world.advance(20);

    assert_eq!(removed(&world), only(&[("uploads_expired", 1), ("objects_deleted", 1)]));
    assert_eq!(world.store().keys(PRIVATE_BUCKET, ""), Vec::<String>::new());
}

fn leftovers_in_a_stopped_storage_are_removed_later(host: Driver) {
    let world = maintained(host);
    let acme = world.admin("acme").with_notes();
    let release = || Release::empty("1.0.0").file("notes.deb", "deb").file("notes.rpm", "rpm");
    let id = acme.publish(release());

    world.store().stop();
    let _ = acme.delete(&format!("/apps/delete?id={id}")).send().expect(200);
    world.store().start_again();
    assert_eq!(acme.releases(), []);
    assert_eq!(world.store().keys(PUBLIC_BUCKET, "").len(), 2, "nobody could delete them");
    assert_eq!(removed(&world), only(&[]), "the call that deletes them may be under way");
    execute(&world, "UPDATE object_claims SET expires_at = 1");

    assert_eq!(removed(&world), only(&[("objects_deleted", 2)]));
    assert_eq!(world.store().keys(PUBLIC_BUCKET, ""), Vec::<String>::new());
    assert_eq!(rows(&world, "object_claims"), 0);
    acme.publish(release());
    assert_eq!(removed(&world), only(&[]));
    assert_eq!(world.store().keys(PUBLIC_BUCKET, "").len(), 2);
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
}

fn old_telemetry_is_removed(host: Driver) {
    let world = World::builder(host)
        .with_variable("maintenance_token", TOKEN)
        .with_variable("telemetry_retention_days", "10")
        .start();
    world.admin("acme");
    let today = "CAST(strftime('%s', 'now') / 86400 AS INTEGER)";
    for (age, devices) in [(0, 1), (9, 2), (12, 3), (100, 4)] {
        for device in 0..devices {
            let values = format!("{today} - {age}, 'app', {device}, '1', 1, 1");
            execute(
                &world,
                &format!(
                    "INSERT INTO telemetry (day, app_id, device, version, is_latest, requests) VALUES ({values})"
                ),
            );
        }
    }

    assert_eq!(removed(&world), only(&[("telemetry_deleted", 7)]));
    assert_eq!(rows(&world, "telemetry"), 3);
    assert_eq!(removed(&world), only(&[]));
}

fn old_details_are_removed(host: Driver) {
    let world = maintained(host);
    let acme = world.admin("acme");
    let key = reports::create_notes(&acme);
    for n in 0..4 {
        let report = reports::with_details(reports::failure(), &gzip(b"{}"));
        let _ = reports::send(world.client(), &key, &format!("device-{n}"), &report).expect(202);
    }
    let day = 24 * 60 * 60 * 1000;
    for (at, days) in [29, 31, 300].into_iter().enumerate() {
        execute(
            &world,
            &format!(
                "UPDATE report_blobs SET created_at = created_at - {days} * {day} WHERE id = (SELECT id FROM report_blobs ORDER BY id LIMIT 1 OFFSET {at})"
            ),
        );
    }

    assert_eq!(removed(&world), only(&[("blobs_deleted", 2)]));
    assert_eq!(rows(&world, "report_blobs"), 2);
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "").len(), 2);
    assert_eq!(removed(&world), only(&[]));
    let stats = reports::group(&acme)["stats"].clone();
    assert_eq!(
        (&stats["count"], &stats["details_stored"]),
        (&json!(4), &json!(4)),
        "groups stay as they are"
    );
}

fn old_groups_are_removed_with_their_details(host: Driver) {
    // Details outlive groups here.
    let world = World::builder(host)
        .with_variable("maintenance_token", TOKEN)
        .with_variable("reports_blob_retention_days", "3650")
        .start();
    let acme = world.admin("acme");
    let key = reports::create_notes(&acme);
    for (reason, days) in [("fresh", 399), ("old", 401), ("older", 500)] {
        let mut report = reports::with_details(reports::failure(), &gzip(b"{}"));
        report["event"]["reason"] = json!(reason);
        for device in ["device-1", "device-2"] {
            let _ = reports::send(world.client(), &key, device, &report).expect(202);
        }
        let ago = i64::from(days) * 24 * 60 * 60 * 1000;
        execute(
            &world,
            &format!("UPDATE report_groups SET last_seen = last_seen - {ago} WHERE reason = '{reason}'"),
        );
    }
    let mut alive = reports::failure();
    alive["event"]["reason"] = json!("old");

    assert_eq!(removed(&world), only(&[("blobs_deleted", 4)]));

    assert_eq!(reports::group(&acme)["event"]["reason"], "fresh");
    assert_eq!((rows(&world, "report_groups"), rows(&world, "report_blobs")), (1, 2));
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "").len(), 2);
    assert_eq!(removed(&world), only(&[]));
    let _ = reports::send(world.client(), &key, "device-3", &alive).expect(202);
    assert_eq!(rows(&world, "report_groups"), 2, "a new group has started");
}

fn staged_objects_of_nobody_are_removed_after_two_days(host: Driver) {
    let world = maintained(host);
    let acme = world.admin("acme").with_notes();
    acme.stage(&Release::new("1.0.0"));
    let nobody = "pending/0190a0b0-0000-7000-8000-000000000000";
    world.store().write(PRIVATE_BUCKET, &format!("{nobody}/notes.deb"), b"left");
    world.store().begin_in_parts(PRIVATE_BUCKET, &format!("{nobody}/notes.rpm"));
    world.store().write(PRIVATE_BUCKET, "elsewhere/notes.deb", b"stays");
    assert_eq!(removed(&world), only(&[]));
    world.store().age(PRIVATE_BUCKET, TWO_DAYS - 60);
    assert_eq!(removed(&world), only(&[]), "it may be of an upload under way");
    world.store().age(PRIVATE_BUCKET, 60);

    assert_eq!(removed(&world), only(&[("objects_deleted", 2)]));
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "").len(), 2);
    assert_eq!(world.store().open_uploads(PRIVATE_BUCKET), [""; 0]);
}

/// A service with a database of its own and the buckets of another one.
fn beside(host: Driver, world: &World) -> World {
    World::builder(host)
        .with_variable("maintenance_token", TOKEN)
        .with_variable("metrics_token", METRICS_TOKEN)
        .with_variable("s3_api_endpoint", world.store().url())
        .with_variable("s3_public_url", &format!("{}/{PUBLIC_BUCKET}", world.store().url()))
        .start()
}

fn services_that_share_a_bucket_leave_each_others_uploads_alone(host: Driver) {
    let first = maintained(host);
    let second = beside(host, &first);
    let (acme, globex) = (first.admin("acme").with_notes(), second.admin("globex").with_notes());
    let mut foreign = only(&[]);
    foreign["bucket_of_another_database"] = json!(true);
    assert_eq!(removed(&first), only(&[]), "the bucket is its own from now on");
    let of_first = acme.stage(&Release::new("1.0.0").published());
    let of_second = globex.stage(&Release::new("1.0.0").published());

    assert_eq!(removed(&first), only(&[]), "it is young");
    assert_eq!(removed(&second), foreign);
    first.store().age(PRIVATE_BUCKET, TWO_DAYS);
    assert_eq!(removed(&second), foreign, "however old it is");
    let _ = acme.complete(&of_first).expect(200);
    let _ = globex.complete(&of_second).expect(200);

    let told = globex.get("/telemetry/overview").ok()["warnings"].clone();
    assert_eq!(told[0]["kind"], "bucket_of_another_database");
    assert!(told[0]["since_or_until"].is_string(), "{told}");
    assert_eq!(acme.get("/telemetry/overview").ok()["warnings"], json!([]));
    let metrics = second.client().with_token(METRICS_TOKEN).get("/metrics").send().expect(200).text();
    assert!(metrics.contains("\nspindrift_bucket_of_another_database 1\n"), "{metrics}");
}

fn a_bucket_is_taken_over_without_its_marker(host: Driver) {
    let first = maintained(host);
    let second = beside(host, &first);
    let globex = second.admin("globex").with_notes();
    first.admin("acme");
    assert_eq!(removed(&first), only(&[]));
    first.store().write(PRIVATE_BUCKET, "pending/0190a0b0-0000-7000-8000-000000000000/notes.deb", b"left");
    first.store().age(PRIVATE_BUCKET, TWO_DAYS);
    assert_eq!(removed(&second)["bucket_of_another_database"], true);

    first.store().remove(PRIVATE_BUCKET, BUCKET_MARKER);

    assert_eq!(removed(&second), only(&[]), "another service may take it at the same time");
    assert_eq!(removed(&second), only(&[("objects_deleted", 1)]));
    assert_eq!(globex.get("/telemetry/overview").ok()["warnings"], json!([]));
    assert_eq!(removed(&first)["bucket_of_another_database"], true);
}

fn an_address_that_was_used_too_late_leaves_nothing(host: Driver) {
    let world = maintained(host);
    let acme = world.admin("acme").with_notes();
    let upload = acme.stage(&Release::new("1.0.0").published());
    let done = acme.complete(&upload).expect(200).json();
    upload.send_all();
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "pending/").len(), 1);

    assert_eq!(removed(&world), only(&[("objects_deleted", 1)]));
    assert_eq!(world.store().keys(PRIVATE_BUCKET, ""), [""; 0]);
    assert_eq!(acme.complete(&upload).expect(200).json(), done);
}

fn uploads_through_the_service_that_died_are_removed(host: Driver) {
    let world = maintained(host);
    world.admin("acme");
    let (dead, alive) = ("0190a0b0-0000-7000-8000-000000000001", "0190a0b0-0000-7000-8000-000000000002");
    let later = "(strftime('%s', 'now') + 3600) * 1000";
    execute(&world, &format!("INSERT INTO incoming_uploads VALUES ('{dead}', 1), ('{alive}', {later})"));
    for upload in [dead, alive] {
        world.store().write(PRIVATE_BUCKET, &format!("pending/{upload}/a.deb"), b"staged");
        world.store().begin_in_parts(PRIVATE_BUCKET, &format!("pending/{upload}/b.deb"));
    }
    world.store().begin_in_parts(PRIVATE_BUCKET, "elsewhere/b.deb");

    assert_eq!(removed(&world), only(&[("uploads_expired", 1), ("objects_deleted", 2)]));
    assert_eq!(world.store().keys(PRIVATE_BUCKET, ""), [format!("pending/{alive}/a.deb")]);
    let open = world.store().open_uploads(PRIVATE_BUCKET);
    assert_eq!(open, ["elsewhere/b.deb".to_owned(), format!("pending/{alive}/b.deb")]);
    assert_eq!(removed(&world), only(&[]));
}

fn a_grace_that_cannot_be_used_is_named(host: Driver) {
    for grace in ["1d", "31", "721h"] {
        let world = World::builder(host)
            .with_variable("maintenance_token", TOKEN)
            .with_variable("upload_grace", grace)
            .start();
        let answer = run(&world);
        if grace == "31" {
            assert_eq!(answer.status, 200, "seconds");
        } else {
            let text = "the setting upload_grace must be at most 30 days, like 24h";
            assert_eq!(answer.refusal(), (503, text.to_owned()), "{grace}");
        }
    }
}

/// Holds the lease of a run until so many seconds from now.
fn hold_lease(world: &World, seconds: i64) {
    let sql = "INSERT OR REPLACE INTO leases (name, holder, expires_at) \
               VALUES ('maintenance', 'another', (strftime('%s', 'now') + ?1) * 1000)";
    world.database().execute(sql, [seconds]).unwrap();
}

fn two_runs_are_never_under_way(host: Driver) {
    let world = maintained(host);
    let acme = world.admin("acme").with_notes();
    acme.stage(&Release::new("1.0.0"));
    execute(&world, "UPDATE upload_sessions SET expires_at = 1");
    hold_lease(&world, 300);

    assert_eq!(run(&world).refusal(), (409, "maintenance is under way".to_owned()));
    assert_eq!(rows(&world, "upload_sessions"), 1);
    execute(&world, "DELETE FROM leases");

    assert_eq!(removed(&world)["uploads_expired"], 1);
    assert_eq!(
        world.number("SELECT count(*) FROM leases WHERE expires_at > 0"),
        Ok(0),
        "a run gives the lease back"
    );
    assert_eq!(removed(&world), only(&[]));
}

fn admins_leave_the_next_run_to_an_operator_who_waits(host: Driver) {
    let world = maintained(host);
    let acme = world.admin("acme");
    let admins_run = || acme.post("/maintenance/run").send();
    hold_lease(&world, 300);
    let _ = admins_run().expect(409);
    hold_lease(&world, -1);
    let _ = admins_run().expect(200);

    hold_lease(&world, 300);
    let _ = run(&world).expect(409);
    hold_lease(&world, -1);
    let _ = admins_run().expect(409);
    let _ = run(&world).expect(200);
    let _ = admins_run().expect(200);
}

fn a_release_that_cannot_be_settled_does_not_keep_the_others_waiting(host: Driver) {
    let world = maintained(host);
    let acme = world.admin("acme").with_notes();
    for version in ["1.0.0", "2.0.0"] {
        let id = acme.upload(&Release::new(version));
        let plan = json!([{ "percent": 5, "for": "1h" }, { "percent": 100 }]);
        let order = json!({ "publish": true, "plan": plan });
        let _ = acme.post_json(&format!("/releases/{id}/offer"), order).send().expect(200);
    }
    // It has been due for longer.
    execute(
        &world,
        "UPDATE releases SET rollout_plan = 'no JSON', next_at = next_at - 1000 WHERE version = '1.0.0'",
    );
    world.advance(3601);

    assert!(run(&world).status >= 500);

    let part = |version: &str| {
        world.number(&format!("SELECT rollout_bp FROM releases WHERE version = '{version}'")).unwrap()
    };
    assert_eq!((part("1.0.0"), part("2.0.0")), (500, 10_000));
}

fn a_failure_of_one_kind_of_records_does_not_keep_the_others(host: Driver) {
    let world = maintained(host);
    let app = world.admin("acme").with_notes().app_id("notes");
    execute(
        &world,
        &format!(
            "INSERT INTO telemetry_downloads (day, app_id, version, way, downloads) \
             VALUES (1, '{app}', '1.0', 'patch', 1)"
        ),
    );
    // Telemetry of a past day, which cannot be folded.
    execute(
        &world,
        &format!(
            "INSERT INTO telemetry (day, app_id, device, version, channel, platform, arch, is_latest, requests) \
             SELECT max(created_at) / 86400000 - 3, '{app}', 1, '1.0', '', '', '', 1, 1 FROM apps"
        ),
    );
    execute(&world, "ALTER TABLE telemetry_days RENAME COLUMN devices TO renamed");

    assert!(run(&world).status >= 500);

    assert_eq!(rows(&world, "telemetry_downloads"), 0);
}

fn a_run_that_died_is_followed_by_another(host: Driver) {
    let world = maintained(host);
    world.admin("acme");
    hold_lease(&world, -1);

    assert_eq!(removed(&world), only(&[]));
}

fn a_stopped_storage_is_an_error_and_the_next_run_goes_on(host: Driver) {
    let world = maintained(host);
    let acme = world.admin("acme").with_notes();
    let upload = acme.stage(&Release::new("1.0.0"));
    execute(&world, "UPDATE upload_sessions SET expires_at = 1");
    world.store().stop();

    assert_eq!(run(&world).status, 502);
    assert!(acme.complete(&upload).status >= 400);
    world.store().start_again();

    assert_eq!(removed(&world), only(&[("uploads_expired", 1), ("objects_deleted", 1)]));
    acme.publish(Release::new("1.0.0"));
}

fn a_run_goes_on_after_an_object_that_it_cannot_delete(host: Driver) {
    let world = World::builder(host).with_variable("maintenance_token", TOKEN).with_gate().start();
    let acme = world.admin("acme").with_notes();
    let release = |version: &str| Release::empty(version).file("notes.deb", "deb").file("notes.rpm", "rpm");
    let (stuck, _other) = (acme.stage(&release("1.0.0")), acme.stage(&release("2.0.0")));
    let staged = |upload: &Upload| upload.files.iter().map(UploadFile::staging_key).collect::<Vec<_>>();
    let kept = staged(&stuck)[0].clone();
    execute(&world, "UPDATE upload_sessions SET expires_at = 1");
    let key = "acme/notes/stable/linux/amd64/notes-9.0.0.deb";
    world.store().write(PUBLIC_BUCKET, key, b"x");
    let claim = "INSERT INTO object_claims (bucket, storage_key, holder, expires_at) VALUES ('public', ?1, 'upload:x', 1)";
    world.database().execute(claim, [key]).unwrap();
    world.gate().watch(&format!("/{PRIVATE_BUCKET}/{kept}"));
    world.gate().refuse(true);

    let answer = run(&world);
    assert_eq!((answer.status, answer.code()), (502, "storage_failed".to_owned()), "{}", answer.text());
    assert_eq!(world.store().keys(PRIVATE_BUCKET, ""), [kept]);
    assert_eq!(world.store().keys(PUBLIC_BUCKET, ""), [""; 0]);
    assert_eq!((rows(&world, "upload_sessions"), rows(&world, "object_claims")), (1, 0));

    world.gate().refuse(false);
    assert_eq!(removed(&world), only(&[("uploads_expired", 1), ("objects_deleted", 1)]));
    assert_eq!(world.store().keys(PRIVATE_BUCKET, ""), [""; 0]);
}

/// The numbers of keys that so many hours of reports leave in the key-value store, before and after a run.
fn counters_of(host: Driver, hours: i64) -> (usize, usize) {
    let world = maintained(host);
    let now = now();
    // Ends when the storage's clock says so too.
    world.platform().set_time(now.plus_seconds(-hours * 3600));
    let acme = world.admin("acme");
    let key = reports::create_notes(&acme);
    for n in 0..hours * 4 {
        let _ = reports::send(world.client(), &key, &format!("device-{n}"), &reports::failure()).expect(202);
        world.advance(15 * 60);
    }
    let before = world.platform().stored_keys().len();
    let deleted = removed(&world)["counters_deleted"].as_u64().unwrap();
    assert!(deleted > (hours.cast_unsigned() - 2) * 4 * 3, "each report opened three windows: {deleted}");
    assert_eq!(removed(&world), only(&[]), "it is safe to repeat");
    (before, world.platform().stored_keys().len())
}

fn counters_do_not_pile_up(host: Driver) {
    let (few, rest) = counters_of(host, 4);
    let (many, rest_of_many) = counters_of(host, 24);

    assert!(many > few + 200, "{few} and {many} before the runs");
    assert!(rest < 40 && rest_of_many <= rest + 4, "{rest} and {rest_of_many} after them");
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp::from_millis(since.as_millis().try_into().unwrap())
}

/// It is asked for by https and answers something else.
fn a_storage_without_tls_is_a_502(host: Driver) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let world = World::builder(host).with_variable("s3_api_endpoint", &format!("https://{address}")).start();
    let admin = world.admin("acme");

    let answer = admin.post("/maintenance/run").send();

    assert_eq!(answer.refusal(), (502, "the object storage failed".to_owned()));
}
