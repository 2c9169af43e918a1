//! The answer to an update check: the same for `/checkVersion`, for the edge and for static answers.

use http::{HeaderValue, StatusCode, header};
use spindrift_api::CheckBody;
use spindrift_auth::DownloadToken;
use spindrift_core::feeds::{NativeFormat, UpdaterRecord};
use spindrift_core::{Asker, DeviceId, Scope, ScopeRecord, Updater, Version, decide};
use spindrift_web::{ApiError, Response, response};

use crate::private_links::{Audience, carry};
use crate::records::Loaded;
use crate::{Failure, Ports, native, origin, scopes, settings, updater_records};

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
    /// What it downloads files of a private application with.
    pub download_token: Option<DownloadToken>,
}

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

    /// The updater that was answered.
    pub const fn updater(&self) -> Updater {
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
    let Loaded { mut record, stale_seconds } = scopes::load(ports, &question.scope).await?;
    let updater = record
        .updaters
        .resolve(question.updater.as_deref())
        .map_err(|_| ApiError::bad_request("updater not supported"))?;
    if let Some(format) = NativeFormat::of(updater) {
        return answer_native(ports, question, format).await;
    }
    let audience = carry(&mut record, question.download_token.as_ref());
    let asker = question.device.as_ref().map_or(Asker::Anonymous, |id| Asker::Device(id.expose()));
    let decision = decide(&record, &question.version, asker);
    let is_latest = !decision.update_available;
    let body = CheckBody::new(&decision, record.releases.is_empty());
    let response = with_staleness(response::json(StatusCode::OK, &body)?, stale_seconds);
    Ok(Answered { response, source: Source::Scope(record), is_latest, audience })
}

async fn answer_native<P: Ports>(
    ports: &P,
    question: &Question,
    format: NativeFormat,
) -> Result<Answered, Failure> {
    let updater = format.updater();
    let Loaded { mut record, stale_seconds } = updater_records::load(ports, &question.scope, updater).await?;
    let audience = carry(&mut record, question.download_token.as_ref());
    let asked = native::question(question, format, None);
    let decision = record.decide(asked.client, asked.asker());
    let is_latest = !decision.update_available;
    let newest = record.scope.releases.first().map(|release| &release.version);
    let feed_name = |version| record.own_part(version).map(|part| part.feed_name.as_str());
    let response = match format {
        NativeFormat::Yml { .. } if is_latest => response::empty(StatusCode::NO_CONTENT),
        NativeFormat::Yml { .. } => {
            let name = decision.version().and_then(feed_name).unwrap_or("latest.yml");
            redirect(ports, question, &audience, name)?
        }
        NativeFormat::Velopack => {
            let channel = question.scope.channel.as_ref().map_or(origin::UNUSED_DIMENSION, |c| c.as_str());
            let default = format!("releases.{channel}.json");
            redirect(ports, question, &audience, newest.and_then(feed_name).unwrap_or(&default))?
        }
        NativeFormat::Appcast => redirect(ports, question, &audience, "appcast.xml")?,
        NativeFormat::Releases | NativeFormat::SquirrelMac | NativeFormat::Tauri => {
            native::respond(&record, &asked)?
        }
    };
    let response = with_staleness(response, stale_seconds);
    Ok(Answered { response, source: Source::Updater(updater, record), is_latest, audience })
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
