//! Assesses the releases of one application by their figures.

use spindrift_core::health::{
    Baselines, GuardedRelease, HealthCounts, MissedReports, NoDataReason, ReleaseHealth, Series, first_day,
};
use spindrift_core::{Day, Days, Id};
use spindrift_db::health;
use spindrift_db::under_way::ReleaseUnderWay;
use spindrift_service::telemetry::gathered_sightings;
use spindrift_service::{Failure, Ports, telemetry};
use spindrift_settings::{REPORTS_ENABLED, TELEMETRY_RETENTION_DAYS};

/// Assesses the releases of one application.
pub(super) fn assess_app<'r, P: Ports>(
    ports: &P,
    conn: &P::Conn,
    releases: &'r [ReleaseUnderWay],
) -> Result<Vec<(&'r ReleaseUnderWay, ReleaseHealth)>, Failure> {
    let Some(app) = releases.first().map(|release| &release.release.app_id) else { return Ok(Vec::new()) };
    let counts = counts(ports, conn, app, releases)?;
    let assessed = releases.iter().map(|release| Ok((release, assess(ports, conn, &counts, release)?)));
    assessed.collect()
}

/// The failures and devices of an application that its releases are assessed by.
pub(super) fn counts<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    app: &Id,
    releases: &[ReleaseUnderWay],
) -> Result<HealthCounts, Failure> {
    let (now, today) = (ports.now(), Day::of(ports.now()));
    gathered_sightings::count(ports, conn);
    let first = releases.iter().map(|release| first_day(&release.subject)).min().unwrap_or(today);
    let watched = health::watched(conn, app, now)?;
    let mut counts = health::counts(conn, app, Days { first, last: today }, &watched)?;
    for release in releases {
        for series in Series::ALL {
            let key = MissedReports::key(&release.subject.round, series);
            if let Some(missed) = missed(ports, conn, app, &key)? {
                counts.missed.insert(key, missed);
            }
        }
    }
    Ok(counts)
}

/// Assesses a release by the counts of its application.
pub(super) fn assess<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    counts: &HealthCounts,
    release: &ReleaseUnderWay,
) -> Result<ReleaseHealth, Failure> {
    let before = match &release.health {
        Some(health) => Baselines::from_health(health),
        None => before(conn, counts, release)?,
    };
    let now = ports.now();
    let no_data_reason = no_data_reason(ports, counts, release, Day::of(now))?;
    let guard = release.release.guard.as_ref();
    let health = ReleaseHealth::assess(counts, &release.subject, &before, guard, no_data_reason, now);
    Ok(health.after(release.health.as_ref()))
}

/// The reports of a round that no group has counted, without those of muted groups. `None` if there are none.
fn missed<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    app: &Id,
    key: &str,
) -> Result<Option<MissedReports>, Failure> {
    let Some(mut missed) = ports.get(key)?.and_then(|bytes| MissedReports::from_bytes(&bytes)) else {
        return Ok(None);
    };
    let groups: Vec<&str> = missed.groups().collect();
    let muted = health::muted(conn, app, &groups)?;
    missed.leave_out(&muted);
    Ok(Some(missed))
}

/// The baselines of a release. Only the first run that checks the release computes them.
fn before<C: spindrift_db::SqlConn>(
    conn: &C,
    counts: &HealthCounts,
    release: &ReleaseUnderWay,
) -> Result<Baselines, Failure> {
    let (subject, app) = (&release.subject, &release.release.app_id);
    let days = subject.baseline_days();
    let spread = |version| -> Result<f64, Failure> {
        let (squares, device_days) = health::spread(conn, app, days, version)?;
        #[expect(clippy::cast_precision_loss, reason = "counts of devices are far below 2^52")]
        Ok(if device_days == 0 { 1.0 } else { squares as f64 / device_days as f64 })
    };
    let version = counts.version_before(subject);
    let running = match &version {
        Some(version) => counts.baseline(subject, Series::Running, Some(version), spread(Some(version))?),
        None => None,
    };
    let updating = counts.baseline(subject, Series::Updating, None, spread(None)?);
    Ok(Baselines { version, running, updating })
}

/// The reason why the figures of a release mean nothing, if there is one.
fn no_data_reason<P: Ports>(
    ports: &P,
    counts: &HealthCounts,
    release: &ReleaseUnderWay,
    today: Day,
) -> Result<Option<NoDataReason>, Failure> {
    if !release.reports || !REPORTS_ENABLED.read(ports)? {
        return Ok(Some(NoDataReason::ReportsOff));
    }
    if !telemetry::is_enabled(ports)? {
        return Ok(Some(NoDataReason::TelemetryOff));
    }
    let GuardedRelease { round, .. } = &release.subject;
    if Day::of(round.since) <= today.minus(i64::from(TELEMETRY_RETENTION_DAYS.read(ports)?)) {
        return Ok(Some(NoDataReason::Forgotten));
    }
    Ok((!counts.any_since(today.minus(1))).then_some(NoDataReason::NoDevices))
}
