//! A repository that the service serves, although it did not sign it.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use rusqlite::params;

use super::place::Place;
use super::repository::TestRepository;
use super::role::TestTarget;
use crate::world::World;

/// Milliseconds of a time long ago, for columns that nobody reads.
const LONG_AGO: i64 = 1;

/// Writes the repository of the application into the service's database, as if it had been accepted: the
/// newest is current, and artifacts are marked by its lists. Artifacts that were recorded before, and are
/// in no list, stay as they were.
pub fn serve(world: &World, app_id: &str, repository: &TestRepository) -> Place {
    let change = world.database();
    change.execute_batch("BEGIN IMMEDIATE").expect("a transaction");
    let name = percent_decode_str(&repository.path).decode_utf8().expect("a name");
    let _rows = change
        .execute(
            "INSERT INTO repositories (app_id, name, revision, written_revision, applied_revision, online_generation, \
              targets_generation, keep, root_days, targets_days, snapshot_days, timestamp_days, created_at) \
             VALUES (?1, ?2, 1, 1, 1, 1, 1, 5, 730, 365, 30, 7, ?3) \
             ON CONFLICT (app_id) DO UPDATE SET revision = revision + 1, written_revision = revision + 1, \
              applied_revision = revision + 1",
            params![app_id, name, LONG_AGO],
        )
        .expect("a repository");
    let _rows = change.execute("UPDATE repository_metadata SET is_current = 0 WHERE app_id = ?1", [app_id]);
    for (file, bytes) in &repository.metadata {
        let (role, version) = role_and_version(repository, file);
        let is_current = version == repository.version(&role);
        let _rows = change
            .execute(
                "INSERT INTO repository_metadata (app_id, role, version, is_current, revision, event_id, expires_at, \
                  content, created_at) VALUES (?1, ?2, ?3, ?4, 1, '', ?6, ?5, ?6) ON CONFLICT DO UPDATE \
                  SET is_current = excluded.is_current, content = excluded.content",
                params![
                    app_id,
                    role,
                    version,
                    is_current,
                    std::str::from_utf8(bytes).expect("text"),
                    LONG_AGO
                ],
            )
            .expect("a file");
    }
    let listed: BTreeSet<_> = repository.listed().map(TestTarget::key).collect();
    let listed = serde_json::to_string(&listed).expect("JSON");
    let _rows = change
        .execute(
            "UPDATE artifacts SET listing = CASE WHEN storage_key IN (SELECT value FROM json_each(?2)) \
              THEN 'listed' WHEN listing = 'legacy' THEN 'legacy' ELSE 'unlisted' END WHERE app_id = ?1",
            params![app_id, listed],
        )
        .expect("marks");
    change.execute_batch("COMMIT").expect("a change");
    Place::of_service(&world.url(), &repository.path)
}

fn role_and_version(repository: &TestRepository, file: &str) -> (String, u64) {
    let stem = file.strip_suffix(".json").expect("a file of metadata");
    match stem.split_once('.') {
        Some((version, role)) => (role.to_owned(), version.parse().expect("a number")),
        None => (stem.to_owned(), repository.version(stem)),
    }
}
