//! The answer to an update check: the same for `/checkVersion`, for the edge and for static answers.

use http::{HeaderValue, StatusCode, header};
use spindrift_api::CheckBody;
use spindrift_core::feeds::{SquirrelMacBody, TauriBody};
use spindrift_core::{
    Asker, Decision, DeviceId, Scope, ScopeArtifact, ScopeRecord, ScopeRelease, Updater, Version, decide,
};
use spindrift_web::{ApiError, Response, response};

use crate::scopes::Loaded;
use crate::{Failure, Ports, log, scopes};

/// Says that the origin of an edge deployment could not be asked, and how many seconds old the answer's data is.
const STALE: http::HeaderName = http::HeaderName::from_static("x-spindrift-stale");

/// What a client asks.
#[derive(Debug, Clone)]
pub struct Question {
    /// What it asks about.
    pub scope: Scope,
    /// The version that it has.
    pub version: Version,
    /// The updater that it is; `None`: the platform's default.
    pub updater: Option<String>,
    /// The device, when it said so.
    pub device: Option<DeviceId>,
}

/// An answer, and what it was made from.
pub struct Answered {
    /// The response; without validators.
    pub response: Response,
    /// The record.
    pub record: ScopeRecord,
    /// The updater that was answered.
    pub updater: Updater,
    /// Whether there is nothing newer for the client.
    pub is_latest: bool,
}

/// Answers a check. Errors are those of the interface: 400, 404, and 5xx for failing stores.
pub async fn answer<P: Ports>(ports: &P, question: &Question) -> Result<Answered, Failure> {
    log::about(&question.scope.owner);
    let Loaded { record, stale_seconds } = scopes::load(ports, &question.scope).await?;
    let updater = record
        .updaters
        .resolve(question.updater.as_deref())
        .map_err(|_| ApiError::bad_request("updater not supported"))?;
    let asker = question.device.as_ref().map_or(Asker::Anonymous, |id| Asker::Device(id.expose()));
    let decision = decide(&record, &question.version, asker);
    let is_latest = !decision.update_available;
    let mut response = render(updater, &decision, record.releases.is_empty())?;
    if let Some(seconds) = stale_seconds {
        response.headers_mut().insert(STALE, HeaderValue::from(seconds));
    }
    Ok(Answered { response, record, updater, is_latest })
}

/// Adds what caches go by: answers for one device are nobody else's; a stale one must not be kept.
pub fn caching(mut response: Response, question: &Question, if_none_match: Option<&str>) -> Response {
    if question.device.is_none() && !response.headers().contains_key(&STALE) {
        return response::cacheable(response, if_none_match);
    }
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    response
}

fn render(updater: Updater, decision: &Decision<'_>, nothing_published: bool) -> Result<Response, Failure> {
    match updater {
        Updater::Manual => Ok(response::json(StatusCode::OK, &CheckBody::new(decision, nothing_published))?),
        Updater::SquirrelDarwin => squirrel_mac(decision),
        Updater::Tauri => tauri(decision),
        Updater::SquirrelWindows | Updater::ElectronBuilder | Updater::Velopack | Updater::Sparkle => {
            Err(ApiError::NotImplemented("answers for this updater are not available yet".into()).into())
        }
    }
}

/// The artifact that an offered release has for an updater.
fn offered<'a>(
    decision: &Decision<'a>,
    wanted: impl Fn(&&'a ScopeArtifact) -> bool,
) -> Option<(&'a ScopeRelease, &'a ScopeArtifact)> {
    let release = decision.release.filter(|_| decision.update_available)?;
    Some((release, release.artifacts.iter().find(wanted)?))
}

fn squirrel_mac(decision: &Decision<'_>) -> Result<Response, Failure> {
    let Some((release, zip)) = offered(decision, |artifact| artifact.package.as_str() == "zip") else {
        return Ok(response::empty(StatusCode::NO_CONTENT));
    };
    let mut body = SquirrelMacBody::new(release.version.as_str(), &zip.url, release.released_at)
        .notes(&release.changelog)
        .critical(decision.critical);
    body.signature = zip.signature.as_deref();
    Ok(response::json(StatusCode::OK, &body)?)
}

fn tauri(decision: &Decision<'_>) -> Result<Response, Failure> {
    let signed = offered(decision, |artifact| artifact.signature.is_some());
    let Some((release, artifact, signature)) =
        signed.and_then(|(release, artifact)| Some((release, artifact, artifact.signature.as_deref()?)))
    else {
        return Ok(response::empty(StatusCode::NO_CONTENT));
    };
    let body = TauriBody::new(
        release.version.as_str(),
        &artifact.url,
        signature,
        &release.changelog,
        release.released_at,
    );
    Ok(response::json(StatusCode::OK, &body)?)
}
