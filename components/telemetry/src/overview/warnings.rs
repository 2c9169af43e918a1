//! The warnings of the overview.

use spindrift_api::{OverviewWarning, shut_off_clients};
use spindrift_core::health::Verdict;
use spindrift_core::{
    App, Id, RolloutState, Timestamp, UNSEEN_DAYS, are_devices_missed, ends_soon, is_maintenance_overdue,
};
use spindrift_db::maintenance::LastRun;
use spindrift_db::overview;
use spindrift_db::shutoffs::{self, Shutoff};
use spindrift_db::under_way::ReleaseUnderWay;
use spindrift_db::webhooks::{self, Webhook};
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports, telemetry};

use super::figures::Figures;

/// Maximum number of warnings in an answer, to keep it readable.
const MAX_WARNINGS: usize = 100;

/// The warnings about all these applications, the most urgent first.
pub(super) fn find(
    session: &Session<'_, impl Ports>,
    apps: &[App],
    figures: &Figures,
    under_way: &[ReleaseUnderWay],
) -> Result<Vec<OverviewWarning>, Failure> {
    let (conn, now) = (&session.conn, session.now);
    let ids: Vec<&Id> = apps.iter().map(|app| &app.id).collect();
    let ends = overview::expiring(conn, &ids, ends_soon(now))?;
    let name = |id: &Id| apps.iter().find(|app| app.id == *id).map(|app| app.name.to_string());
    let visible = session.principal.actor.visible_apps();
    let shutoffs = shutoffs::of_owner(conn, session.owner_id(), None, visible.as_deref())?;
    let mut warnings: Vec<_> = shutoffs.iter().map(shut_off).collect();
    warnings.extend(unreachable(figures.last_run));
    warnings.extend(foreign_bucket(figures.last_run));
    warnings.extend(overdue(figures.last_run, now));
    warnings.extend(under_way.iter().filter_map(|found| unhealthy(found, now)));
    warnings.extend(not_guarded(under_way, now));
    if session.principal.is_admin() {
        let webhooks = webhooks::of_owner(conn, session.owner_id())?;
        warnings.extend(webhooks.iter().filter_map(failing_webhook));
    }
    warnings.extend(ends.into_iter().map(|(app, end)| expiring(name(&app), end, now)));
    if telemetry::is_enabled(session.ports)? {
        warnings.extend(apps.iter().filter_map(|app| uncounted(app, figures, now)));
    }
    warnings.truncate(MAX_WARNINGS);
    Ok(warnings)
}

fn shut_off(shutoff: &Shutoff) -> OverviewWarning {
    let name = |name: &Option<String>| name.clone().unwrap_or_default();
    let clients = shut_off_clients(&name(&shutoff.channel), &name(&shutoff.platform));
    OverviewWarning {
        kind: "shut_off".to_owned(),
        app: Some(shutoff.app.to_string()),
        text: format!("Updates are shut off for {clients}: {}", shutoff.reason),
        since_or_until: Some(shutoff.created_at.to_rfc3339()),
    }
}

fn unreachable(last_run: LastRun) -> Option<OverviewWarning> {
    let since = last_run.storage_failed_since?;
    Some(OverviewWarning {
        kind: "storage_unreachable".to_owned(),
        app: None,
        text: "The object storage did not answer maintenance: publishing may fail, and downloads too."
            .to_owned(),
        since_or_until: Some(since.to_rfc3339()),
    })
}

fn foreign_bucket(last_run: LastRun) -> Option<OverviewWarning> {
    let since = last_run.foreign_bucket_since?;
    Some(OverviewWarning {
        kind: "bucket_of_another_database".to_owned(),
        app: None,
        text: "The private bucket belongs to another database. Two services must not share buckets. Until the bucket is \
               taken over, maintenance leaves abandoned uploads in it."
            .to_owned(),
        since_or_until: Some(since.to_rfc3339()),
    })
}

fn overdue(last_run: LastRun, now: Timestamp) -> Option<OverviewWarning> {
    if !is_maintenance_overdue(last_run.due_since, now) {
        return None;
    }
    let text = match last_run.ended_at {
        Some(_) => "Maintenance has not ended without a failure for more than an hour.",
        None => "Maintenance has never run.",
    };
    Some(OverviewWarning {
        kind: "maintenance_overdue".to_owned(),
        app: None,
        text: text.to_owned(),
        since_or_until: last_run.ended_at.map(Timestamp::to_rfc3339),
    })
}

/// A release that is unhealthy and still goes to devices.
fn unhealthy(found: &ReleaseUnderWay, now: Timestamp) -> Option<OverviewWarning> {
    let health = found.present_health().filter(|health| health.verdict == Verdict::Unhealthy)?;
    let release = found.release.clone().as_of(now);
    if release.rollout.state(now) == RolloutState::Halted {
        return None;
    }
    Some(OverviewWarning {
        kind: "unhealthy".to_owned(),
        app: Some(found.app.to_string()),
        text: format!("{} is unhealthy. {}", release.version, health.why),
        since_or_until: Some(health.at.to_rfc3339()),
    })
}

/// A release with a guard that no run has checked for a long time.
fn not_guarded(under_way: &[ReleaseUnderWay], now: Timestamp) -> Option<OverviewWarning> {
    let guarded = under_way.iter().filter(|found| found.release.guard.is_some());
    let oldest = guarded.min_by_key(|found| found.last_checked_at())?;
    if !is_maintenance_overdue(oldest.last_checked_at(), now) {
        return None;
    }
    Some(OverviewWarning {
        kind: "guard_not_run".to_owned(),
        app: Some(oldest.app.to_string()),
        text: format!(
            "{} has a guard, but no guard run has looked at it for more than an hour.",
            oldest.release.version
        ),
        since_or_until: Some(oldest.last_checked_at().to_rfc3339()),
    })
}

fn failing_webhook(webhook: &Webhook) -> Option<OverviewWarning> {
    let (failure, name) = (webhook.last_failure.as_deref()?, &webhook.name);
    let text = match webhook.off_at {
        Some(_) => format!("The webhook {name} is off, because deliveries failed: {failure}."),
        None => format!("Deliveries to the webhook {name} fail: {failure}."),
    };
    Some(OverviewWarning {
        kind: "webhook_failing".to_owned(),
        app: webhook.app.as_ref().map(ToString::to_string),
        text,
        since_or_until: webhook.off_at.or(webhook.failing_since).map(Timestamp::to_rfc3339),
    })
}

fn expiring(app: Option<String>, end: Timestamp, now: Timestamp) -> OverviewWarning {
    let text = if end <= now {
        "Root or targets of the signed metadata have ended, and need signatures: copies refuse updates."
    } else {
        "Root or targets of the signed metadata end soon, and need signatures."
    };
    OverviewWarning {
        kind: "expiring".to_owned(),
        app,
        text: text.to_owned(),
        since_or_until: Some(end.to_rfc3339()),
    }
}

fn uncounted(app: &App, figures: &Figures, now: Timestamp) -> Option<OverviewWarning> {
    let since = figures.releases.get(&app.id).and_then(|releases| releases.published_since);
    let seen = figures.seen.get(&app.id);
    let (were_seen, are_seen) = seen.map_or((false, false), |seen| (seen.was_seen, seen.is_seen));
    if !are_devices_missed(since, were_seen, are_seen, now) {
        return None;
    }
    Some(OverviewWarning {
        kind: "nothing_counted".to_owned(),
        app: Some(app.name.to_string()),
        text: format!(
            "No device was counted in {UNSEEN_DAYS} days, though a release is published and devices came before."
        ),
        since_or_until: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

    #[test]
    fn maintenance_is_overdue_after_an_hour() {
        let ago = |seconds: i64| NOW.plus_seconds(-seconds);
        for (ended_at, due_since, is_overdue) in [
            (Some(ago(3600)), ago(3600), false),
            (Some(ago(3601)), ago(3601), true),
            (None, ago(3600), false),
            (None, ago(3601), true),
        ] {
            let last_run =
                LastRun { ended_at, due_since, storage_failed_since: None, foreign_bucket_since: None };
            let warning = overdue(last_run, NOW);
            assert_eq!(warning.is_some(), is_overdue, "{ended_at:?} {due_since:?}");
            let since = warning.and_then(|warning| warning.since_or_until);
            assert_eq!(since, ended_at.filter(|_| is_overdue).map(Timestamp::to_rfc3339));
        }
    }

    #[test]
    fn ended_metadata_has_its_own_text() {
        assert!(expiring(None, NOW, NOW).text.contains("have ended"));
        assert!(expiring(None, NOW.plus_seconds(1), NOW).text.contains("end soon"));
    }
}
