//! `POST /reports/ingest`. The order of the checks is part of the interface.

use http::StatusCode;
use serde_json::Value;
use spindrift_api::AcceptedBody;
use spindrift_auth::ReportKey;
use spindrift_core::{DeviceId, FailureReport, GroupHash, Id, Window};
use spindrift_db::report_events::{self, CountedGroup, FirstAppearances, ReportEvent};
use spindrift_db::report_keys;
use spindrift_db::{SqlConn, SqlError};
use spindrift_service::rate_limits::{AdmittedRequest, Counting, OnCounterFailure, RateLimit};
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports, log, telemetry};
use spindrift_web::{ApiError, Request, Response};

use crate::blobs::CountedReport;
use crate::details::Details;
use crate::device_report::{DeviceReport, ReportRound};
use crate::settings::ReportLimits;
use crate::{blobs, body};

/// Reports per device and group in an hour.
const PER_DEVICE_AND_GROUP_PER_HOUR: u64 = 1;
/// Reports per group in a minute.
const PER_GROUP_PER_MINUTE: u64 = 30;

/// The interface defines the errors of this call as text without a code.
pub(crate) async fn ingest<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    ingest_report(ports, request)
        .await
        .map_err(|failure| ApiError::TextAlone(Box::new(failure.into_api())).into())
}

async fn ingest_report<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let limits = ReportLimits::read(ports)?;
    let key = ReportKey::from_header(request.header("authorization")).map_err(|_| unknown_key())?;
    let device = device(&request)?;
    let conn = spindrift_db::open(ports, ports.now())?;
    let sender = report_keys::owner_of(&conn, key.expose(), ports.now())?.ok_or_else(unknown_key)?;
    if !sender.reports {
        return Err(ApiError::Forbidden("reports are disabled for this application".into()).into());
    }
    let (report, payload) = read(&mut request, &limits).await?;
    if report.app != sender.app {
        return Err(ApiError::Forbidden("report key does not belong to this application".into()).into());
    }
    let now = ports.now();
    let device_report = DeviceReport { ports, sender: &sender, report: &report, device: &device, now };
    let (admission, group) = count(&conn, &device_report, &limits)?;
    let counted = CountedReport { sender, group, now };
    let stored_details = match payload {
        None => false,
        // The device may send the report again with valid details.
        Some(payload) => keep_details(ports, &conn, &counted, &payload, &limits)
            .await
            .inspect_err(|_| admission.refund(ports))?,
    };
    let group_hash = counted.group.hash.as_str().to_owned();
    private_json(
        StatusCode::ACCEPTED,
        &AcceptedBody { status: "accepted".into(), group_hash, stored_details },
    )
}

/// Counts a report, if no limit refuses it.
fn count<P: Ports>(
    conn: &P::Conn,
    device_report: &DeviceReport<'_, P>,
    limits: &ReportLimits,
) -> Result<(AdmittedRequest, CountedGroup), Failure> {
    let DeviceReport { ports, sender, report, device, now } = *device_report;
    let hash = report.group_hash();
    let mut counting = Counting::new(ports, now, OnCounterFailure::Admit);
    counting.count(&[device_limit(ports, &sender.app_id, &hash, device)?])?;
    // Before the limits that devices share: using them up must not hide failures.
    let rounds = device_report.note_rounds()?;
    if let Err(refused) = counting.count(&shared_limits(&sender.app_id, &hash, limits)) {
        device_report.miss(&rounds, &hash, true);
        return Err(refused.into());
    }
    let admission = counting.admit();
    let firsts = FirstAppearances {
        is_of_day: device_report.is_first_of_day()?,
        rounds: rounds.iter().filter_map(ReportRound::first).collect(),
    };
    let event = ReportEvent { id: &ports.new_id(), sender, report, hash: &hash, firsts: &firsts, now };
    let group = report_events::count_event(conn, &event, limits.groups_per_app).map_err(|error| {
        // The report was not counted, so the device may send it again.
        admission.refund(ports);
        device_report.miss(&rounds, &hash, false);
        not_counted(&error)
    })?;
    if group.hash != hash {
        device_report.miss(&rounds, &group.hash, false);
    }
    Ok((admission, group))
}

fn unknown_key() -> ApiError {
    ApiError::Unauthorized("invalid report key".into())
}

fn device(request: &Request) -> Result<DeviceId, ApiError> {
    let text = request.header("x-device-id").ok_or_else(|| ApiError::bad_request("missing X-Device-ID"))?;
    text.parse().map_err(|_| ApiError::bad_request("invalid X-Device-ID"))
}

fn not_counted(error: &SqlError) -> ApiError {
    ApiError::Internal { internal: format!("a report was not counted: {error}") }
}

/// Reads the body, which must be small enough and JSON. The payload of the details is not checked
/// yet.
async fn read(
    request: &mut Request,
    limits: &ReportLimits,
) -> Result<(FailureReport, Option<Value>), ApiError> {
    let bytes = request.read_body(limits.body).await.map_err(|error| match error {
        ApiError::TooLarge(_) => ApiError::TooLarge("report body too large".into()),
        other => other,
    })?;
    if request.media_type().as_deref() != Some("application/json") {
        return Err(ApiError::UnsupportedMediaType("application/json"));
    }
    body::parse(&bytes)
}

/// The limit that is checked first. A device may send its report again if it was not counted, or if
/// its details were refused.
fn device_limit(
    ports: &impl Ports,
    app: &Id,
    hash: &GroupHash,
    device: &DeviceId,
) -> Result<RateLimit, Failure> {
    let device_key = telemetry::device_hash_key(ports)?;
    Ok(RateLimit {
        kind: 'd',
        subject: hash.device_subject(app, device, device_key.as_ref()),
        window: Window::HOUR,
        max: PER_DEVICE_AND_GROUP_PER_HOUR,
        refund: true,
    })
}

/// The limits after that one, in order.
fn shared_limits(app: &Id, hash: &GroupHash, limits: &ReportLimits) -> [RateLimit; 2] {
    let limit = |kind, subject, max| RateLimit { kind, subject, window: Window::MINUTE, max, refund: false };
    [
        limit('g', hash.subject(app), PER_GROUP_PER_MINUTE),
        limit('k', app.to_string(), limits.per_key_per_minute),
    ]
}

/// Checks and stores details; returns whether they are stored. The report stays counted in any case. `Err`:
/// the details are invalid.
async fn keep_details<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    counted: &CountedReport,
    payload: &Value,
    limits: &ReportLimits,
) -> Result<bool, ApiError> {
    let checked = Details::check(payload, limits);
    let stored = match &checked {
        Ok(details) => blobs::store(ports, conn, counted, details, limits.blobs_per_group).await,
        Err(_) => Ok(()),
    };
    if checked.is_err() || stored.is_err() {
        count_rejected(conn, &counted.group.id);
    }
    checked?;
    if let Err(failure) = &stored {
        log::warn("details were not stored", failure);
    }
    Ok(stored.is_ok())
}

fn count_rejected(conn: &impl SqlConn, group: &Id) {
    if let Err(error) = report_events::count_details(conn, group, false) {
        log::warn("rejected details were not counted", &error);
    }
}
