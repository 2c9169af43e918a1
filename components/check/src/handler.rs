//! Parse, load, decide, render.

use http::{StatusCode, header};
use spindrift_api::CheckBody;
use spindrift_core::{Asker, Updater, decide};
use spindrift_service::telemetry::{self, Seen};
use spindrift_service::{Failure, Ports, scopes};
use spindrift_web::{ApiError, Reply, Request, Response, response};

use crate::request::CheckRequest;

pub(crate) fn check<P: Ports>(ports: &P, request: &Request) -> Result<Reply, Failure> {
    let asked = CheckRequest::parse(request)?;
    let record = scopes::load(ports, &asked.scope)?;
    let updater = record
        .updaters
        .resolve(asked.updater.as_deref())
        .map_err(|_| ApiError::bad_request("updater not supported"))?;
    if updater != Updater::Manual {
        return Err(ApiError::NotImplemented("answers for this updater are not available yet".into()).into());
    }
    let asker = asked.device.as_ref().map_or(Asker::Anonymous, |device| Asker::Device(device.expose()));
    let decision = decide(&record, &asked.version, asker);
    let body = CheckBody::new(&decision, record.releases.is_empty());
    let response = caching(response::json(StatusCode::OK, &body)?, request, asker);
    let is_latest = !decision.update_available;
    // A scope without releases is not on the list of what is counted.
    let device = asked.device.filter(|_| !record.releases.is_empty());
    let (app_id, scope, version) = (record.app_id, asked.scope, asked.version);
    let seen = device.map(|device| Seen { app_id, scope, version, device, is_latest });
    Ok(Reply { response, after: seen.and_then(|seen| telemetry::record(ports, seen)) })
}

fn caching(mut response: Response, request: &Request, asker: Asker<'_>) -> Response {
    match asker {
        Asker::Anonymous => response::cacheable(response, request.header(header::IF_NONE_MATCH.as_str())),
        Asker::Device(_) => {
            response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
            response
        }
    }
}
