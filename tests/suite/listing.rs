//! Nothing unlisted is offered: where an application has signed metadata, clients are answered only with files that it
//! lists, or that were recorded before it began.

mod answers;
mod applications;
mod feeds;

use serde_json::json;
use spindrift_tests::{Account, Release, World};

/// Gives the owner's `notes` a repository that lists nothing yet, as the database has it.
pub(crate) fn begin(world: &World, acme: &Account) {
    let database = world.database();
    let app = acme.app_id("notes");
    database
        .execute(
            "INSERT INTO repositories (app_id, name, revision, written_revision, marked_revision, online_generation, \
              targets_generation, keep, root_days, targets_days, snapshot_days, timestamp_days, created_at) \
             VALUES (?1, 'acme/notes', 1, 1, 1, 1, 1, 5, 730, 365, 30, 7, 0)",
            [&app],
        )
        .unwrap();
    database
        .execute(
            "INSERT INTO repository_metadata (app_id, role, version, is_current, revision, event_id, expires_at, \
              content, created_at) VALUES (?1, 'root', 1, 1, 1, '', 0, '', 0)",
            [&app],
        )
        .unwrap();
}

/// The listings of the artifacts of a version, by file name.
pub(crate) fn listings(world: &World, version: &str) -> Vec<(String, String)> {
    let database = world.database();
    let mut query = database
        .prepare(
            "SELECT x.file_name, x.listing FROM artifacts x JOIN releases r ON r.id = x.release_id \
             WHERE r.version = ?1 ORDER BY x.file_name",
        )
        .unwrap();
    let rows = query.query_map([version], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// Marks the files of a version whose names end like this, and changes nothing else.
pub(crate) fn mark(world: &World, acme: &Account, version: &str, (ending, listing): (&str, &str)) {
    let changed = world
        .database()
        .execute(
            "UPDATE artifacts SET listing = ?3 WHERE release_id = (SELECT id FROM releases WHERE version = ?1) \
              AND file_name LIKE '%' || ?2",
            [version, ending, listing],
        )
        .unwrap();
    assert_ne!(changed, 0, "no file of {version} ends with {ending}");
    let release = acme.release(version).id.to_string();
    let _ = acme.edit(&release, json!({ "publish": true })).expect(200);
}

/// `notes` with the release 1.0.0, which is older than the repository, and with 1.1.0, which is not listed.
pub(crate) fn acme(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.publish(two_files("1.0.0"));
    begin(world, &acme);
    acme.publish(two_files("1.1.0").critical().with("changelog", "Safer"));
    acme
}

/// A release with a file for each of two packages.
pub(crate) fn two_files(version: &str) -> Release {
    Release::empty(version)
        .file("notes.deb", format!("deb {version}"))
        .file("notes.rpm", format!("rpm {version}"))
}
