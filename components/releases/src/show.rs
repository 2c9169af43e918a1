//! `GET /releases` and `GET /releases/{id}`: a release and how it is offered.

use http::StatusCode;
use spindrift_api::{
    BuiltByBody, GuardBody, NextStepBody, OfferBody, OfferRolloutBody, PlaceRequiresBody, PlanBody,
    ReleaseBody, WithdrawalBody,
};
use spindrift_core::{Artifact, Course, Id, Pace, Release, Timestamp, Version, Withdrawal};
use spindrift_db::audit::release_names;
use spindrift_db::requirements::PlaceRequirements;
use spindrift_db::{SqlConn, artifacts, health, releases, requirements, shutoffs};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Request, Response};

pub(crate) fn show<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_to_stop(ports, request)?;
    let release = find(&session, request)?;
    respond(&session, &release.id)
}

pub(crate) fn show_version<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_to_stop(ports, request)?;
    let query = request.query()?;
    let app = session.query_app(&query)?;
    let version: Version = query.required_version("version")?;
    let release = releases::by_version(&session.conn, &app.id, &version)?;
    let release = release.ok_or_else(|| ApiError::not_found("release"))?;
    respond(&session, &release.id)
}

/// The owner's release that the path names. 404 if there is none, or if the caller may not see its
/// application.
pub(crate) fn find(session: &Session<'_, impl Ports>, request: &Request) -> Result<Release, Failure> {
    let id = request.path().split('/').nth(2).map(Id::from_text);
    let release = match id {
        Some(id) => releases::by_id(&session.conn, session.owner_id(), &id)?,
        None => None,
    };
    let release = release.ok_or_else(|| ApiError::not_found("release"))?;
    session.principal.require_visible(&release.app_id, "release")?;
    Ok(release)
}

/// 200 with the release as it is now.
pub(crate) fn respond(session: &Session<'_, impl Ports>, id: &Id) -> Result<Response, Failure> {
    private_json(StatusCode::OK, &body(session, id)?)
}

/// The release as it is now: the call may have signed metadata since it began. 404 if there is none.
pub(crate) fn body(session: &Session<'_, impl Ports>, id: &Id) -> Result<ReleaseBody, Failure> {
    let (conn, owner, now) = (&session.conn, session.owner_id(), session.ports.now());
    let all = releases::offers(conn, owner, id)?;
    let Some(release) = all.first().cloned() else { return Err(ApiError::not_found("release").into()) };
    let requires = requirements::of_release(conn, &release.id)?;
    let artifacts = artifacts::of_release(conn, &release.id)?;
    let (mut offers, mut shut_off) = (Vec::with_capacity(all.len()), false);
    for of in all {
        shut_off |= shutoffs::exist_for(conn, &of.app_id, of.channel_id.as_ref())?;
        offers.push(offer(conn, &of.as_of(now), now)?);
    }
    Ok(ReleaseBody {
        app: release_names(conn, &release)?.app.map(|name| name.to_string()).unwrap_or_default(),
        id: release.id,
        version: release.version.to_string(),
        withdrawn: release
            .withdrawal
            .map(|Withdrawal { at, reason }| WithdrawalBody { at: at.to_rfc3339(), reason }),
        requires: requires.into_iter().map(place_requires).collect(),
        cures: release.cures.iter().map(ToString::to_string).collect(),
        built_by: BuiltByBody::of_files(artifacts.iter().map(|artifact| artifact.built_by.as_ref())),
        files_without_build: without_build(&artifacts),
        shut_off,
        offers,
    })
}

/// The number of files that were built elsewhere than in a publisher's job. None, if all were: then nobody
/// expects an origin.
fn without_build(artifacts: &[Artifact]) -> u64 {
    let without = artifacts.iter().filter(|artifact| artifact.built_by.is_none()).count();
    if without == artifacts.len() { 0 } else { without as u64 }
}

/// The release as one channel offers it.
fn offer(conn: &impl SqlConn, release: &Release, now: Timestamp) -> Result<OfferBody, Failure> {
    let health = health::of_release(conn, release)?;
    Ok(OfferBody {
        channel: release_names(conn, release)?.channel.unwrap_or_default(),
        own: !release.is_promoted,
        state: release.state().as_str().to_owned(),
        revision: release.revision,
        publish_at: release.publish_at.map(Timestamp::to_rfc3339),
        held_until: release.held_until(now).map(Timestamp::to_rfc3339),
        offered_at: release.offered_at.map(Timestamp::to_rfc3339),
        rollout: rollout(&release.rollout, now),
        groups: release.admitted_groups.iter().map(ToString::to_string).collect(),
        guard: release.guard.map(GuardBody::from),
        verdict: health
            .filter(|health| release.round_at.is_some_and(|since| health.is_of(since)))
            .map(|health| health.verdict_at(now).into()),
    })
}

fn place_requires(place: PlaceRequirements) -> PlaceRequiresBody {
    PlaceRequiresBody {
        platform: place.platform.map(|name| name.to_string()).unwrap_or_default(),
        arch: place.arch.map(|name| name.to_string()).unwrap_or_default(),
        requires: (&place.requires).into(),
    }
}

fn rollout(course: &Course, now: Timestamp) -> OfferRolloutBody {
    let part = course.basis_points(now);
    let (plan, step) = match course.clone().as_of(now).pace {
        Pace::Fixed(_) => (None, None),
        Pace::Planned(run) => (Some(PlanBody::from(&run.plan)), Some(run.step)),
    };
    let mut ahead = course.rollout(now).later.into_iter().map(NextStepBody::from);
    OfferRolloutBody {
        state: course.state(now).as_str().to_owned(),
        percent: part.percent(),
        basis_points: (!part.is_whole()).then(|| part.get()),
        seed: course.seed.clone(),
        plan,
        step,
        next: ahead.next(),
        later: ahead.collect(),
    }
}
