//! Signatures for Tauri. The old server returns only the signature of the file that a check offers.

use std::collections::BTreeMap;

use spindrift_core::{Updater, Version};

use super::link::{FileLink, FolderNames};
use super::server::FaynoSyncServer;
use super::wire::{FaynoSyncApp, FaynoSyncArtifact, FaynoSyncPlatform, FaynoSyncRelease, TauriCheck};
use crate::error::CliError;
use crate::exit;

/// A version below every release.
const LOWEST: &str = "0";
/// Extensions that the old server never offers in a check.
const NEVER_OFFERED: [&str; 2] = [".blockmap", ".nupkg"];

/// Signatures by the links of their files.
#[derive(Debug, Default)]
pub(super) struct Signatures(BTreeMap<String, String>);

/// A release, and its only file in a scope.
struct SignatureCandidate<'a> {
    version: Version,
    release: &'a FaynoSyncRelease,
    artifact: &'a FaynoSyncArtifact,
    /// Whether an answer with a signature can only be about this file.
    is_alone: bool,
}

impl Signatures {
    /// The signature of a file.
    pub(super) fn of(&self, link: &FileLink) -> Option<&str> {
        self.0.get(&link.identity()).map(String::as_str)
    }

    /// Fetches the signatures of an application. In each scope for Tauri, they are those of the
    /// newest release, and of the releases that must not be skipped.
    pub(super) async fn read(
        server: &FaynoSyncServer,
        platforms: &[FaynoSyncPlatform],
        app: &FaynoSyncApp,
        releases: &[FaynoSyncRelease],
    ) -> Result<Self, CliError> {
        let mut all = Self::default();
        let is_tauri = |name: &str| {
            platforms.iter().any(|platform| {
                platform.name == name
                    && platform.updaters.iter().any(|entry| entry.updater == Updater::Tauri.as_str())
            })
        };
        for (scope, candidates) in scopes(server, app, releases) {
            if !is_tauri(&scope.1) {
                continue;
            }
            for (place, candidate) in candidates.iter().enumerate() {
                let is_offered = candidate.release.intermediate || place + 1 == candidates.len();
                if !is_offered || !candidate.is_alone {
                    continue;
                }
                let before = place.checked_sub(1).and_then(|place| candidates.get(place));
                let asking = before.map_or(LOWEST, |before| before.release.version.as_str());
                all.ask(server, app, &scope, asking, candidate.artifact).await?;
            }
        }
        Ok(all)
    }

    async fn ask(
        &mut self,
        server: &FaynoSyncServer,
        app: &FaynoSyncApp,
        (channel, platform, arch): &(String, String, String),
        version: &str,
        artifact: &FaynoSyncArtifact,
    ) -> Result<(), CliError> {
        let query = [
            ("app_name", app.name.as_str()),
            ("version", version),
            ("channel", channel),
            ("platform", platform),
            ("arch", arch),
            ("owner", server.owner()),
            ("updater", Updater::Tauri.as_str()),
        ];
        let answer: Option<TauriCheck> = match server.get("/checkVersion", &query).await {
            // The server offers nothing in this scope.
            Err(CliError::OtherServer { exit: exit::USAGE | exit::NOT_FOUND, .. }) => None,
            other => other?,
        };
        let Some(answer) = answer.filter(|answer| answer.url == artifact.link) else { return Ok(()) };
        if let (Ok(link), false) = (FileLink::parse(&artifact.link), answer.signature.is_empty()) {
            let _ = self.0.insert(link.identity(), answer.signature);
        }
        Ok(())
    }
}

type Scopes<'a> = BTreeMap<(String, String, String), Vec<SignatureCandidate<'a>>>;

/// The published releases in each channel, platform and architecture, oldest first.
fn scopes<'a>(server: &FaynoSyncServer, app: &FaynoSyncApp, releases: &'a [FaynoSyncRelease]) -> Scopes<'a> {
    let mut all = Scopes::new();
    for release in releases.iter().filter(|release| release.published) {
        let Ok(version) = release.version.parse::<Version>() else { continue };
        for artifact in &release.artifacts {
            let place = FolderNames {
                owner: server.owner(),
                app: &app.name,
                version: &release.version,
                platform: &artifact.platform,
                arch: &artifact.arch,
            };
            let is_plain = FileLink::parse(&artifact.link).is_ok_and(|link| link.updater(&place).is_none());
            if !is_plain || NEVER_OFFERED.iter().any(|extension| artifact.link.ends_with(extension)) {
                continue;
            }
            let scope = (release.channel.clone(), artifact.platform.clone(), artifact.arch.clone());
            let of_scope = all.entry(scope).or_default();
            if let Some(same) = of_scope.iter_mut().find(|candidate| candidate.release.id == release.id) {
                same.is_alone = false;
            } else {
                of_scope.push(SignatureCandidate {
                    version: version.clone(),
                    release,
                    artifact,
                    is_alone: true,
                });
            }
        }
    }
    for candidates in all.values_mut() {
        candidates.sort_by(|a, b| a.version.cmp(&b.version));
    }
    all
}
