//! Stores the findings of a run, and stops releases.

use spindrift_api::GuardActedBody;
use spindrift_core::audit::{AuditKind, AuditOrigin, GUARD_REASON};
use spindrift_core::health::{ReleaseHealth, Verdict};
use spindrift_core::{GuardAction, Hold, Release, RolloutAction, RolloutRefused, RolloutState, Timestamp};
use spindrift_db::changes::{self as db, Change, Subject};
use spindrift_db::health;
use spindrift_db::under_way::ReleaseUnderWay;
use spindrift_db::{Audit, SqlConn, releases};
use spindrift_service::{Failure, Ports, audit_entries, changes, log};
use spindrift_web::{ApiError, ErrorCode};

use super::run::GuardRun;

impl<P: Ports> GuardRun<'_, P> {
    /// Stores the findings about a release, and stops the release if its guard demands it.
    pub(super) async fn act(
        &self,
        found: &ReleaseUnderWay,
        health: &ReleaseHealth,
    ) -> Result<Option<GuardActedBody>, Failure> {
        let now = self.ports.now();
        if health.verdict != Verdict::Unhealthy {
            health::save(self.conn, &found.release, health)?;
            return Ok(None);
        }
        if let Some(action) = action(&found.release.clone().as_of(now), now) {
            return self.stop(found, health, action).await;
        }
        if found.is_unhealthy() {
            health::save(self.conn, &found.release, health)?;
        } else {
            self.record_unhealthy(found, health)?;
        }
        Ok(None)
    }

    /// Stops a release, unless it has been changed since it was read.
    async fn stop(
        &self,
        found: &ReleaseUnderWay,
        health: &ReleaseHealth,
        action: GuardAction,
    ) -> Result<Option<GuardActedBody>, Failure> {
        let (conn, origin, release, now) = (self.conn, &self.caller.origin, &found.release, self.ports.now());
        let subject = Subject::Release(&release.app_id, &release.version);
        let committed = db::commit(conn, &found.owner_id, subject, now, |conn| {
            let present = releases::present(conn, &found.owner_id, release)?;
            match present.filter(|present| present.revision == release.revision) {
                Some(present) => Ok::<_, Failure>((true, write(conn, origin, present, health, action, now)?)),
                None => Ok((false, Audit::Consequence)),
            }
        })?;
        log::change(committed.added.as_ref());
        changes::refresh(self.ports, conn, &found.owner, &committed.stale).await?;
        Ok(committed.value.then(|| GuardActedBody {
            id: release.id.clone(),
            app: found.app.to_string(),
            channel: found.channel.as_ref().map(ToString::to_string).unwrap_or_default(),
            version: release.version.to_string(),
            action: action.into(),
            why: health.why.clone(),
        }))
    }

    /// Records in the audit log that a release has turned out to be unhealthy.
    fn record_unhealthy(&self, found: &ReleaseUnderWay, health: &ReleaseHealth) -> Result<(), Failure> {
        changes::edit(self.ports, self.conn, &found.owner_id, |conn| {
            health::save_in_change(conn, &found.release, health)?;
            let entry = self.caller.origin.entry(AuditKind::HealthUnhealthy);
            let entry = audit_entries::of_release(conn, entry, &found.release)?;
            Ok::<_, Failure>(((), entry.with_reason(Some(health.why.clone())).into()))
        })
    }
}

/// The action of the guard of an unhealthy release. `None`: it takes none, or as much has been done already.
fn action(release: &Release, now: Timestamp) -> Option<GuardAction> {
    let guard = release.guard?;
    let stops = match guard.on_unhealthy {
        GuardAction::Pause => release.rollout.state(now) == RolloutState::Running,
        GuardAction::Halt => release.rollout.hold != Hold::Halted,
    };
    (stops && release.flags.published).then_some(guard.on_unhealthy)
}

fn write(
    conn: &Change<'_, impl SqlConn>,
    origin: &AuditOrigin,
    release: Release,
    health: &ReleaseHealth,
    action: GuardAction,
    now: Timestamp,
) -> Result<Audit, Failure> {
    let (order, kind) = match action {
        GuardAction::Pause => (RolloutAction::Pause, AuditKind::RolloutPause),
        GuardAction::Halt => (RolloutAction::Halt, AuditKind::RolloutHalt),
    };
    let old = release.as_of(now);
    let new = old.clone().apply_action(order, now).map_err(refused)?;
    releases::update(conn, &new, now)?;
    health::save_in_change(conn, &new, health)?;
    let entry = audit_entries::of_release(conn, origin.entry(kind), &new)?;
    let entry =
        entry.changing(audit_entries::offer_fields(&old, now), audit_entries::offer_fields(&new, now));
    Ok(entry.with_reason(Some(format!("{GUARD_REASON} {}", health.why))).into())
}

fn refused(refused: RolloutRefused) -> ApiError {
    ApiError::conflict(ErrorCode::WrongState, refused.to_string())
}
