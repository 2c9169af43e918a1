//! Signs what was just published: exactly the files that this machine has hashed, under names
//! computed here.

use serde::Serialize;
use spindrift_api::{BootstrapState, TargetEntry};
use spindrift_core::{FileName, ReleaseMetadata, Updater};
use spindrift_trust::{KeyId, RepositoryName, RootRole, Signed, TargetCustom, TargetFiles, TargetName};

use super::add_files::add_files;
use super::calls::{Calls, read_file};
use super::change::{ListOutcome, change_list_from};
use super::key_ring::TARGETS_KEY;
use super::options::{SigningOptions, TrustOptions};
use super::plan::Naming;
use super::reported_files::SeenFile;
use super::signing_session::{SigningSession, service_keys};
use super::view::PinnedRoot;
use crate::context::Context;
use crate::error::CliError;
use crate::service::Service;

/// The repository of the published files.
#[derive(Debug)]
pub(crate) enum Publisher {
    /// Lists are verified from the pinned root.
    Pinned(Box<SigningSession>),
    /// There is neither a pinned root nor a key, so nothing can be signed here.
    Unpinned { calls: Calls, state: Box<BootstrapState> },
}

/// Whether clients trust the published files.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct PublishedTrust {
    /// The role that lists the files.
    role: String,
    /// The version that lists the files, if known.
    version: Option<u64>,
    state: TrustState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum TrustState {
    /// Clients trust the files.
    Listed,
    /// Clients will trust the files when others have signed.
    Waiting,
    /// The service signs the files when the release is published.
    Service,
}

impl PublishedTrust {
    /// Whether others have to sign.
    pub(crate) fn is_waiting(&self) -> bool {
        self.state == TrustState::Waiting
    }

    /// Whether the current list has the files.
    pub(crate) fn is_listed(&self) -> bool {
        self.state == TrustState::Listed
    }

    /// The result as one line of text.
    pub(crate) fn as_text(&self) -> String {
        let version = self.version.map_or_else(String::new, |version| format!(" {version}"));
        match self.state {
            TrustState::Listed => format!("signed in {}{version}", self.role),
            TrustState::Waiting => {
                "waiting for signatures: `spindrift trust sign FILES` where the key is".to_owned()
            }
            TrustState::Service => "signed by the service".to_owned(),
        }
    }
}

impl Publisher {
    /// Looks for a repository before anything is uploaded. `None`: the application has none.
    pub(crate) async fn find(
        context: &Context,
        service: &Service,
        app: &str,
        trust: &TrustOptions,
        signing: &SigningOptions,
    ) -> Result<Option<Self>, CliError> {
        let calls = Calls { service: service.clone(), app: app.to_owned() };
        let state = match calls.state().await {
            Ok(state) => state.filter(|state| state.bootstrap),
            // The upload will fail with a better message.
            Err(CliError::Refused(refusal)) if matches!(refusal.status, 403 | 404) => None,
            Err(error) => return Err(error),
        };
        let Some(state) = state else { return Ok(None) };
        let has_key =
            !signing.keys.is_empty() || std::env::var_os(TARGETS_KEY).is_some_and(|key| !key.is_empty());
        let pinned = match PinnedRoot::find(&trust.trust_root)? {
            None if has_key => PinnedRoot::read(&trust.trust_root)?,
            None => return Ok(Some(Self::Unpinned { calls, state: Box::new(state) })),
            Some(pinned) => pinned,
        };
        SigningSession::of(context, calls, state, pinned, trust, signing)
            .map(|session| Some(Self::Pinned(Box::new(session))))
    }

    /// Signs a list with these files, and sends it.
    pub(crate) async fn sign(
        self,
        release: &ReleaseMetadata,
        files: &[(FileName, SeenFile)],
    ) -> Result<PublishedTrust, CliError> {
        let mut session = match self {
            Self::Pinned(session) => session,
            Self::Unpinned { calls, state } => return unpinned(&calls, &state).await,
        };
        let view = session.view().await?;
        if session.service_signs(&view) {
            return Ok(of_service());
        }
        let updater: Option<Updater> = release.updater.as_deref().and_then(|name| name.parse().ok());
        // For other updaters, files keep their names only if a feed names them.
        let updater = updater.filter(|updater| updater.keeps_file_names());
        let naming = session.naming.clone().with_updater(updater);
        let repository = session.repository.clone();
        let lifetime = spindrift_trust::RoleName::Targets.lifetimes().default;
        let changed = change_list_from(&mut session, view, lifetime, async |session, view| {
            let version = release.version.to_string();
            let there = session.calls.artifacts(&[("version", &version), ("also", "listed")]).await?;
            let files = name_files(&naming, &repository, release, files, &there.entries)?;
            add_files(session, view, &files, &there).await
        })
        .await?;
        let is_waiting = changed.outcome.is_waiting();
        Ok(PublishedTrust {
            role: changed.role,
            version: (changed.outcome != ListOutcome::NoKey).then_some(changed.version),
            state: if is_waiting { TrustState::Waiting } else { TrustState::Listed },
        })
    }
}

fn of_service() -> PublishedTrust {
    PublishedTrust { role: "targets".to_owned(), version: None, state: TrustState::Service }
}

/// Without a pinned root, the unverified state is used only in the command's output.
async fn unpinned(calls: &Calls, state: &BootstrapState) -> Result<PublishedTrust, CliError> {
    let root: Option<Signed<RootRole>> =
        calls.root().await?.map(|file| read_file("root", &file)).transpose()?;
    let keys = service_keys(state);
    let is_service = root.is_some_and(|root| {
        root.role().targets().keyids().iter().map(KeyId::as_str).any(|id| keys.contains(id))
    });
    if is_service {
        return Ok(of_service());
    }
    Ok(PublishedTrust { role: "targets".to_owned(), version: None, state: TrustState::Waiting })
}

/// The files under the names that the service gave them. Fails if a file may not have its name.
fn name_files(
    naming: &Naming,
    repository: &RepositoryName,
    release: &ReleaseMetadata,
    files: &[(FileName, SeenFile)],
    entries: &[TargetEntry],
) -> Result<TargetFiles, CliError> {
    let mut all = TargetFiles::new();
    for (file, seen) in files {
        let custom = TargetCustom {
            repository: repository.clone(),
            version: release.version.clone(),
            channel: release.channel.clone(),
            platform: release.platform.clone(),
            arch: release.arch.clone(),
            package: release.packages.of(file),
        };
        let name = |entry: &TargetEntry| {
            let name: TargetName = entry.name.parse().ok()?;
            (naming.is_name_of(&name, &custom, file) && seen.agrees_with(entry)).then_some(name)
        };
        let mut names = entries.iter().filter_map(name);
        let name = match (names.next(), names.next()) {
            (Some(name), None) => name,
            (Some(_), Some(_)) => {
                return Err(CliError::Untrusted(format!(
                    "the service has two files {file} of {}",
                    release.version
                )));
            }
            (None, _) => {
                return Err(CliError::Untrusted(format!(
                    "the service has no {file} of {} with these bytes and a valid name",
                    release.version
                )));
            }
        };
        let target = seen.target(custom);
        let target = target.ok_or_else(|| CliError::usage(format!("{file} is too large for metadata")))?;
        all.insert(name, target);
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
