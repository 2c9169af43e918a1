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
