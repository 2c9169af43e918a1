//! `POST /guard/run`: looks at all releases that are under way, and stops those that are unhealthy, as their guards say.
//!
//! Nothing else acts on what clients report. A run never lets a release go further.

mod act;
mod look;

use http::StatusCode;
use spindrift_api::GuardRunBody;
use spindrift_core::audit::Origin;
use spindrift_core::health::Verdict;
use spindrift_core::{Action, Id};
use spindrift_db::health::{self, UnderWayOrder, Whose};
use spindrift_service::requests::management::private_json;
use spindrift_service::requests::operator::has_token;
use spindrift_service::requests::principal::{Principal, authenticate};
use spindrift_service::{Failure, Ports};
use spindrift_settings::MAINTENANCE_TOKEN;
use spindrift_web::{ApiError, ErrorCode, Request, Response};

/// Seconds after which a run counts as dead, so that another may start.
const LEASE_SECONDS: i64 = 5 * 60;
/// Most releases that one run looks at. The next run begins with the others.
const MAX_RELEASES: u32 = 200;

pub(crate) async fn run<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let now = ports.now();
    let conn = spindrift_db::open(ports, now)?;
    let caller = Caller::of(ports, &conn, request)?;
    let holder = ports.new_id();
    if !health::begin(&conn, holder.as_str(), now, now.plus_seconds(LEASE_SECONDS))? {
        return Err(ApiError::conflict(ErrorCode::Busy, "a guard run is under way").into());
    }
    let result = look_at_all(ports, &conn, &caller).await;
    let released = health::end(&conn, holder.as_str());
    let body = result?;
    released?;
    private_json(StatusCode::OK, &body)
}

/// Starts a run.
struct Caller {
    /// For the audit log.
    origin: Origin,
    /// `None`: the operator, who runs it for all owners.
    principal: Option<Principal>,
}

impl Caller {
    /// An admin, a CI token with the right `guard`, or the maintenance token.
    fn of<P: Ports>(ports: &P, conn: &P::Conn, request: &Request) -> Result<Self, Failure> {
        if has_token(request, &MAINTENANCE_TOKEN.read(ports)?) {
            let mut origin = Origin::maintenance();
            origin.request_id = Some(request.context().id());
            return Ok(Self { origin, principal: None });
        }
        let principal = authenticate(ports, conn, request)?;
        match principal.actor.visible_apps() {
            Some(apps) if principal.is_token() && !apps.is_empty() => {
                apps.iter().try_for_each(|app| principal.require(Action::Guard, Some(app)))?;
            }
            _ => principal.require(Action::Administer, None)?,
        }
        Ok(Self { origin: principal.origin.clone(), principal: Some(principal) })
    }

    fn apps(&self) -> Option<Vec<Id>> {
        self.principal.as_ref().and_then(|principal| principal.actor.visible_apps())
    }
}

async fn look_at_all<P: Ports>(ports: &P, conn: &P::Conn, caller: &Caller) -> Result<GuardRunBody, Failure> {
    let apps = caller.apps();
    let whose = caller
        .principal
        .as_ref()
        .map(|principal| Whose { owner: &principal.owner_id, apps: apps.as_deref() });
    let mut found = health::under_way(conn, whose, UnderWayOrder::LookedAt, ports.now(), MAX_RELEASES)?;
    let mut body = GuardRunBody { looked_at: found.len() as u64, ..GuardRunBody::default() };
    found.sort_by(|one, other| one.release.app_id.cmp(&other.release.app_id));
    for releases in found.chunk_by(|one, other| one.release.app_id == other.release.app_id) {
        for (release, health) in look::look(ports, conn, releases)? {
            match health.verdict {
                Verdict::Unhealthy => body.unhealthy += 1,
                Verdict::Unknown => body.unknown += 1,
                Verdict::Healthy => {}
            }
            body.acted.extend(act::act(ports, conn, &caller.origin, release, &health).await?);
        }
    }
    Ok(body)
}
