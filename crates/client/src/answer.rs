//! Reading the body of `GET /checkVersion` and `GET /responses/...`.

use serde::Deserialize;
use serde_json::{Map, Value};
use spindrift_core::Rollout;

use crate::update::Answer;
use crate::{Offer, PackageUrl};

/// What the keys of links begin with, when a package follows.
const PACKAGE_PREFIX: &str = "update_url_";

#[derive(Deserialize)]
struct AnswerBody {
    update_available: bool,
    #[serde(default)]
    possible_rollback: bool,
    rollout: Option<RolloutBody>,
    fallback: Option<OfferBody>,
    error: Option<String>,
    #[serde(flatten)]
    offer: OfferBody,
}

#[derive(Deserialize)]
struct RolloutBody {
    percent: u8,
    seed: String,
}

#[derive(Deserialize)]
struct OfferBody {
    version: Option<String>,
    update_url: Option<String>,
    signature: Option<String>,
    changelog: Option<String>,
    #[serde(default)]
    critical: bool,
    #[serde(default)]
    is_intermediate_required: bool,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The answer in a body. Unknown keys are ignored, `update_available` is required. The error says where the text is
/// not what it should be.
pub(crate) fn parse(body: &[u8]) -> Result<Answer, String> {
    let body: AnswerBody = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    Ok(Answer {
        update_available: body.update_available,
        offer: offer(body.offer)?,
        possible_rollback: body.possible_rollback,
        rollout: body.rollout.map(|rollout| Rollout { percent: rollout.percent, seed: rollout.seed }),
        fallback: body.fallback.map(offer).transpose()?,
        error: body.error,
    })
}

/// A static answer of an edge.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StaticAnswer {
    pub(crate) answer: Answer,
    /// Whether it is one for the updater `manual`, so that it says all that the service would say.
    pub(crate) is_manual: bool,
}

/// Any JSON is an answer of an edge. What is not for the updater `manual` is read as Squirrel.Mac and Tauri read theirs:
/// with a `url` there is an update, and without there is nothing to install.
pub(crate) fn parse_static(body: &[u8]) -> Result<StaticAnswer, String> {
    let value: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let manual = if value.get("url").is_none() { parse(body).ok() } else { None };
    Ok(match manual {
        Some(answer) => StaticAnswer { answer, is_manual: true },
        None => StaticAnswer { answer: of_another_updater(&value), is_manual: false },
    })
}

fn of_another_updater(value: &Value) -> Answer {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let flag = |name: &str| value.get(name).and_then(Value::as_bool);
    let url = text("url");
    Answer {
        update_available: url.is_some() && flag("update_available") != Some(false),
        offer: Offer {
            version: text("version").or_else(|| text("name")),
            update_url: url,
            signature: text("signature"),
            changelog: text("notes"),
            critical: flag("critical").unwrap_or_default(),
            ..Offer::default()
        },
        possible_rollback: false,
        rollout: None,
        fallback: None,
        error: None,
    }
}

fn offer(body: OfferBody) -> Result<Offer, String> {
    let mut package_urls = Vec::new();
    for (key, value) in body.rest {
        let Some(package) = key.strip_prefix(PACKAGE_PREFIX) else { continue };
        match value {
            Value::String(url) => package_urls.push(PackageUrl { package: package.to_owned(), url }),
            Value::Null => {}
            _ => return Err(format!("{key} is no text")),
        }
    }
    package_urls.sort_by(|a, b| a.package.cmp(&b.package));
    Ok(Offer {
        version: body.version,
        update_url: body.update_url,
        package_urls,
        signature: body.signature,
        changelog: body.changelog,
        critical: body.critical,
        is_intermediate_required: body.is_intermediate_required,
    })
}

#[cfg(test)]
mod tests;
