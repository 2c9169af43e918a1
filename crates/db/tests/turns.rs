//! A write outside a transaction waits for the write lock for as long as other connections write. The
//! connections of calls that have begun a transaction wait only half a second for each statement, which is
//! not long enough on a busy service.

#![expect(clippy::unwrap_used, reason = "whatever fails here fails the test that uses it")]

use std::cell::Cell;

use spindrift_core::{
    AdmittedGroups, BasisPoints, Day, Id, SessionRelease, SessionState, Starter, StoredObject, Target,
    Timestamp, Updater, UploadSession, Visibility,
};
use spindrift_db::claims::Holder;
use spindrift_db::downloads;
use spindrift_db::repository_upkeep::FormerFile;
use spindrift_db::{
    SqlConn, SqlError, SqlRows, SqlValue, claims, incoming_uploads, listings, report_groups, repositories,
    repository_upkeep, telemetry, telemetry_fold, uploads,
};

/// More attempts than are made if no other connection writes, and fewer than if others do.
const REFUSALS: i64 = 6;

/// A database that others write to: it refuses the first attempts to write.
#[derive(Default)]
struct Contended {
    refusals: Cell<i64>,
}

impl SqlConn for Contended {
    fn run(&self, sql: &str, _: &[SqlValue]) -> Result<SqlRows, SqlError> {
        let refusals = self.refusals.get();
        if sql == "PRAGMA data_version" {
            return Ok(SqlRows { columns: vec!["data_version".into()], values: vec![vec![refusals.into()]] });
        }
        let writes = ["INSERT", "UPDATE", "DELETE"].iter().any(|verb| sql.starts_with(verb));
        if writes && refusals < REFUSALS {
            self.refusals.set(refusals + 1);
            return Err(SqlError::Busy);
        }
        Ok(SqlRows::default())
    }
}

type Write = fn(&Contended) -> Result<(), SqlError>;

const NOW: Timestamp = Timestamp::from_millis(0);

fn id() -> Id {
    Id::from_text("id")
}

fn upload() -> UploadSession {
    UploadSession {
        id: id(),
        owner_id: id(),
        owner: "acme".parse().unwrap(),
        app_id: id(),
        started_by: Starter::User(id()),
        target: Target { channel_id: None, platform_id: None, arch_id: None },
        release: SessionRelease {
            version: "1.0.0".parse().unwrap(),
            updater: Updater::Manual,
            publish: true,
            publish_at: None,
            critical: false,
            intermediate: false,
            rollout: BasisPoints::ALL,
            plan: None,
            guard: None,
            groups: AdmittedGroups::default(),
            cures: spindrift_core::CuredVersions::default(),
            requires: None,
            patches: spindrift_core::Patches::default(),
            packages: spindrift_core::Packages::default(),
            changelog: String::new(),
            signature: None,
            created_at: None,
        },
        files: Vec::new(),
        state: SessionState::Staged,
        expires_at: NOW,
        verified: std::collections::BTreeMap::new(),
    }
}

const WRITES: [(&str, Write); 18] = [
    ("folded counts of old days", |conn| telemetry_fold::delete_before(conn, Day::of(NOW), 1).map(drop)),
    ("counts of old days", |conn| telemetry::delete_before(conn, Day::of(NOW), 1).map(drop)),
    ("downloads of old days", |conn| downloads::delete_before(conn, Day::of(NOW), 1).map(drop)),
    ("old groups", |conn| report_groups::delete_before(conn, NOW, 1)),
    ("uploads that end", |conn| uploads::expire(conn, NOW, NOW, 1).map(drop)),
    ("uploads that have ended", |conn| uploads::delete_expired(conn, &id())),
    ("finished uploads", |conn| uploads::delete_finished(conn, NOW)),
    ("uploads through the service", |conn| incoming_uploads::expire(conn, NOW, 1).map(drop)),
    ("a claim", |conn| {
        let object = StoredObject { bucket: Visibility::Private, key: "key".into() };
        claims::take(conn, &object, &Holder::deletion(&id()), NOW, NOW).map(drop)
    }),
    ("a comparison", |conn| repository_upkeep::set_checked(conn, &id(), NOW)),
    ("a former file", |conn| {
        let file = FormerFile {
            app_id: id(),
            repository: "acme/notes".into(),
            visibility: Visibility::Public,
            role: "snapshot".into(),
            version: 1,
        };
        repository_upkeep::delete_replaced(conn, &file)
    }),
    ("targets that are in sync", |conn| repositories::set_synced_changes(conn, &id(), 1)),
    ("metadata that is written", |conn| repositories::set_written(conn, &id(), 1).map(drop)),
    ("a refresh that failed", |conn| repositories::set_refresh_failed(conn, &id(), NOW)),
    ("the next refresh", |conn| repositories::set_due(conn, &id(), None)),
    ("what is listed", |conn| listings::set_applied_revision(conn, &id(), 1).map(drop)),
    ("digests", |conn| {
        let (sha256, sha512) = ("0".repeat(64).parse().unwrap(), "0".repeat(128).parse().unwrap());
        listings::set_digests(conn, &id(), &sha256, &sha512)
    }),
    ("an upload that begins", |conn| uploads::insert(conn, &upload())),
];

#[test]
fn writes_wait_for_their_turn() {
    for (what, write) in WRITES {
        let conn = Contended::default();
        assert_eq!(write(&conn), Ok(()), "{what}");
        assert_eq!(conn.refusals.get(), REFUSALS, "{what} is written");
    }
}
