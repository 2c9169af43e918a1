//! `POST /explain`.

mod others;
mod request;
mod scope;

use http::StatusCode;
use spindrift_api::{ExplainedAnswer, ExplainedBody, ExplainedReason, ExplainedRelease};
use spindrift_core::ChannelName;
use spindrift_core::explain::{
    ExplainedClient, Explanation, ReleaseExplanation, explain as explain_releases,
};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{Request, Response};

use self::request::ExplainRequest;
use self::scope::ExplainedScope;

pub(crate) async fn explain<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let question =
        ExplainRequest::parse(request.read_json(MAX_JSON_BYTES).await?, session.owner(), session.now)?;
    session.named_app(&question.scope.app)?;
    let scope = ExplainedScope::load(&session, &question)?;
    let record = &scope.data.record;
    let device = question.device.as_ref().map(spindrift_core::DeviceId::expose);
    let facts = question.facts.read(record, question.at).map_err(ServiceError::from)?;
    let client =
        ExplainedClient { version: &question.version, updater: scope.data.updater, device, facts: &facts };
    let candidates = scope.candidates(&session, &question.scope.app, &client, question.at)?;
    let explanation = explain_releases(record, candidates, &client, question.at);
    let others = others::others(&session, &question, (&scope.data, &client), &explanation.decision)?;
    let body = ExplainedBody { others, ..body(explanation, question.at.to_rfc3339()) };
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

fn release(explained: ReleaseExplanation) -> ExplainedRelease {
    let ReleaseExplanation { version, channel, is_offered, reasons } = explained;
    ExplainedRelease {
        version: version.to_string(),
        channel: channel.map(ChannelName::into).unwrap_or_default(),
        offered: is_offered,
        because: reasons.into_iter().map(ExplainedReason::from).collect(),
    }
}
