//! Parse, load, decide, render; then count the device after the response is sent.

use spindrift_service::answers::{self, AnsweredCheck};
use spindrift_service::telemetry::{self, DeviceSighting};
use spindrift_service::{Failure, Ports};
use spindrift_web::{Reply, Request};

pub(crate) async fn check<P: Ports>(ports: &P, request: &Request) -> Result<Reply, Failure> {
    let question = super::request::parse(request)?;
    request.context().set_owner(&question.scope.owner);
    let AnsweredCheck { response, source, is_latest, names_group, audience, max_age } =
        answers::answer(ports, &question).await?;
    // An answer with a client's token, or for a group, must not be shared.
    let is_personal = question.device.is_some() || names_group || audience.is_personal();
    let response = answers::with_caching(response, is_personal, max_age);
    let response = audience.mark(response);
    let (app_id, scope) = (source.record().app_id.clone(), source.record().counted_scope(question.scope));
    let version = question.version;
    let seen = question.device.map(|device| DeviceSighting { app_id, scope, version, device, is_latest });
    let after = seen.and_then(|seen| telemetry::count_after(ports, seen));
    Ok(Reply { response, after })
}
