//! The answer of `GET /checkVersion` for the updater `manual`.

use std::collections::BTreeMap;

use serde::Serialize;
use spindrift_core::{Decision, Fallback, ScopeArtifact, ScopeRelease};

/// Package of a file without an extension: its link has no suffix.
const NO_EXTENSION: &str = "no-extension";

/// How far the offered release is rolled out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RolloutBody {
    /// 0-100.
    pub percent: u8,
    /// Goes into the bucket: SHA-256(`device_id:seed`).
    pub seed: String,
}

/// `update_url`, `update_url_<package>` and `signature`.
type Links = BTreeMap<String, String>;

/// Body of an update check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckBody {
    /// A newer published release exists for the scope and this client may have it.
    pub update_available: bool,
    /// The offered release, or one on the way to it, is critical.
    pub critical: bool,
    /// The offered version; with no update the client's or the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Links by key.
    #[serde(flatten)]
    pub links: Links,
    /// Release notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changelog: Option<String>,
    /// The offered release must not be stepped over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_intermediate_required: Option<bool>,
    /// The client is newer than the newest published release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible_rollback: Option<bool>,
    /// For clients that decide themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout: Option<RolloutBody>,
    /// What a client outside the rollout installs instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackBody>,
    /// `Not found` when the scope has no published release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
}

/// The newest fully rolled out release, in the shape of the answer it stands in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FallbackBody {
    /// As in [`CheckBody`].
    pub critical: bool,
    /// As in [`CheckBody`].
    pub version: String,
    /// As in [`CheckBody`].
    #[serde(flatten)]
    pub links: Links,
    /// As in [`CheckBody`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changelog: Option<String>,
    /// As in [`CheckBody`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_intermediate_required: Option<bool>,
}

impl CheckBody {
    /// The answer for a decision; `nothing_published` when the scope has no published release at all.
    pub fn new(decision: &Decision<'_>, nothing_published: bool) -> Self {
        let release = decision.release;
        Self {
            update_available: decision.update_available,
            critical: decision.critical,
            version: release.map(|r| r.version.as_str().to_owned()),
            links: release.map(|r| links(&r.artifacts)).unwrap_or_default(),
            changelog: release.and_then(changelog),
            is_intermediate_required: release.and_then(|r| required(r, decision.update_available)),
            possible_rollback: decision.possible_rollback.then_some(true),
            rollout: release
                .filter(|r| !r.rollout.is_full())
                .map(|r| RolloutBody { percent: r.rollout.percent, seed: r.rollout.seed.clone() }),
            fallback: decision.fallback.as_ref().map(FallbackBody::new),
            error: nothing_published.then_some("Not found"),
        }
    }
}

impl FallbackBody {
    fn new(fallback: &Fallback<'_>) -> Self {
        Self {
            critical: fallback.critical,
            version: fallback.release.version.as_str().to_owned(),
            links: links(&fallback.release.artifacts),
            changelog: changelog(fallback.release),
            is_intermediate_required: required(fallback.release, true),
        }
    }
}

fn changelog(release: &ScopeRelease) -> Option<String> {
    (!release.changelog.is_empty()).then(|| release.changelog.clone())
}

fn required(release: &ScopeRelease, offered: bool) -> Option<bool> {
    (offered && release.intermediate).then_some(true)
}

fn links(artifacts: &[ScopeArtifact]) -> Links {
    let mut links = Links::new();
    for artifact in artifacts.iter().filter(|artifact| !artifact.package.is_feed_only()) {
        let key = match artifact.package.as_str() {
            NO_EXTENSION => "update_url".to_owned(),
            package => format!("update_url_{package}"),
        };
        links.entry(key).or_insert_with(|| artifact.url.clone());
        if let Some(signature) = &artifact.signature {
            links.entry("signature".to_owned()).or_insert_with(|| signature.clone());
        }
    }
    links
}
