//! A signing session: a repository of a service, the pinned root, and the available keys.

use std::collections::BTreeSet;
use std::path::PathBuf;

use spindrift_api::{BootstrapState, KeyEntry};
use spindrift_core::Timestamp;
use spindrift_trust::{KeyId, RepositoryName};

use super::calls::Calls;
use super::key_ring::KeyRing;
use super::options::{RepositoryOptions, SigningOptions, TrustOptions};
use super::plan::{Naming, RevokedFiles};
use super::view::{
    BucketSource, MetadataSource, PinnedRoot, SeenVersions, SeenVersionsFile, ServiceSource, View, view,
};
use crate::config::write_public;
use crate::context::Context;
use crate::error::CliError;
use crate::output::Output;

/// Name of the file beside the pinned root with the files that must never be signed again.
const REVOKED: &str = "revoked.json";

/// A repository, and what is needed to sign for it.
#[derive(Debug)]
pub(crate) struct SigningSession {
    pub(crate) calls: Calls,
    pub(crate) output: Output,
    pub(crate) state: BootstrapState,
    pub(crate) repository: RepositoryName,
    pub(crate) pinned: PinnedRoot,
    pub(crate) naming: Naming,
    pub(crate) key_ring: KeyRing,
    bucket_url: Option<String>,
    memory: SeenVersionsFile,
}

impl SigningSession {
    /// Opens the repository of an application. Fails if there is none.
    pub(crate) async fn open(
        context: &Context,
        options: &RepositoryOptions,
        signing: &SigningOptions,
    ) -> Result<Self, CliError> {
        let calls = Calls { service: context.authenticated()?, app: options.app.clone() };
        let state = started(&calls).await?;
        let pinned = PinnedRoot::read(&options.trust.trust_root)?;
        Self::of(context, calls, state, pinned, &options.trust, signing)
    }

    /// Opens a repository whose state and root are already known.
    pub(crate) fn of(
        context: &Context,
        calls: Calls,
        state: BootstrapState,
        pinned: PinnedRoot,
        trust: &TrustOptions,
        signing: &SigningOptions,
    ) -> Result<Self, CliError> {
        let repository = repository_name(&calls, &state)?;
        let owner = context.login().ok().flatten().and_then(|login| login.owner.parse().ok());
        Ok(Self {
            output: context.output,
            naming: Naming::of(&repository).and(owner, calls.app.parse().ok()),
            key_ring: KeyRing::open(keys_folder(context, trust, &repository), &signing.keys)?,
            bucket_url: trust.bucket_url.clone(),
            memory: SeenVersionsFile::of(&context.paths.trust(), &pinned.root)?,
            calls,
            state,
            repository,
            pinned,
        })
    }

    /// The current metadata of the repository. It is verified, and never older than what this
    /// machine has seen.
    pub(crate) async fn view(&self) -> Result<View, CliError> {
        let service = &self.calls.service;
        let view = match &self.bucket_url {
            Some(url) => self.view_of(&BucketSource::new(service, url, &self.repository)).await?,
            None => self.view_of(&ServiceSource::new(service, &self.repository)).await?,
        };
        self.memory.check(&view)?;
        Ok(view)
    }

    async fn view_of(&self, source: &impl MetadataSource) -> Result<View, CliError> {
        view(source, &self.pinned.completed(source).await?).await
    }

    /// Records that the service accepted this version of targets, so that an older one is detected
    /// from now on.
    pub(crate) fn remember_targets(&self, view: &View, version: u64) {
        self.memory.keep(&SeenVersions::of(view).with_targets(version));
    }

    /// The address of the public bucket, if given.
    pub(crate) fn bucket_url(&self) -> Option<&str> {
        self.bucket_url.as_deref()
    }

    /// The ids of the keys that the service derives.
    pub(crate) fn service_keys(&self) -> BTreeSet<&str> {
        service_keys(&self.state)
    }

    /// Whether the service signs targets, according to the verified root.
    pub(crate) fn service_signs(&self, view: &View) -> bool {
        let keys = self.service_keys();
        view.root.role().targets().keyids().iter().map(KeyId::as_str).any(|id| keys.contains(id))
    }

    /// Files and digests that must never be signed again.
    pub(crate) fn revoked(&self) -> Result<RevokedFiles, CliError> {
        read_revoked(&self.pinned)
    }

    /// Saves what must never be signed again. Returns the path of the file.
    pub(crate) fn save_revoked(&self, revoked: &RevokedFiles) -> Result<PathBuf, CliError> {
        let path = revoked_path(&self.pinned);
        // Serializing cannot fail: all keys are text.
        let text = serde_json::to_string_pretty(revoked).unwrap_or_default() + "\n";
        write_public(&path, text.as_bytes())?;
        Ok(path)
    }
}

fn revoked_path(pinned: &PinnedRoot) -> PathBuf {
    pinned.path.with_file_name(REVOKED)
}

/// Reads the file beside the pinned root with what must never be signed again.
pub(crate) fn read_revoked(pinned: &PinnedRoot) -> Result<RevokedFiles, CliError> {
    let path = revoked_path(pinned);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(RevokedFiles::default()),
        Err(error) => return Err(CliError::file(&path)(error)),
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        let path = path.display();
        CliError::usage(format!("{path} is damaged ({error}): take it from version control"))
    })
}

/// The keys that the service derives, by their ids.
pub(crate) fn service_keys(state: &BootstrapState) -> BTreeSet<&str> {
    let keys = [&state.online_key, &state.next_online_key, &state.targets_key, &state.next_targets_key];
    keys.into_iter().map(|KeyEntry { keyid, .. }| keyid.as_str()).collect()
}

/// The state of the repository. Fails if it has not begun.
pub(crate) async fn started(calls: &Calls) -> Result<BootstrapState, CliError> {
    let state = calls.state().await?.filter(|state| state.bootstrap);
    state.ok_or_else(|| {
        let app = &calls.app;
        CliError::NotFound(format!(
            "`{app}` has no signed metadata: `spindrift trust init --app {app}` starts it"
        ))
    })
}

pub(crate) fn repository_name(calls: &Calls, state: &BootstrapState) -> Result<RepositoryName, CliError> {
    state.repository.parse().map_err(|_| CliError::NotSpindrift {
        url: calls.service.url().to_owned(),
        reason: "a repository without a name".to_owned(),
    })
}

/// The folder of the user's keys.
pub(crate) fn keys_folder(context: &Context, trust: &TrustOptions, repository: &RepositoryName) -> PathBuf {
    let standard = || context.paths.keys(repository.owner.as_str(), repository.app.as_str());
    trust.keys_dir.clone().unwrap_or_else(standard)
}

pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
}
