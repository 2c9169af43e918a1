//! Parsing the body of `GET /checkVersion` and `GET /responses/...`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use spindrift_api::{CheckBody, CheckLinks, FallbackBody, PatchBody};

use crate::scope::{GROUP, OS_VERSION};
use crate::update::{Rollout, UndecidedAnswer};
use crate::{CheckOptions, Offer, PackageUrl, Patch, Unmet};

/// Parses an answer. Unknown keys are ignored, `update_available` is required. The error names the invalid
/// place.
pub(crate) fn parse(body: &[u8]) -> Result<UndecidedAnswer, String> {
    let body: CheckBody<'_> = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let rollout = body.rollout.map(|rollout| Rollout::new(&rollout));
    Ok(UndecidedAnswer {
        update_available: body.update_available,
        offer: Offer {
            version: body.version.map(Into::into),
            changelog: body.changelog.map(Into::into),
            critical: body.critical,
            is_intermediate_required: body.is_intermediate_required.unwrap_or_default(),
            ..files(&body.links, &body.patches)
        },
        possible_rollback: body.possible_rollback.unwrap_or_default(),
        withdrawn: body.withdrawn.map(|withdrawn| withdrawn.reason.into()),
        unmet: body.unmet.map(Unmet::new),
        varies_with: body.varies_with.into_iter().map(Into::into).collect(),
        shut_off: body.shut_off.unwrap_or_default(),
        rollout,
        fallback: body.fallback.map(fallback),
        error: body.error.map(Into::into),
    })
}

fn fallback(body: FallbackBody<'_>) -> Offer {
    Offer {
        version: Some(body.version.into()),
        changelog: body.changelog.map(Into::into),
        critical: body.critical,
        is_intermediate_required: body.is_intermediate_required.unwrap_or_default(),
        ..files(&body.links, &body.patches)
    }
}

/// An offer with these files and no other fields.
fn files(links: &CheckLinks<'_>, patches: &BTreeMap<Cow<'_, str>, PatchBody<'_>>) -> Offer {
    let package =
        |(package, url): (&str, &str)| PackageUrl { package: package.to_owned(), url: url.to_owned() };
    Offer {
        update_url: links.update_url().map(str::to_owned),
        package_urls: links.packages().map(package).collect(),
        patches: patches.iter().filter_map(|(package, body)| Patch::new(package, body)).collect(),
        signature: links.signature().map(str::to_owned),
        ..Offer::default()
    }
}

/// A static answer from an edge.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StaticAnswer {
    pub(crate) answer: UndecidedAnswer,
    /// Whether it is for the updater `manual`, and therefore complete.
    pub(crate) is_manual: bool,
}

impl StaticAnswer {
    /// Whether the service, which gets all options, would answer the same. Answers for other
    /// updaters than `manual` do not name what they vary with, so they may always differ.
    pub(crate) fn is_for(&self, options: &CheckOptions) -> bool {
        if self.is_manual {
            !self.answer.varies_with.iter().any(|name| options.states(name))
        } else {
            !options.states(GROUP) && !options.states(OS_VERSION)
        }
    }
}

/// Accepts any JSON as an answer from an edge. An answer for another updater than `manual` is read like those
/// of Squirrel.Mac and Tauri: with a `url` there is an update, without one there is none.
pub(crate) fn parse_static(body: &[u8]) -> Result<StaticAnswer, String> {
    let value: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let manual = if value.get("url").is_none() { parse(body).ok() } else { None };
    Ok(match manual {
        Some(answer) => StaticAnswer { answer, is_manual: true },
        None => StaticAnswer { answer: parse_for_other_updater(&value), is_manual: false },
    })
}

fn parse_for_other_updater(value: &Value) -> UndecidedAnswer {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let flag = |name: &str| value.get(name).and_then(Value::as_bool);
    let url = text("url");
    UndecidedAnswer {
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
        withdrawn: None,
        unmet: None,
        varies_with: Vec::new(),
        shut_off: false,
        rollout: None,
        fallback: None,
        error: None,
    }
}

#[cfg(test)]
mod tests;
