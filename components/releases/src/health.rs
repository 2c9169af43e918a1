//! `GET /releases/{id}/health`: the findings of the last guard run about a release, and its present figures.

use http::StatusCode;
use spindrift_api::{
    BaselineBody, CurrentHealthBody, FailingRoundBody, GuardBody, HealthCauseBody, HealthDayBody,
    ReleaseHealthBody, SeriesBody, VerdictName,
};
use spindrift_core::health::{HealthCause, HealthDay, ReleaseHealth, SeriesHealth};
use spindrift_core::{Guard, GuardAction, Release, Timestamp, Version};
use spindrift_db::{health, releases};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports, audit_entries};
use spindrift_web::{Request, Response};

use crate::guard::CurrentHealth;
use crate::order::OrderTerms;
use crate::show::find;

/// Why a release that was healthy is no longer known to be so.
const CHECKED_LONG_AGO: &str = "It was healthy, but no guard run has looked at it for more than an hour.";

pub(crate) fn show<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let release = find(&session, request)?;
    let channel = request.query()?.get("channel").map(str::to_owned);
    let offers = releases::offers(&session.conn, session.owner_id(), &release.id)?;
    let release = OrderTerms { channel, ..OrderTerms::default() }.offer(&session.conn, offers)?;
    let found = health::of_release(&session.conn, &release)?;
    let current = CurrentHealth::of(ports, &session.conn, &release)?;
    let now = session.now;
    let release = release.as_of(now);
    let earlier = release.round_at.and_then(|since| found.as_ref()?.failing_round_before(since));
    let failing_round = earlier.cloned().map(failing_round);
    let body = body(&release, found, now);
    private_json(StatusCode::OK, &ReleaseHealthBody { now: current.map(current_body), failing_round, ..body })
}

fn current_body(current: CurrentHealth) -> CurrentHealthBody {
    let CurrentHealth { health, before, days } = current;
    CurrentHealthBody {
        failing: health.needs_attention(),
        verdict: health.verdict.into(),
        devices: health.devices,
        running: series(&health.running, health.before.as_ref()),
        updating: series(&health.updating, None),
        causes: health.causes.into_iter().map(cause).collect(),
        why: health.why,
        before: before.map(|version| version.to_string()),
        days: days.into_iter().map(day).collect(),
    }
}

fn day(day: HealthDay) -> HealthDayBody {
    HealthDayBody {
        date: day.day.to_string(),
        platform: day.platform,
        devices: day.release.seen,
        failing: day.release.failing,
        devices_before: day.before.seen,
        failing_before: day.before.failing,
    }
}

fn failing_round(health: ReleaseHealth) -> FailingRoundBody {
    FailingRoundBody {
        since: health.since.to_rfc3339(),
        at: health.at.to_rfc3339(),
        verdict: health.verdict.into(),
        devices: health.devices,
        running: series(&health.running, health.before.as_ref()),
        updating: series(&health.updating, None),
        why: health.why,
        ended_by: health.end.as_ref().map(|end| audit_entries::actor_body(end.by.clone())),
        reason: health.end.and_then(|end| end.reason),
    }
}

fn body(release: &Release, found: Option<ReleaseHealth>, now: Timestamp) -> ReleaseHealthBody {
    let since = release.round_at.filter(|_| release.flags.published);
    let found = found.filter(|health| since.is_some_and(|since| health.is_of(since)));
    let guard = release.guard.map(GuardBody::from);
    let since = since.map(Timestamp::to_rfc3339);
    match found {
        None => ReleaseHealthBody {
            why: reason_not_checked(since.is_some()).to_owned(),
            since,
            at: None,
            verdict: VerdictName::Unknown,
            guard,
            devices: 0,
            running: nothing(release.guard),
            updating: nothing(release.guard),
            causes: Vec::new(),
            now: None,
            failing_round: None,
        },
        Some(health) => {
            let verdict = health.verdict_at(now);
            let why = if verdict == health.verdict { health.why } else { CHECKED_LONG_AGO.to_owned() };
            ReleaseHealthBody {
                since,
                at: Some(health.at.to_rfc3339()),
                verdict: verdict.into(),
                guard,
                devices: health.devices,
                running: series(&health.running, health.before.as_ref()),
                updating: series(&health.updating, None),
                causes: health.causes.into_iter().map(cause).collect(),
                why,
                now: None,
                failing_round: None,
            }
        }
    }
}

const fn reason_not_checked(is_published: bool) -> &'static str {
    if is_published {
        "No guard run has looked at it since its rollout began."
    } else {
        "The release is not published."
    }
}

fn nothing(guard: Option<Guard>) -> SeriesBody {
    let needed = guard.unwrap_or(Guard::new(GuardAction::Pause)).needed();
    SeriesBody { k: 0, n: 0, per_1000: None, baseline: None, ln_e: None, needed }
}

fn series(series: &SeriesHealth, version: Option<&Version>) -> SeriesBody {
    SeriesBody {
        k: series.k,
        n: series.n,
        per_1000: series.per_1000(),
        baseline: series.baseline.map(|baseline| BaselineBody {
            version: version.map(Version::to_string),
            k: baseline.k,
            n: baseline.n,
            per_1000: baseline.per_1000(),
        }),
        ln_e: series.ln_e,
        needed: series.needed,
    }
}

fn cause(cause: HealthCause) -> HealthCauseBody {
    let HealthCause { event, reason, new, before, devices, versions, platforms } = cause;
    let versions = versions.iter().map(Version::to_string).collect();
    HealthCauseBody { event, reason, new, before, devices, versions, platforms }
}
