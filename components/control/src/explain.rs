//! `POST /explain`.

mod asked;
mod others;
mod place;

use http::StatusCode;
use spindrift_api::{ExplainedAnswer, ExplainedBody, ExplainedReason, ExplainedRelease};
use spindrift_core::ChannelName;
use spindrift_core::explain::{Client, Explained, Explanation, explain as explained};
use spindrift_service::requests::management::{MAX_JSON_BYTES, enter_with_token, named_app, private_json};
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{Request, Response};

use self::asked::Asked;
use self::place::Place;

pub(crate) async fn explain<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let (conn, principal) = enter_with_token(ports, &request)?;
    let now = ports.now();
    let asked = Asked::parse(request.read_json(MAX_JSON_BYTES).await?, &principal.owner, now)?;
    named_app(&conn, &principal, &asked.scope.app)?;
    let place = Place::load(ports, &conn, &principal.owner_id, &asked)?;
    let record = &place.data.record;
    let device = asked.device.as_ref().map(spindrift_core::DeviceId::expose);
    let facts = asked.facts.read(record, asked.at).map_err(ServiceError::from)?;
    let client = Client { version: &asked.version, updater: place.data.updater, device, facts: &facts };
    let candidates = place.candidates(&conn, &principal.owner_id, &asked.scope.app, &client, asked.at)?;
    let explanation = explained(record, candidates, &client, asked.at);
    let others = others::others(ports, &conn, &asked, (&place.data, &client), &explanation.decision)?;
    let body = ExplainedBody { others, ..body(explanation, asked.at.to_rfc3339()) };
    private_json(StatusCode::OK, &body)
}

fn body(explanation: Explanation<'_>, at: String) -> ExplainedBody {
    let Explanation { decision, releases } = explanation;
    let answer = ExplainedAnswer {
        update_available: decision.update_available,
        version: decision.version().map(ToString::to_string),
        critical: decision.critical,
        shut_off: decision.shut_off,
        withdrawn: decision.withdrawn.map(str::to_owned),
    };
    let releases = releases.into_iter().map(release).collect();
    ExplainedBody { at, answer, releases, others: Vec::new() }
}

fn release(explained: Explained) -> ExplainedRelease {
    let Explained { version, channel, is_offered, because } = explained;
    ExplainedRelease {
        version: version.to_string(),
        channel: channel.map(ChannelName::into).unwrap_or_default(),
        offered: is_offered,
        because: because.into_iter().map(ExplainedReason::from).collect(),
    }
}
