//! Parse, load, decide, render; and count the device once the answer is out.

use http::header;
use spindrift_service::answers::{self, Answered};
use spindrift_service::telemetry::{self, Seen};
use spindrift_service::{Failure, Ports};
use spindrift_web::{Reply, Request};

pub(crate) async fn check<P: Ports>(ports: &P, request: &Request) -> Result<Reply, Failure> {
    let question = crate::request::parse(request)?;
    let Answered { response, source, is_latest } = answers::answer(ports, &question).await?;
    let is_personal = question.device.is_some();
    let response = answers::caching(response, is_personal, request.header(header::IF_NONE_MATCH.as_str()));
    // A scope without releases is not on the list of what is counted.
    let record = source.record();
    let device = question.device.filter(|_| !record.releases.is_empty());
    let (app_id, scope, version) = (record.app_id.clone(), question.scope, question.version);
    let seen = device.map(|device| Seen { app_id, scope, version, device, is_latest });
    let after = seen.and_then(|seen| telemetry::record(ports, seen));
    Ok(Reply { response, after })
}
