//! A maintenance run, started by an authorised caller. Two runs never overlap.

use http::StatusCode;
use spindrift_api::MaintenanceBody;
use spindrift_db::maintenance::{self, RunOutcome, Runner};
use spindrift_repository::{Upkeep, keep_up};
use spindrift_service::objects::storage;
use spindrift_service::requests::operator::has_token;
use spindrift_service::requests::principal::authenticate_user;
use spindrift_service::{Failure, Ports, ServiceError, log, static_answers, webhooks};
use spindrift_settings::MAINTENANCE_TOKEN;
use spindrift_web::{ApiError, ErrorCode, Request, Response, response};

use crate::{due_changes, objects, records};

/// Seconds after which a run counts as dead, so that another one may start.
const LEASE_SECONDS: i64 = 10 * 60;

pub(crate) async fn run<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let now = ports.now();
    let conn = spindrift_db::open(ports, now)?;
    let runner = runner(ports, &conn, request)?;
    let (holder, until) = (ports.new_id(), now.plus_seconds(LEASE_SECONDS));
    if !maintenance::begin(&conn, runner, holder.as_str(), now, until)? {
        return Err(ApiError::conflict(ErrorCode::Busy, "maintenance is under way").into());
    }
    spindrift_db::enable_wal(&conn);
    let result = run_all_parts(ports, &conn).await;
    let outcome = match &result {
        Ok(body) if body.bucket_of_another_database => RunOutcome::WithoutBucket(ports.now()),
        Ok(_) => RunOutcome::Well(ports.now()),
        Err(Failure::Storage(_)) => RunOutcome::WithoutStorage(ports.now()),
        Err(_) => RunOutcome::Otherwise,
    };
    let released = maintenance::end(&conn, holder.as_str(), outcome);
    let body = result?;
    released?;
    Ok(response::json(StatusCode::OK, &body)?)
}

/// Accepts an admin or the maintenance token. All other callers get the same 401.
fn runner<P: Ports>(ports: &P, conn: &P::Conn, request: &Request) -> Result<Runner, Failure> {
    if has_token(request, &MAINTENANCE_TOKEN.read(ports)?) {
        return Ok(Runner::Operator);
    }
    match authenticate_user(ports, conn, request) {
        Ok(principal) if principal.is_admin() => Ok(Runner::Admin),
        Ok(_) | Err(ServiceError::NotForCiTokens) => {
            Err(ApiError::Unauthorized("an admin or the maintenance token is needed".into()).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Runs all parts, even if some fail. Failures are logged, and the first one is returned. Nothing that was
/// removed is restored.
async fn run_all_parts<P: Ports>(ports: &P, conn: &P::Conn) -> Result<MaintenanceBody, Failure> {
    let mut body = MaintenanceBody::default();
    let storage = storage(ports)?;
    let releases = due_changes::apply_due_changes(ports, conn);
    let records = records::remove(ports, conn, &storage, &mut body).await;
    let objects = objects::remove(ports, conn, &storage, &mut body).await;
    let mut upkeep = Upkeep::default();
    let repositories = keep_up(ports, conn, &storage, &mut upkeep).await.map_err(Failure::from);
    let answers = static_answers::maintain(ports, conn).await.map_err(Failure::from);
    // Last, because receivers may be slow.
    let webhooks = webhooks::maintain(ports, conn).await;
    body.webhooks_sent = *webhooks.as_ref().unwrap_or(&0);
    body.objects_deleted += upkeep.objects_deleted + *answers.as_ref().unwrap_or(&0);
    body.metadata_signed = upkeep.signed;
    body.metadata_expiring = upkeep.expiring;
    let results = [
        ("releases", releases),
        ("records", records),
        ("objects", objects),
        ("signed metadata", repositories),
        ("static answers", answers.map(drop)),
        ("webhooks", webhooks.map(drop)),
    ];
    let mut first = Ok(());
    for (part, result) in results {
        if let Err(failure) = &result {
            log::warn(&format!("maintenance of {part} failed"), failure);
        }
        first = first.and(result);
    }
    first.map(|()| body)
}
