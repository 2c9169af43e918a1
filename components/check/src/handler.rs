//! Parse, load, decide, render.

use http::{StatusCode, header};
use spindrift_api::CheckBody;
use spindrift_core::{Asker, Updater, decide};
use spindrift_service::{Failure, Ports, scopes};
use spindrift_web::{ApiError, Request, Response, response};

use crate::request::CheckRequest;

pub(crate) fn check<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let asked = CheckRequest::parse(request)?;
    let record = scopes::load(ports, &asked.scope)?;
    let updater = record
        .updaters
        .resolve(asked.updater.as_deref())
        .map_err(|_| ApiError::bad_request("updater not supported"))?;
    if updater != Updater::Manual {
        return Err(ApiError::NotImplemented("answers for this updater are not available yet".into()).into());
    }
    let asker = asked.device.as_deref().map_or(Asker::Anonymous, Asker::Device);
    let decision = decide(&record, &asked.version, asker);
    let body = CheckBody::new(&decision, record.releases.is_empty());
    Ok(caching(response::json(StatusCode::OK, &body)?, request, asker))
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
