//! What a check found, and who may have it.

use spindrift_core::{DeviceId, Rollout};

/// Which of the two answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The edge location: the answer may be as old as the edge keeps answers.
    Edge,
    /// The service itself.
    Api,
}

/// A link to one package of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageUrl {
    /// Its extension without the dot: `deb`, `dmg`, `msi`.
    pub package: String,
    /// Where it is.
    pub url: String,
}

/// A release, as an answer describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offer {
    /// Its version; `None` when the scope has no published release.
    pub version: Option<String>,
    /// The file without an extension, if there is one.
    pub update_url: Option<String>,
    /// The other files, by package in alphabetical order.
    pub package_urls: Vec<PackageUrl>,
    /// The signature that was uploaded with it, as it is. The library does not verify it.
    pub signature: Option<String>,
    /// Release notes.
    pub changelog: Option<String>,
    /// It, or a release between it and the installed version, is critical.
    pub critical: bool,
    /// It must be installed before anything newer is offered.
    pub is_intermediate_required: bool,
}

impl Offer {
    /// The link to a package: `None` for one that the release does not have. The empty name is the file without an
    /// extension.
    pub fn url_of(&self, package: &str) -> Option<&str> {
        if package.is_empty() {
            return self.update_url.as_deref();
        }
        self.package_urls.iter().find(|link| link.package == package).map(|link| link.url.as_str())
    }
}

/// What a check found.
///
/// The rollout is already decided. Whoever looks at [`update_available`](Self::update_available) and the links alone
/// does the right thing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Update {
    /// There is a release that this installation may and should install.
    pub update_available: bool,
    /// That release. Without an update the one that is installed or the newest; empty when the only newer one is held
    /// back from this device.
    pub offer: Offer,
    /// The installed version is newer than the newest published one. Going back is the application's decision, never
    /// the library's.
    pub possible_rollback: bool,
    /// The newest release is held back from this device by its rollout, so that [`offer`](Self::offer) is the
    /// fallback or empty.
    pub held_back: bool,
    /// How far the newest release is rolled out; `None` when every device may have it.
    pub rollout: Option<Rollout>,
    /// The newest release for devices outside the rollout, as answered; `None` when that is not newer than the
    /// installed version.
    pub fallback: Option<Offer>,
    /// A remark of the service: `Not found` when the scope has no published release.
    pub error: Option<String>,
    /// Who answered.
    pub source: Source,
}

/// An answer before the rollout is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) update_available: bool,
    pub(crate) offer: Offer,
    pub(crate) possible_rollback: bool,
    pub(crate) rollout: Option<Rollout>,
    pub(crate) fallback: Option<Offer>,
    pub(crate) error: Option<String>,
}

impl Answer {
    /// What it means for a device. One without an identifier is outside every rollout under 100 percent.
    pub(crate) fn decide(self, device: Option<&DeviceId>, source: Source) -> Update {
        let admitted = self.rollout.as_ref().is_none_or(|rollout| {
            rollout.is_full() || device.is_some_and(|device| rollout.admits(device.expose()))
        });
        let held_back = self.update_available && !admitted;
        let (update_available, offer) = match (held_back, &self.fallback) {
            (false, _) => (self.update_available, self.offer),
            (true, Some(fallback)) => (true, fallback.clone()),
            (true, None) => (false, Offer::default()),
        };
        Update {
            update_available,
            offer,
            possible_rollback: self.possible_rollback,
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
