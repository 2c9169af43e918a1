//! The reasons for the offer to a client: the rules of `spindrift_core`, applied release by release.

use std::collections::BTreeMap;

use spindrift_api::{ArtifactEntry, ReleaseEntry};
use spindrift_core::feeds::NativeQuestion;
use spindrift_core::{
    Asker, BasisPoints, DeviceId, Id, Package, PlatformUpdaters, Rollout, Scope, ScopeRecord, ScopeRelease,
    Timestamp, Updater, Version, decide, position,
};

/// The lists that releases come from hold the percentages of the present.
const NOW: Timestamp = Timestamp::from_millis(0);

/// A client that asks for an update.
#[derive(Debug, Clone)]
pub(super) struct Client {
    pub(super) scope: Scope,
    pub(super) version: Version,
    pub(super) device: Option<DeviceId>,
    pub(super) updater: Updater,
}

/// The outcome of the rules for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Why {
    /// The version on offer. `None`: nothing newer.
    pub(super) offered: Option<Version>,
    /// Every release that is newer than the client's version, newest first.
    pub(super) newer: Vec<(Version, Verdict)>,
    /// The client is newer than everything in its place.
    pub(super) is_ahead: bool,
}

/// Why a release is offered or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is on offer; the client decides about a rollout of this percentage.
    Offered { client_decides: Option<u8> },
    /// It is not published.
    Draft,
    /// It is in a channel that the client's channel does not include.
    OtherChannel(String),
    /// It has no file for the platform and architecture.
    NoFile,
    /// Signed metadata does not list its files.
    NotListed,
    /// It has no file that the updater installs.
    NotInstallable,
    /// The rollout does not reach the device. `position`: of the device, 0 to 99; `None`: the client names no device.
    NotRolledOut { position: Option<u8>, percent: u8 },
    /// An intermediate release comes first.
    HeldBack { by: Version },
    /// A newer one is offered.
    Surpassed { by: Version },
    /// None of the reasons known here.
    Unknown,
}

impl Why {
    /// `releases`: of the application. `includes`: the channels that the client's channel includes.
    pub(super) fn of(client: &Client, releases: &[ReleaseEntry], includes: &[String]) -> Self {
        let mut newer = BTreeMap::new();
        let mut candidates = Vec::new();
        for release in releases {
            let Ok(version) = release.version.parse::<Version>() else { continue };
            match candidate(client, release, &version, includes) {
                Ok(candidate) => candidates.push(candidate),
                Err(verdict) if version > client.version => {
                    newer.insert(version, verdict);
                }
                Err(_) => {}
            }
        }
        candidates.sort_by(|a, b| b.version.cmp(&a.version));
        let record = record(candidates);
        let decision = decide(&record, &client.version, client.asker(), NOW);
        let offered = decision.release.filter(|_| decision.update_available);
        for release in record.releases.iter().filter(|release| release.version > client.version) {
            newer.insert(release.version.clone(), client.verdict(release, offered, &record.releases));
        }
        Self {
            offered: offered.map(|release| release.version.clone()),
            newer: newer.into_iter().rev().collect(),
            is_ahead: decision.possible_rollback,
        }
    }
}

impl Client {
    /// The client as an asker, by the rules for its updater.
    fn asker(&self) -> Asker<'_> {
        let Self { scope, version: client, updater, .. } = self;
        let device = self.device.as_ref().map(DeviceId::expose);
        match (updater, device) {
            (Updater::Manual, Some(device)) => Asker::Device(device),
            (Updater::Manual, None) => Asker::Anonymous,
            _ => NativeQuestion { updater: *updater, file: "", scope, client, device, bundle: None, at: NOW }
                .asker(),
        }
    }

    /// Channel, platform and architecture; empty if it names none.
    pub(super) fn place(&self) -> [&str; 3] {
        self.scope.dimensions().map(Option::unwrap_or_default)
    }

    fn may_have(&self, release: &ScopeRelease) -> bool {
        match self.asker() {
            Asker::Anonymous => true,
            Asker::Outsider => release.rollout.is_full(NOW),
            Asker::Device(device) => release.rollout.admits(device, NOW),
        }
    }

    /// Why a release that clients of this place and updater can get is offered to this one, or not.
    fn verdict(
        &self,
        release: &ScopeRelease,
        offered: Option<&ScopeRelease>,
        candidates: &[ScopeRelease],
    ) -> Verdict {
        let is_offered = offered.is_some_and(|offered| offered.version == release.version);
        let decides = matches!(self.asker(), Asker::Anonymous) && !release.rollout.is_full(NOW);
        if is_offered {
            return Verdict::Offered {
                client_decides: decides.then_some(release.rollout.basis_points.percent()),
            };
        }
        if !self.may_have(release) {
            let position = self.device.as_ref().map(|device| {
                u8::try_from(position(device.expose(), &release.rollout.seed) / 100).unwrap_or(0)
            });
            return Verdict::NotRolledOut { position, percent: release.rollout.basis_points.percent() };
        }
        if let Some(newer) = offered.filter(|offered| offered.version > release.version) {
            return Verdict::Surpassed { by: newer.version.clone() };
        }
        let mut lowest = candidates.iter().rev();
        let by = lowest.find(|other| other.intermediate && other.version > self.version);
        by.map_or(Verdict::Unknown, |by| Verdict::HeldBack { by: by.version.clone() })
    }
}

/// The release as clients of this place and updater see it, or why they do not.
fn candidate(
    client: &Client,
    release: &ReleaseEntry,
    version: &Version,
    includes: &[String],
) -> Result<ScopeRelease, Verdict> {
    if !release.published {
        return Err(Verdict::Draft);
    }
    let [channel, platform, arch] = client.place();
    if release.channel != channel && !includes.contains(&release.channel) {
        return Err(Verdict::OtherChannel(release.channel.clone()));
    }
    let here: Vec<&ArtifactEntry> = release
        .artifacts
        .iter()
        .filter(|artifact| artifact.platform == platform && artifact.arch == arch)
        .collect();
    if here.is_empty() {
        return Err(Verdict::NoFile);
    }
    let here: Vec<&ArtifactEntry> = here.into_iter().filter(|artifact| artifact.offered).collect();
    if here.is_empty() {
        return Err(Verdict::NotListed);
    }
    if !here.iter().any(|artifact| is_installable(client.updater, artifact)) {
        return Err(Verdict::NotInstallable);
    }
    Ok(ScopeRelease {
        version: version.clone(),
        intermediate: release.intermediate,
        rollout: Rollout {
            is_halted: release.rollout_state == "halted",
            ..Rollout::fixed(
                BasisPoints::new(release.basis_points).unwrap_or(BasisPoints::NONE),
                release.rollout_seed.clone(),
            )
        },
        changelog: String::new(),
        released_at: Timestamp::from_millis(0),
        artifacts: Vec::new(),
    })
}

/// An updater with feeds installs what was published with its feed; the others look at the file.
fn is_installable(updater: Updater, artifact: &ArtifactEntry) -> bool {
    if updater == Updater::Manual {
        return true;
    }
    if updater.keeps_file_names() {
        return artifact.updater == updater.as_str();
    }
    artifact
        .package
        .parse::<Package>()
        .is_ok_and(|package| updater.is_installable(&package, artifact.has_signature))
}

/// Of it, only the releases matter for a decision.
fn record(releases: Vec<ScopeRelease>) -> ScopeRecord {
    ScopeRecord {
        app_id: Id::from_text(""),
        cdn: false,
        derived_at: Timestamp::from_millis(0),
        read_at: Timestamp::from_millis(0),
        revision: 0,
        link_settings: 0,
        stands_for: None,
        updaters: PlatformUpdaters::default(),
        releases,
        critical: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
