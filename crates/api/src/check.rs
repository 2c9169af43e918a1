//! The answer of `GET /checkVersion` for the updater `manual`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use spindrift_core::{Decision, Fallback, ScopeArtifact, ScopeRelease};

/// Package of a file without an extension: its link has no suffix.
const NO_EXTENSION: &str = "no-extension";

/// How far the offered release is rolled out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RolloutBody<'a> {
    /// 0-100.
    pub percent: u8,
    /// Goes into the bucket: SHA-256(`device_id:seed`).
    pub seed: &'a str,
}

/// `update_url`, `update_url_<package>` and `signature`.
type Links<'a> = BTreeMap<Cow<'static, str>, &'a str>;

/// Body of an update check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckBody<'a> {
    /// A newer published release exists for the scope and this client may have it.
    pub update_available: bool,
    /// The offered release, or one on the way to it, is critical.
    pub critical: bool,
    /// The offered version; with no update the client's or the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<&'a str>,
    /// Links by key.
    #[serde(flatten)]
    pub links: Links<'a>,
    /// Release notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changelog: Option<&'a str>,
    /// The offered release must not be stepped over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_intermediate_required: Option<bool>,
    /// The client is newer than the newest published release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible_rollback: Option<bool>,
    /// For clients that decide themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout: Option<RolloutBody<'a>>,
    /// What a client outside the rollout installs instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackBody<'a>>,
    /// `Not found` when the scope has no published release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
}

/// The newest fully rolled out release, in the shape of the answer it stands in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FallbackBody<'a> {
    /// As in [`CheckBody`].
    pub critical: bool,
    /// As in [`CheckBody`].
    pub version: &'a str,
    /// As in [`CheckBody`].
    #[serde(flatten)]
    pub links: Links<'a>,
    /// As in [`CheckBody`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changelog: Option<&'a str>,
    /// As in [`CheckBody`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_intermediate_required: Option<bool>,
}

impl<'a> CheckBody<'a> {
    /// The answer for a decision; `nothing_published` when the scope has no published release at all.
    pub fn new(decision: &Decision<'a>, nothing_published: bool) -> Self {
        let release = decision.release;
        Self {
            update_available: decision.update_available,
            critical: decision.critical,
            version: release.map(|r| r.version.as_str()),
            links: release.map(|r| links(&r.artifacts)).unwrap_or_default(),
            changelog: release.and_then(changelog),
            is_intermediate_required: release.and_then(|r| required(r, decision.update_available)),
            possible_rollback: decision.possible_rollback.then_some(true),
            rollout: release
                .filter(|r| !r.rollout.is_full())
                .map(|r| RolloutBody { percent: r.rollout.percent, seed: &r.rollout.seed }),
            fallback: decision.fallback.as_ref().map(FallbackBody::new),
            error: nothing_published.then_some("Not found"),
        }
    }
}

impl<'a> FallbackBody<'a> {
    fn new(fallback: &Fallback<'a>) -> Self {
        Self {
            critical: fallback.critical,
            version: fallback.release.version.as_str(),
            links: links(&fallback.release.artifacts),
            changelog: changelog(fallback.release),
            is_intermediate_required: required(fallback.release, true),
        }
    }
}

fn changelog(release: &ScopeRelease) -> Option<&str> {
    (!release.changelog.is_empty()).then_some(release.changelog.as_str())
}

fn required(release: &ScopeRelease, offered: bool) -> Option<bool> {
    (offered && release.intermediate).then_some(true)
}

fn links(artifacts: &[ScopeArtifact]) -> Links<'_> {
    let mut links = Links::new();
    for artifact in artifacts.iter().filter(|artifact| !artifact.package.is_feed_only()) {
        let key = match artifact.package.as_str() {
            NO_EXTENSION => "update_url".into(),
            package => ["update_url_", package].concat().into(),
        };
        links.entry(key).or_insert(&artifact.url);
        if let Some(signature) = &artifact.signature {
            links.entry("signature".into()).or_insert(signature);
        }
    }
    links
}
