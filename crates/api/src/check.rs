//! The answer of `GET /checkVersion` for the updater `manual`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use spindrift_core::{
    Decision, Fallback, FileContent, Rollout, ScopeArtifact, ScopePatch, ScopeRelease, Timestamp, VariesWith,
    Version,
};

use crate::RequiresBody;

/// Key of the link without a suffix.
const UPDATE_URL: &str = "update_url";
/// The keys of the other links begin with this; the package follows.
const PACKAGE_PREFIX: &str = "update_url_";
/// Key of the signature.
const SIGNATURE: &str = "signature";
/// Package of a file without an extension. Its key has no suffix.
const NO_EXTENSION: &str = "no-extension";

/// The rollout of the offered release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RolloutBody<'a> {
    /// Percentage of devices, 0-100, rounded down.
    pub percent: u8,
    /// The same in hundredths of a percent, if it is not a whole percentage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis_points: Option<u16>,
    /// Input of a device's position: SHA-256(`device_id:seed`).
    pub seed: Cow<'a, str>,
}

/// The keys `update_url`, `update_url_<package>` and `signature`, as far as an answer has them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CheckLinks<'a>(BTreeMap<Cow<'static, str>, Cow<'a, str>>);

impl CheckLinks<'_> {
    /// The link to the file without an extension.
    pub fn update_url(&self) -> Option<&str> {
        self.0.get(UPDATE_URL).map(Cow::as_ref)
    }

    /// The signature of the updater's file.
    pub fn signature(&self) -> Option<&str> {
        self.0.get(SIGNATURE).map(Cow::as_ref)
    }

    /// The other links, as pairs of package and URL, in alphabetical order of packages.
    pub fn packages(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|(key, url)| Some((key.strip_prefix(PACKAGE_PREFIX)?, url.as_ref())))
    }
}

/// Ignores all other keys, and treats `null` as absent.
impl<'de> Deserialize<'de> for CheckLinks<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LinksVisitor).map(Self)
    }
}

struct LinksVisitor;

impl<'de> Visitor<'de> for LinksVisitor {
    type Value = BTreeMap<Cow<'static, str>, Cow<'static, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut links = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            if key != UPDATE_URL && key != SIGNATURE && !key.starts_with(PACKAGE_PREFIX) {
                map.next_value::<IgnoredAny>()?;
            } else if let Some(text) = map.next_value::<Option<String>>()? {
                links.insert(key.into(), text.into());
            }
        }
        Ok(links)
    }
}

/// Body of an update check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckBody<'a> {
    /// A newer published release exists for the scope, and this client may have it.
    pub update_available: bool,
    /// The offered release is critical, or one between it and the client's version.
    #[serde(default)]
    pub critical: bool,
    /// The offered version. Without an update: the client's version or the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Cow<'a, str>>,
    /// Links to the files, and the signature.
    #[serde(flatten)]
    pub links: CheckLinks<'a>,
    /// Patches that make the files from those of the client's version, by package.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub patches: BTreeMap<Cow<'a, str>, PatchBody<'a>>,
    /// Release notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changelog: Option<Cow<'a, str>>,
    /// Clients must not skip the offered release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_intermediate_required: Option<bool>,
    /// The client is newer than the newest published release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible_rollback: Option<bool>,
    /// The rollout, for clients that decide for themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout: Option<RolloutBody<'a>>,
    /// The release that a client outside the rollout installs instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackBody<'a>>,
    /// The client's version was withdrawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<WithdrawnBody<'a>>,
    /// The newest release that does not run on the client's system, if the client may have none that is newer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmet: Option<UnmetBody<'a>>,
    /// The names, among `group` and `os_version`, that a client could say to get another answer. Only in answers without a device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub varies_with: Vec<Cow<'static, str>>,
    /// Updates are shut off: nothing newer than the client's version is offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shut_off: Option<bool>,
    /// `Not found` when the scope has no published release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Cow<'static, str>>,
}

/// The withdrawal of the client's version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WithdrawnBody<'a> {
    /// Why.
    pub reason: Cow<'a, str>,
}

/// A release that does not run on the client's system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnmetBody<'a> {
    /// Its version.
    pub version: Cow<'a, str>,
    /// The systems that it runs on.
    pub requires: RequiresBody,
}

/// A patch that makes a file from the one of the client's version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatchBody<'a> {
    /// Its URL.
    pub url: Cow<'a, str>,
    /// Its length in bytes.
    pub length: u64,
    /// SHA-256 of the patch itself, lower-case hex. Clients compare it before they apply the patch.
    pub sha256: Cow<'a, str>,
    /// How it is applied: `bidiff+brotli` or `binary-delta`. Clients ignore patches in formats that they do not know.
    pub format: Cow<'a, str>,
    /// SHA-256 of the file that it is applied to, lower-case hex.
    pub base_sha256: Cow<'a, str>,
    /// Length of the file that it makes, in bytes.
    pub file_length: u64,
    /// SHA-256 of that file, lower-case hex.
    pub file_sha256: Cow<'a, str>,
}

impl<'a> PatchBody<'a> {
    /// `file`: what the patch makes. `None`: nobody could verify the patch.
    fn new(patch: &'a ScopePatch, file: &'a FileContent) -> Option<Self> {
        Some(Self {
            url: (&patch.url).into(),
            length: patch.length,
            sha256: patch.sha256.as_ref()?.as_str().into(),
            format: (&patch.format).into(),
            base_sha256: patch.base_sha256.as_str().into(),
            file_length: file.length,
            file_sha256: file.sha256.as_str().into(),
        })
    }
}

/// The newest fully rolled out release, with the same keys as the answer around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FallbackBody<'a> {
    /// This release is critical, or one between it and the client's version.
    #[serde(default)]
    pub critical: bool,
    /// The version.
    pub version: Cow<'a, str>,
    /// Links to the files, and the signature.
    #[serde(flatten)]
    pub links: CheckLinks<'a>,
    /// Patches that make the files from those of the client's version, by package.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub patches: BTreeMap<Cow<'a, str>, PatchBody<'a>>,
    /// Release notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changelog: Option<Cow<'a, str>>,
    /// Clients must not skip it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_intermediate_required: Option<bool>,
}

impl<'a> CheckBody<'a> {
    /// The answer for a decision about a client at a time. `nothing_published`: the scope has no published release at all.
    pub fn new(decision: &Decision<'a>, client: &'a Version, nothing_published: bool, at: Timestamp) -> Self {
        let release = decision.release;
        let own_version = decision.shut_off.then_some(client);
        Self {
            update_available: decision.update_available,
            critical: decision.critical,
            version: release.map(|r| &r.version).or(own_version).map(|version| version.as_str().into()),
            links: release.map(|r| links(&r.artifacts)).unwrap_or_default(),
            patches: release
                .filter(|_| decision.update_available)
                .map(|release| patches(release, client))
                .unwrap_or_default(),
            changelog: release.and_then(changelog),
            is_intermediate_required: release.and_then(|r| required(r, decision.update_available)),
            possible_rollback: decision.possible_rollback.then_some(true),
            rollout: release
                .filter(|r| !decision.shut_off && !decision.skips_rollout && !r.rollout.is_full(at))
                .map(|r| RolloutBody::new(&r.rollout, at)),
            fallback: decision.fallback.as_ref().map(|fallback| FallbackBody::new(fallback, client)),
            withdrawn: decision.withdrawn.map(|reason| WithdrawnBody { reason: reason.into() }),
            unmet: decision.unmet.and_then(UnmetBody::new),
            varies_with: varies_with(decision.varies_with),
            shut_off: decision.shut_off.then_some(true),
            error: (nothing_published && !decision.shut_off).then_some("Not found".into()),
        }
    }
}

impl<'a> RolloutBody<'a> {
    fn new(rollout: &'a Rollout, at: Timestamp) -> Self {
        let part = rollout.offered(at);
        let basis_points = (!part.is_whole()).then(|| part.get());
        Self { percent: part.percent(), basis_points, seed: (&rollout.seed).into() }
    }
}

impl<'a> FallbackBody<'a> {
    fn new(fallback: &Fallback<'a>, client: &Version) -> Self {
        Self {
            critical: fallback.critical,
            version: fallback.release.version.as_str().into(),
            links: links(&fallback.release.artifacts),
            patches: patches(fallback.release, client),
            changelog: changelog(fallback.release),
            is_intermediate_required: required(fallback.release, true),
        }
    }
}

impl<'a> UnmetBody<'a> {
    fn new(release: &'a ScopeRelease) -> Option<Self> {
        let requires = release.conditions.requires.as_ref()?.into();
        Some(Self { version: release.version.as_str().into(), requires })
    }
}

fn patches<'a>(release: &'a ScopeRelease, client: &Version) -> BTreeMap<Cow<'a, str>, PatchBody<'a>> {
    let from_client = |artifact: &'a ScopeArtifact| {
        let (patch, file) = artifact.patch_from(client)?;
        Some((artifact.package.as_str().into(), PatchBody::new(patch, file)?))
    };
    release.artifacts.iter().filter_map(from_client).collect()
}

fn varies_with(varies: VariesWith) -> Vec<Cow<'static, str>> {
    let names = [(varies.group, "group"), (varies.os_version, "os_version")];
    names.into_iter().filter(|(is_one, _)| *is_one).map(|(_, name)| name.into()).collect()
}

fn changelog(release: &ScopeRelease) -> Option<Cow<'_, str>> {
    (!release.changelog.is_empty()).then_some((&release.changelog).into())
}

fn required(release: &ScopeRelease, offered: bool) -> Option<bool> {
    (offered && release.intermediate).then_some(true)
}

fn links(artifacts: &[ScopeArtifact]) -> CheckLinks<'_> {
    let mut links = BTreeMap::new();
    for artifact in artifacts.iter().filter(|artifact| !artifact.package.is_feed_only()) {
        let key = match artifact.package.as_str() {
            NO_EXTENSION => UPDATE_URL.into(),
            package => [PACKAGE_PREFIX, package].concat().into(),
        };
        links.entry(key).or_insert_with(|| (&artifact.url).into());
        if let Some(signature) = &artifact.signature {
            links.entry(SIGNATURE.into()).or_insert_with(|| signature.into());
        }
    }
    CheckLinks(links)
}
