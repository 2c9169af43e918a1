//! `GET /telemetry/beacon`.

use http::{StatusCode, header};
use spindrift_core::{Asker, NO_FACTS, ScopeRecord, decide};
use spindrift_service::records::{Loaded, scopes};
use spindrift_service::telemetry::{self, DeviceSighting};
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{ApiError, ErrorCode, Reason, Reply, Request, response};

use crate::request::BeaconRequest;

pub(crate) async fn beacon<P: Ports>(ports: &P, request: &Request) -> Result<Reply, Failure> {
    require_counting(ports)?;
    let beacon = BeaconRequest::parse(request)?;
    request.context().set_owner(&beacon.scope.owner);
    let loaded = known_scope(scopes::load(ports, &beacon.scope).await)?;
    let is_latest = beacon.is_latest.unwrap_or_else(|| {
        let (device, at) = (Asker::Device(beacon.device.expose()), loaded.time(ports.now()));
        !decide(&loaded.record, &beacon.version, device, &NO_FACTS, at).update_available
    });
    let record = loaded.record;
    let BeaconRequest { scope, version, device, download, .. } = beacon;
    let (app_id, scope) = (record.app_id.clone(), record.counted_scope(scope));
    let seen = DeviceSighting { app_id, scope, version, device, is_latest };
    let mut response = response::empty(StatusCode::NO_CONTENT);
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    let after = telemetry::count_with_download_after(ports, seen, download);
    Ok(Reply { response, after })
}

fn require_counting(ports: &impl Ports) -> Result<(), Failure> {
    if telemetry::is_enabled(ports)? {
        return Ok(());
    }
    Err(ApiError::Forbidden(Reason::new(ErrorCode::TelemetryDisabled, "telemetry is disabled")).into())
}

/// The record of a scope whose names all exist, with or without published releases. The error is the same for
/// every unknown name, so that beacons do not reveal what exists.
fn known_scope(loaded: Result<Loaded<ScopeRecord>, ServiceError>) -> Result<Loaded<ScopeRecord>, Failure> {
    match loaded {
        Err(error) if error.is_unknown_scope() => Err(ApiError::NotFound("unknown scope".into()).into()),
        loaded => Ok(loaded?),
    }
}
