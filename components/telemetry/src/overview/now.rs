//! The current state: rollouts, failing releases, and the latest changes.

use spindrift_api::{NextStepBody, OverviewNow, OverviewRelease, Percentage, VerdictName};
use spindrift_core::{Id, RolloutState, Timestamp};
use spindrift_db::audit::{self, AuditFilter, AuditOrder};
use spindrift_db::under_way::{AppSelection, ReleaseUnderWay, UnderWayKind, UnderWayList, UnderWayOrder};
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports, audit_entries};

/// Maximum number of entries of each list.
const MAX_ENTRIES: u32 = 20;
/// Maximum number of releases that are searched for them.
const MAX_RELEASES: usize = 1000;

/// The releases of these applications that are under way, newest first: those that are not for everybody, those
/// that are unhealthy, and those with a guard. `None`: all that the caller sees.
pub(super) fn under_way(
    session: &Session<'_, impl Ports>,
    apps: Option<&[Id]>,
) -> Result<Vec<ReleaseUnderWay>, Failure> {
    let now = session.now;
    let visible = session.principal.actor.visible_apps();
    let selection = Some(AppSelection { owner: session.owner_id(), apps: apps.or(visible.as_deref()) });
    let list = UnderWayList { selection, order: UnderWayOrder::Newest, kind: UnderWayKind::Notable, now };
    let is_wanted = |found: &ReleaseUnderWay| {
        let is_complete = || found.release.clone().as_of(now).rollout.state(now) == RolloutState::Complete;
        found.release.guard.is_some() || found.is_unhealthy() || !is_complete()
    };
    Ok(list.first(&session.conn, MAX_RELEASES, is_wanted)?)
}

/// The answer.
pub(super) fn body(
    session: &Session<'_, impl Ports>,
    under_way: &[ReleaseUnderWay],
) -> Result<OverviewNow, Failure> {
    let newest = |is_shown: fn(&OverviewRelease) -> bool| {
        let shown = under_way.iter().map(|found| release(found, session.now)).filter(is_shown);
        shown.take(MAX_ENTRIES as usize).collect()
    };
    let filter = AuditFilter { apps: session.principal.actor.visible_apps(), ..AuditFilter::default() };
    let rows =
        audit::page(&session.conn, session.owner_id(), &filter, AuditOrder::NewestFirst(None), MAX_ENTRIES)?;
    Ok(OverviewNow {
        rollouts: newest(|release| release.state != RolloutState::Complete.as_str()),
        failing: newest(|release| release.verdict == Some(VerdictName::Unhealthy)),
        activity: rows.iter().map(audit_entries::item).collect::<Result<_, _>>()?,
    })
}

fn release(found: &ReleaseUnderWay, now: Timestamp) -> OverviewRelease {
    let release = found.release.clone().as_of(now);
    let health = found.present_health();
    OverviewRelease {
        id: release.id,
        app: found.app.to_string(),
        channel: found.channel.as_ref().map(ToString::to_string).unwrap_or_default(),
        version: release.version.to_string(),
        state: release.rollout.state(now).as_str().to_owned(),
        percent: Percentage(release.rollout.basis_points(now)),
        next: release.rollout.next(now).map(NextStepBody::from),
        verdict: health.map(|health| health.verdict_at(now).into()),
        why: health.map(|health| health.why.clone()),
    }
}
