//! The discovery documents of issuers, and the keys that they name
//! ([OpenID Connect Discovery §4](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig)).

use std::time::Duration;

use base16ct::lower::encode_string as hex;
use bytes::Bytes;
use http::{Request, StatusCode};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use spindrift_auth::IdentityKeys;
use spindrift_core::Timestamp;
use spindrift_service::deadline::Deadline;
use spindrift_service::{Failure, Ports, log};
use spindrift_storage::{HttpSend as _, collect_while};
use spindrift_web::KeyValueError;
use url::Url;

use crate::issuers::Issuers;
use crate::refusal;

/// The kinds of documents that are kept.
const KEYS: &str = "keys";
const DISCOVERY: &str = "discovery";
/// Largest answer of an issuer, in bytes.
pub(crate) const MAX_BYTES: usize = 256 * 1024;
/// How long keys are used without asking again, in seconds.
const FRESH_SECONDS: i64 = 10 * 60;
/// How long after an answer an unknown key id does not lead to another request, in seconds.
const UNKNOWN_KEY_SECONDS: i64 = 60;
/// How long after a failure nobody asks again, in seconds.
const FAILED_SECONDS: i64 = 5;
/// How long after its beginning an exchange begins no request and reads no more of an answer, in seconds.
const DEADLINE_SECONDS: i64 = 3;
/// How long each of connecting, the first byte and the next bytes may take. With the deadline, an issuer that
/// does not answer costs five seconds at most.
const TIME_OUT: Duration = Duration::from_secs(1);

/// A document of an issuer as kept in the key-value store: the time, and the text.
struct KeptDocument {
    asked_at: Timestamp,
    text: Vec<u8>,
}

/// Bytes of the time before the text.
const TIME_BYTES: usize = 8;

impl KeptDocument {
    fn load(ports: &impl Ports, what: &str, issuer: &str) -> Result<Option<Self>, KeyValueError> {
        let Some(value) = ports.get(&key(what, issuer))? else { return Ok(None) };
        let Some((time, text)) = value.split_first_chunk::<TIME_BYTES>() else { return Ok(None) };
        let asked_at = Timestamp::from_millis(i64::from_be_bytes(*time));
        Ok(Some(Self { asked_at, text: text.to_vec() }))
    }

    fn save(&self, ports: &impl Ports, what: &str, issuer: &str) {
        let value = [self.asked_at.as_millis().to_be_bytes().as_slice(), &self.text].concat();
        if let Err(error) = ports.set(&key(what, issuer), &value) {
            log::warn("a document of an issuer was not kept", &error);
        }
    }

    fn is_younger(&self, seconds: i64, now: Timestamp) -> bool {
        is_within(self.asked_at, seconds, now)
    }
}

/// Whether `then` was at most `seconds` ago. A clock that was ahead must not keep old keys.
fn is_within(then: Timestamp, seconds: i64, now: Timestamp) -> bool {
    then <= now && now < then.plus_seconds(seconds)
}

fn key(what: &str, issuer: &str) -> String {
    format!("identity.{what}.{}", hex(&Sha256::digest(issuer)))
}

/// Whether the issuer failed a moment ago. A failure has a key of its own, so that it does not replace keys that
/// are still good.
fn has_just_failed(ports: &impl Ports, issuer: &str, now: Timestamp) -> Result<bool, KeyValueError> {
    let noted = ports.get(&key("failed", issuer))?;
    let failed_at = noted.and_then(|value| Some(i64::from_be_bytes(value.try_into().ok()?)));
    Ok(failed_at.is_some_and(|at| is_within(Timestamp::from_millis(at), FAILED_SECONDS, now)))
}

fn note_failure(ports: &impl Ports, issuer: &str, now: Timestamp) {
    if let Err(error) = ports.set(&key("failed", issuer), &now.as_millis().to_be_bytes()) {
        log::warn("the failure of an issuer was not noted", &error);
    }
}

/// The keys of `issuer`. `is_known` says whether they suffice: if not, the issuer is asked again, at most once
/// a minute. 503 if it does not answer.
pub(crate) async fn keys_of(
    ports: &impl Ports,
    issuers: &Issuers,
    issuer: &str,
    is_known: impl Fn(&IdentityKeys) -> bool,
) -> Result<IdentityKeys, Failure> {
    let now = ports.now();
    let kept = KeptDocument::load(ports, KEYS, issuer)?;
    if let Some(kept) = &kept {
        match IdentityKeys::parse(&kept.text) {
            Ok(keys) if kept.is_younger(UNKNOWN_KEY_SECONDS, now) => return Ok(keys),
            Ok(keys) if kept.is_younger(FRESH_SECONDS, now) && is_known(&keys) => return Ok(keys),
            _ => {}
        }
    }
    if has_just_failed(ports, issuer, now)? {
        return Err(refusal::unavailable(issuer, "it did not answer a moment ago").into());
    }
    match ask(ports, issuers, issuer, now.plus_seconds(DEADLINE_SECONDS)).await {
        Ok((keys, text)) => {
            KeptDocument { asked_at: now, text }.save(ports, KEYS, issuer);
            Ok(keys)
        }
        Err(reason) => {
            note_failure(ports, issuer, now);
            Err(refusal::unavailable(issuer, &reason).into())
        }
    }
}

/// The fields of a discovery document that matter here.
#[derive(Deserialize)]
pub(crate) struct Discovery {
    issuer: String,
    jwks_uri: String,
    /// The page for sign-ins.
    pub(crate) authorization_endpoint: Option<String>,
    /// Where a code is exchanged.
    pub(crate) token_endpoint: Option<String>,
}

impl Discovery {
    fn parse(document: &[u8], issuer: &str) -> Result<Self, String> {
        let discovery: Self = serde_json::from_slice(document)
            .map_err(|_| "its discovery document has no issuer and no jwks_uri".to_owned())?;
        if discovery.issuer != issuer {
            return Err("its discovery document names another issuer".to_owned());
        }
        Ok(discovery)
    }
}

/// The discovery document of `issuer`, at most ten minutes old. 503 if it does not answer.
pub(crate) async fn discovery_of(ports: &impl Ports, issuer: &str) -> Result<Discovery, Failure> {
    let now = ports.now();
    let kept =
        KeptDocument::load(ports, DISCOVERY, issuer)?.filter(|kept| kept.is_younger(FRESH_SECONDS, now));
    if let Some(discovery) = kept.and_then(|kept| Discovery::parse(&kept.text, issuer).ok()) {
        return Ok(discovery);
    }
    if has_just_failed(ports, issuer, now)? {
        return Err(refusal::unavailable(issuer, "it did not answer a moment ago").into());
    }
    let asked = discover(ports, issuer, now.plus_seconds(DEADLINE_SECONDS)).await;
    let (discovery, text) = asked.map_err(|reason| {
        note_failure(ports, issuer, now);
        refusal::unavailable(issuer, &reason)
    })?;
    KeptDocument { asked_at: now, text }.save(ports, DISCOVERY, issuer);
    Ok(discovery)
}

async fn discover(
    ports: &impl Ports,
    issuer: &str,
    until: Timestamp,
) -> Result<(Discovery, Vec<u8>), String> {
    let base = issuer.trim_end_matches('/');
    let document = get(ports, &format!("{base}/.well-known/openid-configuration"), until).await?;
    Ok((Discovery::parse(&document, issuer)?, document.to_vec()))
}

/// Asks the issuer where its keys are, and then for the keys.
async fn ask(
    ports: &impl Ports,
    issuers: &Issuers,
    issuer: &str,
    until: Timestamp,
) -> Result<(IdentityKeys, Vec<u8>), String> {
    let (discovery, _) = discover(ports, issuer, until).await?;
    let address = |text: &str| Url::parse(text).map_err(|_| format!("{text:?} is not an address"));
    let keys_at = address(&discovery.jwks_uri)?.origin();
    let keys_at_text = keys_at.ascii_serialization();
    if keys_at != address(issuer)?.origin() && !issuers.may_keep_keys_at(issuer, &keys_at_text) {
        return Err(format!("its keys are at {keys_at_text}, which no setting names"));
    }
    let text = get(ports, &discovery.jwks_uri, until).await?;
    let keys = IdentityKeys::parse(&text).map_err(|error| format!("its keys are {error}"))?;
    Ok((keys, text.to_vec()))
}

async fn get(ports: &impl Ports, address: &str, until: Timestamp) -> Result<Bytes, String> {
    let request = Request::get(address)
        .header("accept", "application/json")
        .header("user-agent", "Spindrift")
        .body(Bytes::new())
        .map_err(|_| format!("{address:?} is not an address"))?;
    let answer =
        Deadline { ports, until }.send(request, TIME_OUT).await.map_err(|error| error.to_string())?;
    if answer.status() != StatusCode::OK {
        return Err(format!("it answered {}", answer.status().as_u16()));
    }
    let body = collect_while(answer.into_body(), MAX_BYTES, || ports.now() < until).await;
    body.map_err(|error| error.to_string())
}
