//! The result of a check: the update to install, and the whole answer.

use serde::Deserialize as _;
use serde_json::{Value, json};
use spindrift_api::{PatchBody, RolloutBody, UnmetBody};
use spindrift_core::{BasisPoints, DeviceId, PatchFormat, Requirements, Sha256Hex};

/// The endpoint that answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The edge location. The answer may be as old as the edge's cache allows.
    Edge,
    /// The service itself.
    Api,
}

/// A link to one package of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageUrl {
    /// Its extension without the dot: `deb`, `dmg`, `msi`.
    pub package: String,
    /// Its URL.
    pub url: String,
}

/// A patch, which makes a package of a release from the installed one. See
/// [`Download::with_patch`](crate::Download::with_patch).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Patch {
    /// The package that it makes.
    pub package: String,
    /// Its URL.
    pub url: String,
    /// Its length in bytes.
    pub length: u64,
    /// Its own digest.
    pub sha256: Sha256Hex,
    /// The digest of the file that it is applied to.
    pub base_sha256: Sha256Hex,
    /// The length of the file that it makes, in bytes.
    pub file_length: u64,
    /// The digest of that file.
    pub file_sha256: Sha256Hex,
}

impl Patch {
    /// A patch of a package, as the answers of checks and of Tauri's feed have it. `None`: it is malformed, or
    /// this version of the library cannot apply it.
    pub fn from_json(package: &str, patch: &Value) -> Option<Self> {
        Self::new(package, &PatchBody::deserialize(patch).ok()?)
    }

    /// `None`: this version of the library cannot apply it.
    pub(crate) fn new(package: &str, body: &PatchBody<'_>) -> Option<Self> {
        if body.format != PatchFormat::BidiffBrotli.as_str() {
            return None;
        }
        Some(Self {
            package: package.to_owned(),
            url: body.url.clone().into_owned(),
            length: body.length,
            sha256: body.sha256.parse().ok()?,
            base_sha256: body.base_sha256.parse().ok()?,
            file_length: body.file_length,
            file_sha256: body.file_sha256.parse().ok()?,
        })
    }
}

/// A release that this installed copy may and should install.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Update {
    /// Its version.
    pub version: String,
    /// The URL of the file without an extension, if there is one.
    pub update_url: Option<String>,
    /// The URLs of the other files, sorted by package.
    pub package_urls: Vec<PackageUrl>,
    /// The patches that make files of it from those of the installed version, sorted by package.
    pub patches: Vec<Patch>,
    /// The signature uploaded with it, unchanged. The library does not verify it.
    pub signature: Option<String>,
    /// Release notes.
    pub changelog: Option<String>,
    /// Whether it, or a release between it and the installed version, is critical.
    pub critical: bool,
    /// Whether it must be installed before anything newer is offered.
    pub is_intermediate_required: bool,
    /// The endpoint that answered.
    pub source: Source,
}

impl Update {
    /// The URL of a package. `None`: the release does not have it. The empty name means the file without an
    /// extension.
    pub fn url_of(&self, package: &str) -> Option<&str> {
        url_of(self.update_url.as_deref(), &self.package_urls, package)
    }

    /// The patch that makes a package. `None`: there is none from the installed version, or none that this
    /// version of the library can apply. The empty name means the file without an extension.
    pub fn patch_of(&self, package: &str) -> Option<&Patch> {
        let package = if package.is_empty() { NO_EXTENSION } else { package };
        self.patches.iter().find(|patch| patch.package == package)
    }
}

/// The package of the file without an extension, where it has a name.
pub(crate) const NO_EXTENSION: &str = "no-extension";

fn url_of<'a>(update_url: Option<&'a str>, links: &'a [PackageUrl], package: &str) -> Option<&'a str> {
    if package.is_empty() {
        return update_url;
    }
    links.iter().find(|link| link.package == package).map(|link| link.url.as_str())
}

/// A release, as described in an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offer {
    /// Its version. `None`: there is no release, or the answer does not contain the version.
    pub version: Option<String>,
    /// The URL of the file without an extension, if there is one.
    pub update_url: Option<String>,
    /// The URLs of the other files, sorted by package.
    pub package_urls: Vec<PackageUrl>,
    /// The patches that make files of it from those of the installed version, sorted by package.
    pub patches: Vec<Patch>,
    /// The signature uploaded with it, unchanged. The library does not verify it.
    pub signature: Option<String>,
    /// Release notes.
    pub changelog: Option<String>,
    /// Whether it, or a release between it and the installed version, is critical.
    pub critical: bool,
    /// Whether it must be installed before anything newer is offered.
    pub is_intermediate_required: bool,
}

impl Offer {
    /// The URL of a package. `None`: the release does not have it. The empty name means the file without an
    /// extension.
    pub fn url_of(&self, package: &str) -> Option<&str> {
        url_of(self.update_url.as_deref(), &self.package_urls, package)
    }
}

/// The whole answer to a check.
///
/// The rollout is already applied: using only [`update_available`](Self::update_available) and the links is
/// correct.
#[expect(clippy::struct_excessive_bools, reason = "independent facts of an answer")]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckResult {
    /// Whether there is a release that this installed copy may and should install.
    pub update_available: bool,
    /// The release to install. If there is no update, it is the installed release or the newest
    /// one. Empty if the rollout holds the only newer release back from this device.
    pub offer: Offer,
    /// Whether the installed version is newer than the newest published one. The application decides whether
    /// to roll back; the library never does.
    pub possible_rollback: bool,
    /// Why the publisher has withdrawn the installed version. `None`: it is not withdrawn. Show it as plain
    /// text.
    pub withdrawn: Option<String>,
    /// The newest release that requires another version of the operating system than the options
    /// state. `None`: there is no such release, or another one can be installed.
    pub unmet: Option<Unmet>,
    /// Whether the publisher has shut off all updates. Then nothing newer than the installed version is
    /// offered.
    pub shut_off: bool,
    /// Whether the rollout holds the newest release back from this device. Then [`offer`](Self::offer) is the
    /// fallback or empty.
    pub held_back: bool,
    /// The rollout of the newest release. `None`: every device may have it.
    pub rollout: Option<Rollout>,
    /// The newest release for devices outside the rollout, as answered. `None`: it is not newer than the
    /// installed version.
    pub fallback: Option<Offer>,
    /// A message from the service: `Not found` if the scope has no published release.
    pub error: Option<String>,
    /// The endpoint that answered.
    pub source: Source,
}

/// A release that this installed copy is not offered because of the system that it runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unmet {
    /// Its version.
    pub version: String,
    /// The systems that it runs on. As text it is like `os_version 12 or later`. `None`: this version of the
    /// library does not know such requirements.
    pub requires: Option<Requirements>,
}

impl Unmet {
    pub(crate) fn new(body: UnmetBody<'_>) -> Self {
        let requires = Requirements::from_json(&json!(body.requires)).ok().flatten();
        Self { version: body.version.into(), requires }
    }
}

/// An answer offers an update without a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MissingVersion;

impl CheckResult {
    /// The update to install, if there is one.
    pub(crate) fn into_update(self) -> Result<Option<Update>, MissingVersion> {
        if !self.update_available {
            return Ok(None);
        }
        let offer = self.offer;
        Ok(Some(Update {
            version: offer.version.ok_or(MissingVersion)?,
            update_url: offer.update_url,
            package_urls: offer.package_urls,
            patches: offer.patches,
            signature: offer.signature,
            changelog: offer.changelog,
            critical: offer.critical,
            is_intermediate_required: offer.is_intermediate_required,
            source: self.source,
        }))
    }
}

/// How far a release is rolled out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rollout {
    /// The part of all devices that may have it.
    pub part: BasisPoints,
    /// Determines the release's own order of devices.
    pub seed: String,
}

impl Rollout {
    pub(crate) fn new(body: &RolloutBody<'_>) -> Self {
        let exact = body.basis_points.and_then(BasisPoints::new);
        let part = exact.unwrap_or_else(|| BasisPoints::from_percent(body.percent));
        Self { part, seed: body.seed.clone().into_owned() }
    }
}

/// An answer before the rollout is applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UndecidedAnswer {
    pub(crate) update_available: bool,
    pub(crate) offer: Offer,
    pub(crate) possible_rollback: bool,
    pub(crate) withdrawn: Option<String>,
    pub(crate) unmet: Option<Unmet>,
    /// The facts that would change the answer if the client sent them.
    pub(crate) varies_with: Vec<String>,
    pub(crate) shut_off: bool,
    pub(crate) rollout: Option<Rollout>,
    pub(crate) fallback: Option<Offer>,
    pub(crate) error: Option<String>,
}

impl UndecidedAnswer {
    /// Applies the rollout for a device. A device without an identifier is outside every rollout under 100
    /// percent.
    pub(crate) fn decide(self, device: Option<&DeviceId>, source: Source) -> CheckResult {
        let admitted = self.rollout.as_ref().is_none_or(|rollout| {
            rollout.part.is_all()
                || device.is_some_and(|device| rollout.part.admits(device.expose(), &rollout.seed))
        });
        let held_back = self.update_available && !admitted;
        let (update_available, offer) = match (held_back, &self.fallback) {
            (false, _) => (self.update_available, self.offer),
            (true, Some(fallback)) => (true, fallback.clone()),
            (true, None) => (false, Offer::default()),
        };
        CheckResult {
            update_available,
            offer,
            possible_rollback: self.possible_rollback,
            withdrawn: self.withdrawn,
            unmet: self.unmet,
            shut_off: self.shut_off,
            held_back,
            rollout: self.rollout,
            fallback: self.fallback,
            error: self.error,
            source,
        }
    }
}

#[cfg(test)]
mod tests;
