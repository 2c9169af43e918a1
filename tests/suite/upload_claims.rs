//! An upload whose copies take longer than its claims on the keys does not overwrite files of another upload.

use std::thread;

use spindrift_tests::{Account, Driver, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, World, on_hosts};

on_hosts! {
    every: [
        a_copy_that_begins_late_writes_nothing,
        claims_are_renewed_before_each_copy,
    ],
}

/// How many files the service copies at the same time.
const AT_ONCE: usize = 8;
/// The file whose copy begins when one of the others has ended.
const LAST: &str = "notes.zip";
/// The longest time that a copy takes.
const LONGEST_COPY_MILLIS: i64 = 20 * 60 * 1000;
const LAST_KEY: &str = "acme/notes/stable/linux/amd64/notes-1.0.0.zip";
fn gated(host: Driver) -> (World, Account) {
    let world = World::builder(host).with_gate().start();
    let acme = world.admin("acme").with_notes();
    (world, acme)
}

/// As many files as are copied at once, and one more.
fn many(last: &str) -> Release {
    let others = ["deb", "rpm", "msi", "dmg", "exe", "pkg", "apk", "appimage"];
    assert_eq!(others.len(), AT_ONCE);
    let files = others.iter().fold(Release::empty("1.0.0"), |release, extension| {
        release.file(&format!("notes.{extension}"), *extension)
    });
    files.file(LAST, last)
}

fn last_object(world: &World) -> String {
    let object = world.store().object(PUBLIC_BUCKET, LAST_KEY).unwrap_or_default();
    String::from_utf8(object).unwrap()
}

/// Lets all claims expire.
fn end_claims(world: &World) {
    assert!(world.database().execute("UPDATE object_claims SET expires_at = 1", []).unwrap() > 0);
}

fn a_copy_that_begins_late_writes_nothing(host: Driver) {
    let (world, acme) = gated(host);
    let slow = acme.stage(&many("of the slow one"));
    let quick = acme.stage(&Release::empty("1.0.0").file(LAST, "of the quick one"));
    world.gate().hold_copies();
    let answer = thread::scope(|scope| {
        let slow = scope.spawn(|| acme.complete(&slow));
        world.gate().hold_no_more_after(AT_ONCE);
        end_claims(&world);
        let _ = acme.complete(&quick).expect(200);
        world.gate().release();
        slow.join().unwrap()
    });
    assert_eq!(answer.refusal(), (409, "a file of the upload is in use by another call".to_owned()));
    assert_eq!(answer.code(), "busy");
    assert_eq!(last_object(&world), "of the quick one", "a recorded object never changes");
    assert_eq!(acme.release("1.0.0").artifacts.len(), 1);
}

/// The last copy fails, so that the claims stay.
fn claims_are_renewed_before_each_copy(host: Driver) {
    let (world, acme) = gated(host);
    let upload = acme.stage(&many("x"));
    world.gate().hold_copies();
    let answer = thread::scope(|scope| {
        let completing = scope.spawn(|| acme.complete(&upload));
        world.gate().hold_no_more_after(AT_ONCE);
        end_claims(&world);
        world.store().remove(PRIVATE_BUCKET, &upload.files[AT_ONCE].staging_key());
        world.gate().release();
        completing.join().unwrap()
    });
    assert_eq!(answer.status, 422, "{}", answer.text());
    let left = "SELECT min(expires_at), count(*) FROM object_claims";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (end, count): (i64, usize) = world.database().query_row(left, [], row).unwrap();
    assert_eq!(count, AT_ONCE + 1);
    let now = jiff::Timestamp::now().as_millisecond();
    assert!(end > now + LONGEST_COPY_MILLIS, "a copy that begins now could outlast the claims");
    upload.send_all();
    let _ = acme.complete(&upload).expect(200);
    assert_eq!(last_object(&world), "x");
}
