//! Answers to update checks, shared by `/checkVersion`, the edge and static answers.

pub mod native;
pub mod private_links;
mod question;

use std::sync::Arc;

use http::{HeaderValue, StatusCode, header};
use spindrift_api::CheckBody;
use spindrift_auth::DownloadToken;
use spindrift_core::feeds::{CheckAnswer, UpdaterRecord};
use spindrift_core::{Asker, ScopeRecord, Timestamp, Updater, decide};
use spindrift_web::{Response, response};

use self::private_links::{Audience, carry_token};
pub use self::question::Question;
use crate::records::{Loaded, origin, scopes, updaters};
use crate::{Ports, ServiceError, settings};

/// Response header: the origin of an edge deployment could not be reached. Its value is the age of the data
/// in seconds.
const STALE: http::HeaderName = http::HeaderName::from_static("x-spindrift-stale");

/// The record that an answer was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerSource {
    /// All releases of the scope.
    Scope(Arc<ScopeRecord>),
    /// The releases that clients of one native updater can install.
    Updater(Updater, Arc<UpdaterRecord>),
}

impl AnswerSource {
    /// The scope record of either kind.
    pub fn record(&self) -> &ScopeRecord {
        match self {
            Self::Scope(record) => record,
            Self::Updater(_, record) => &record.scope,
        }
    }

    /// Adds the download token to the URLs of private files.
    fn carry_token(&mut self, token: Option<&DownloadToken>) -> Audience {
        match self {
            Self::Scope(record) => carry_token(record, token),
            Self::Updater(_, record) => carry_token(record, token),
        }
    }

    pub(crate) const fn updater(&self) -> Updater {
        match self {
            Self::Scope(_) => Updater::Manual,
            Self::Updater(updater, _) => *updater,
        }
    }
}

/// The answer to a check, with the data behind it.
pub struct AnsweredCheck {
    /// The response, without `ETag` and caching headers.
    pub response: Response,
    pub source: AnswerSource,
    /// Whether there is no newer version for the client.
    pub is_latest: bool,
    /// Whether the client named a group, so that the answer must not be shared.
    pub names_group: bool,
    pub audience: Audience,
    /// Seconds for which the answer stays valid if nothing changes.
    pub max_age: u32,
}

/// Answers a check. Fails if the scope is unknown, if its platform does not offer the updater, or if a store
/// fails.
pub async fn answer<P: Ports>(ports: &P, question: &Question) -> Result<AnsweredCheck, ServiceError> {
    let loaded = scopes::load(ports, &question.scope).await?;
    let updater = loaded.record.updaters.resolve(question.updater.as_deref())?;
    answer_as(ports, question, loaded, updater).await
}

/// Answers a static path, which is a check without a device. `None` if the answer is not JSON, or if the
/// check would be refused.
pub async fn static_answer<P: Ports>(
    ports: &P,
    question: &Question,
) -> Result<Option<AnsweredCheck>, ServiceError> {
    let loaded = match scopes::load(ports, &question.scope).await {
        Err(error) if error.is_unknown_scope() => return Ok(None),
        loaded => loaded?,
    };
    let updater = loaded.record.updaters.resolve_static(question.updater.as_deref());
    let Some(updater) = updater else { return Ok(None) };
    match answer_as(ports, question, loaded, updater).await {
        Err(ServiceError::NothingOffered) => Ok(None),
        // The scope may have been deleted in the meantime.
        Err(error) if error.is_unknown_scope() => Ok(None),
        answered => Ok(Some(answered?).filter(|answered| answered.response.status() == StatusCode::OK)),
    }
}

async fn answer_as<P: Ports>(
    ports: &P,
    question: &Question,
    loaded: Loaded<ScopeRecord>,
    updater: Updater,
) -> Result<AnsweredCheck, ServiceError> {
    let now = ports.now();
    let (mut source, stale_seconds, at) = if updater == Updater::Manual {
        let at = loaded.time(now);
        (AnswerSource::Scope(loaded.record), loaded.stale_seconds, at)
    } else {
        let native = updaters::load(ports, &question.scope, updater).await?;
        let at = native.time(now);
        (AnswerSource::Updater(updater, native.record), native.stale_seconds, at)
    };
    let audience = source.carry_token(question.download_token.as_ref());
    let RenderedAnswer { answer, is_latest, names_group } = match &source {
        AnswerSource::Scope(_) => render(&source, question, at)?,
        // File names of feeds contain the scope's names.
        AnswerSource::Updater(_, record) => {
            let scope = record.scope.resolved_scope(&question.scope);
            render(&source, &Question { scope, ..question.clone() }, at)?
        }
    };
    let response = match answer {
        AnswerForm::Own(response) => response,
        AnswerForm::Feed(file) => {
            let scope = source.record().resolved_scope(&question.scope);
            let pairs = question.facts.pairs(source.record(), at);
            redirect(ports, &audience, &origin::feed_path(&scope, &question.version, &pairs, &file))?
        }
    };
    let max_age = max_age(source.record(), at);
    let response = with_staleness(response, stale_seconds);
    Ok(AnsweredCheck { response, source, is_latest, names_group, audience, max_age })
}

/// The result of rendering a record for a question.
pub(crate) struct RenderedAnswer {
    pub(crate) answer: AnswerForm,
    /// Whether there is no newer version for the client.
    is_latest: bool,
    /// Whether the client named a group.
    names_group: bool,
}

/// The two forms of an answer.
pub(crate) enum AnswerForm {
    /// A response that is complete.
    Own(Response),
    /// A redirect: the client has to read this file of the scope's feeds.
    Feed(String),
}

/// Renders the answer that a record gives to a question as of `at`. It depends on nothing else.
pub(crate) fn render(
    source: &AnswerSource,
    question: &Question,
    at: Timestamp,
) -> Result<RenderedAnswer, ServiceError> {
    let facts = question.facts.read(source.record(), at)?;
    let names_group = !facts.groups.is_empty();
    match source {
        AnswerSource::Scope(record) => {
            let asker = question.device.as_ref().map_or(Asker::Anonymous, |id| Asker::Device(id.expose()));
            let decision = decide(record, &question.version, asker, &facts, at);
            let body = CheckBody::new(&decision, &question.version, record.releases.is_empty(), at);
            let answer = AnswerForm::Own(response::json(StatusCode::OK, &body)?);
            Ok(RenderedAnswer { answer, is_latest: !decision.update_available, names_group })
        }
        AnswerSource::Updater(updater, record) => {
            let asked = native::question(question, *updater, &facts, at);
            let is_latest = !record.decide(asked.client, asked.asker(), &facts, at).update_available;
            let answer = match record.check_answer(&asked) {
                CheckAnswer::Own(answer) => {
                    AnswerForm::Own(native::respond(answer).ok_or(ServiceError::NothingOffered)?)
                }
                CheckAnswer::Feed(file) => AnswerForm::Feed(file),
            };
            Ok(RenderedAnswer { answer, is_latest, names_group })
        }
    }
}

/// A 302 response to the path of a feed.
fn redirect<P: Ports>(ports: &P, audience: &Audience, path: &str) -> Result<Response, ServiceError> {
    let url = audience.follow_up_url(format!("{}{path}", settings::api_url(ports)?));
    Ok(response::redirect(&url)?)
}

/// Adds a header to a response that was made from stale data.
pub fn with_staleness(mut response: Response, stale_seconds: Option<i64>) -> Response {
    if let Some(seconds) = stale_seconds {
        response.headers_mut().insert(STALE, HeaderValue::from(seconds));
    }
    response
}

/// Seconds for which an answer made at `at` stays valid if nobody changes anything: until the next step of a
/// rollout.
pub fn max_age(record: &ScopeRecord, at: Timestamp) -> u32 {
    seconds_until(at, record.next_change(at))
}

/// Seconds from `at` to the next change, if there is one: at least 1, and at most as long as caches may keep
/// an answer.
pub fn seconds_until(at: Timestamp, next: Option<Timestamp>) -> u32 {
    let millis = next.map_or(i64::MAX, |next| next.as_millis().saturating_sub(at.as_millis()));
    u32::try_from(millis / 1000).unwrap_or(response::CACHE_SECONDS).clamp(1, response::CACHE_SECONDS)
}

/// Adds caching headers. Answers for one device must not be shared, and stale ones must not be cached.
/// `max_age` is in seconds.
pub fn with_caching(mut response: Response, is_personal: bool, max_age: u32) -> Response {
    if !is_personal && !response.headers().contains_key(&STALE) {
        return response::cacheable_for(response, max_age);
    }
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    response
}
