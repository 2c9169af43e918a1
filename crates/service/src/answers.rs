//! The answer to an update check: the same for `/checkVersion`, for the edge and for static answers.

pub mod native;
pub mod private_links;
mod question;

use http::{HeaderValue, StatusCode, header};
use spindrift_api::CheckBody;
use spindrift_auth::DownloadToken;
use spindrift_core::feeds::{CheckAnswer, UpdaterRecord};
use spindrift_core::{Asker, ScopeRecord, Updater, decide};
use spindrift_web::{ApiError, Response, response};

use self::private_links::{Audience, carry};
pub use self::question::Question;
use crate::records::{Loaded, origin, scopes, updaters};
use crate::{Failure, Ports, settings};

/// Says that the origin of an edge deployment could not be asked, and how many seconds old the answer's data is.
const STALE: http::HeaderName = http::HeaderName::from_static("x-spindrift-stale");

/// What an answer was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// All releases of the scope.
    Scope(ScopeRecord),
    /// Those that clients of one native updater can install.
    Updater(Updater, UpdaterRecord),
}

impl Source {
    /// The record, of whichever kind.
    pub const fn record(&self) -> &ScopeRecord {
        match self {
            Self::Scope(record) => record,
            Self::Updater(_, record) => &record.scope,
        }
    }

    /// Makes the addresses of private files carry a token.
    fn carry(&mut self, token: Option<&DownloadToken>) -> Audience {
        match self {
            Self::Scope(record) => carry(record, token),
            Self::Updater(_, record) => carry(record, token),
        }
    }

    /// The updater that was answered.
    pub(crate) const fn updater(&self) -> Updater {
        match self {
            Self::Scope(_) => Updater::Manual,
            Self::Updater(updater, _) => *updater,
        }
    }
}

/// An answer, and what it was made from.
pub struct Answered {
    /// The response; without validators.
    pub response: Response,
    /// What it was made from.
    pub source: Source,
    /// Whether there is nothing newer for the client.
    pub is_latest: bool,
    /// Whose answer it is.
    pub audience: Audience,
}

/// Answers a check. Errors are those of the interface: 400, 404, and 5xx for failing stores.
pub async fn answer<P: Ports>(ports: &P, question: &Question) -> Result<Answered, Failure> {
    let loaded = scopes::load(ports, &question.scope).await?;
    let updater = loaded
        .record
        .updaters
        .resolve(question.updater.as_deref())
        .map_err(|_| ApiError::bad_request("updater not supported"))?;
    answer_as(ports, question, loaded, updater).await
}

/// Answers what stands under a static path: a check without a device, where that is in JSON. 404 for everything else.
pub async fn static_answer<P: Ports>(ports: &P, question: &Question) -> Result<Answered, Failure> {
    let loaded = scopes::load(ports, &question.scope).await?;
    let updater = loaded.record.updaters.resolve_static(question.updater.as_deref());
    let answered = answer_as(ports, question, loaded, updater.ok_or_else(nothing)?).await?;
    if answered.response.status() == StatusCode::OK { Ok(answered) } else { Err(nothing().into()) }
}

fn nothing() -> ApiError {
    ApiError::NotFound("not found".into())
}

async fn answer_as<P: Ports>(
    ports: &P,
    question: &Question,
    loaded: Loaded<ScopeRecord>,
    updater: Updater,
) -> Result<Answered, Failure> {
    let (mut source, stale_seconds) = if updater == Updater::Manual {
        (Source::Scope(loaded.record), loaded.stale_seconds)
    } else {
        let native = updaters::load(ports, &question.scope, updater).await?;
        (Source::Updater(updater, native.record), native.stale_seconds)
    };
    let audience = source.carry(question.download_token.as_ref());
    let Rendered { answer, is_latest } = render(&source, question)?;
    let response = match answer {
        Answer::Own(response) => response,
        Answer::Feed(file) => redirect(ports, question, &audience, &file)?,
    };
    Ok(Answered { response: with_staleness(response, stale_seconds), source, is_latest, audience })
}

/// What a record says to a question.
pub(crate) struct Rendered {
    pub(crate) answer: Answer,
    /// Whether there is nothing newer for the client.
    is_latest: bool,
}

/// What a client is told.
pub(crate) enum Answer {
    /// This.
    Own(Response),
    /// To read this file of the scope's feeds.
    Feed(String),
}

/// The answer that a record has to a question; the same for whoever asks it, and wherever.
pub(crate) fn render(source: &Source, question: &Question) -> Result<Rendered, Failure> {
    match source {
        Source::Scope(record) => {
            let asker = question.device.as_ref().map_or(Asker::Anonymous, |id| Asker::Device(id.expose()));
            let decision = decide(record, &question.version, asker);
            let body = CheckBody::new(&decision, record.releases.is_empty());
            let answer = Answer::Own(response::json(StatusCode::OK, &body)?);
            Ok(Rendered { answer, is_latest: !decision.update_available })
        }
        Source::Updater(updater, record) => {
            let asked = native::question(question, *updater);
            let is_latest = !record.decide(asked.client, asked.asker()).update_available;
            let answer = match record.check_answer(&asked) {
                CheckAnswer::Own(answer) => Answer::Own(native::respond(answer)?),
                CheckAnswer::Feed(file) => Answer::Feed(file),
            };
            Ok(Rendered { answer, is_latest })
        }
    }
}

/// 302 to a feed of the scope.
fn redirect<P: Ports>(
    ports: &P,
    question: &Question,
    audience: &Audience,
    file: &str,
) -> Result<Response, Failure> {
    let path = origin::feed_path(&question.scope, &question.version, file);
    let url = audience.onward(format!("{}{path}", settings::api_url(ports)?));
    Ok(response::redirect(&url)?)
}

/// Says that a response is made from data that could not be renewed.
pub fn with_staleness(mut response: Response, stale_seconds: Option<i64>) -> Response {
    if let Some(seconds) = stale_seconds {
        response.headers_mut().insert(STALE, HeaderValue::from(seconds));
    }
    response
}

/// Adds what caches go by: answers for one device are nobody else's; a stale one must not be kept.
pub fn caching(mut response: Response, is_personal: bool, if_none_match: Option<&str>) -> Response {
    if !is_personal && !response.headers().contains_key(&STALE) {
        return response::cacheable(response, if_none_match);
    }
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    response
}
