//! Releases that change with time: steps of rollouts begin, and scheduled releases are published.
//!
//! Update checks need none of this: they follow the time. It writes the percentage for statements, lets the
//! CDN bucket follow, and adds the step to the audit log.

use serde_json::json;
use spindrift_core::audit::{AuditKind, AuditOrigin};
use spindrift_core::{BasisPoints, Release, Timestamp};
use spindrift_db::changes::{self as db, Change, Subject};
use spindrift_db::releases::{self, DueRelease};
use spindrift_db::{Audit, SqlConn};
use spindrift_service::{Failure, Ports, audit_entries, changes, log};

/// Maximum number of releases in one run; the next run continues.
const BATCH: u32 = 1_000;

/// Failed releases do not stop the others; the first failure is returned.
pub(crate) fn apply_due_changes<P: Ports>(ports: &P, conn: &P::Conn) -> Result<(), Failure> {
    let (now, mut failed, mut first) = (ports.now(), 0, Ok(()));
    // Releases that failed are still due, and stay in front.
    let mut due = releases::due(conn, now, failed, BATCH)?;
    let mut applied = 0;
    while !due.is_empty() && applied < BATCH {
        for release in due {
            match release.map_err(Failure::from).and_then(|release| apply_one(ports, conn, release, now)) {
                Ok(()) => applied += 1,
                Err(failure) => {
                    log::warn("the due changes of a release were not applied", &failure);
                    failed += 1;
                    first = first.and(Err(failure));
                }
            }
        }
        due = releases::due(conn, now, failed, BATCH)?;
    }
    first
}

fn apply_one<P: Ports>(ports: &P, conn: &P::Conn, due: DueRelease, now: Timestamp) -> Result<(), Failure> {
    let DueRelease { owner_id, owner, release } = due;
    let subject = Subject::Release(&release.app_id, &release.version);
    let committed = db::commit(conn, &owner_id, subject, now, |conn| {
        let present = releases::present(conn, &owner_id, &release)?;
        // The release may have been changed or deleted in the meantime.
        match present.filter(|present| present.revision == release.revision) {
            Some(present) => Ok::<_, Failure>(((), write(conn, present, now)?)),
            None => Ok(((), Audit::Consequence)),
        }
    })?;
    log::change(committed.added.as_ref());
    changes::forget(ports, &owner, &committed.stale);
    Ok(())
}

fn write(conn: &Change<'_, impl SqlConn>, release: Release, now: Timestamp) -> Result<Audit, Failure> {
    let is_step = release.flags.published;
    // The row holds the part that the previous step had reached.
    let before = release.rollout.recorded_basis_points();
    let fields = |release: &Release, part: BasisPoints| {
        let publish_at = release.publish_at.map(Timestamp::to_rfc3339);
        json!({ "published": release.flags.published, "publish_at": publish_at, "rollout": part.to_json() })
    };
    let before = fields(&release, before);
    let new = release.with_due_changes(now);
    releases::update(conn, &new, now)?;
    let kind = if is_step { AuditKind::RolloutStep } else { AuditKind::ReleasePublish };
    let entry = audit_entries::of_release(conn, AuditOrigin::clock().entry(kind), &new)?;
    Ok(entry.changing(before, fields(&new, new.rollout.basis_points(now))).into())
}
