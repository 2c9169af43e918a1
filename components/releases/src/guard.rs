//! `POST /guard/run`: checks all releases that are under way, and stops unhealthy ones if their guards
//! say so.
//!
//! Nothing else acts on what clients report. A run never advances a release.

mod act;
mod assess;
mod caller;
mod current;
mod run;

use http::StatusCode;
use spindrift_db::health;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, ErrorCode, Request, Response};

use self::caller::GuardCaller;
pub(crate) use self::current::CurrentHealth;
use self::run::GuardRun;

/// Seconds after which a run counts as dead, so that another one may start.
const LEASE_SECONDS: i64 = 5 * 60;

pub(crate) async fn run<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let now = ports.now();
    let conn = spindrift_db::open(ports, now)?;
    let caller = GuardCaller::of(ports, &conn, request)?;
    let (holder, until) = (ports.new_id(), now.plus_seconds(LEASE_SECONDS));
    if !health::begin(&conn, caller.lease(), holder.as_str(), now, until)? {
        return Err(ApiError::conflict(ErrorCode::Busy, "a guard run is under way").into());
    }
    let result = GuardRun::new(ports, &conn, &caller, &holder, until).check_all().await;
    let released = health::end(&conn, caller.lease(), holder.as_str());
    let body = result?;
    released?;
    private_json(StatusCode::OK, &body)
}
