//! `trust init`: the ceremony that begins a repository.

mod first_root;
mod options;
mod report;

use clap::Args;
use spindrift_api::{AppData, AppEntry, BootstrapState, ErrorCode, FirstMetadata, ResultBody, Switch};
use spindrift_core::Id;
use spindrift_trust::{RootRole, Signed};

use self::first_root::{FirstRoot, first_list, make_root};
use self::options::FirstRootOptions;
use self::report::InitReport;
use super::sign::adopt;
use crate::commands::catalog;
use crate::config::write_public;
use crate::context::Context;
use crate::error::CliError;
use crate::trust::calls::{Calls, file, read_file};
use crate::trust::key_ring::KeyRing;
use crate::trust::options::{RepositoryOptions, SigningOptions};
use crate::trust::signing_session::{SigningSession, keys_folder, repository_name, service_keys};
use crate::trust::view::{MetadataSource as _, PinnedRoot, ServiceSource};

#[derive(Debug, Args)]
pub(crate) struct Init {
    #[command(flatten)]
    repository: RepositoryOptions,
    #[command(flatten)]
    signing: SigningOptions,
    #[command(flatten)]
    choices: FirstRootOptions,
    /// Also list what is offered now: each file is downloaded, hashed and shown.
    #[arg(long)]
    adopt: bool,
    /// Sign without asking.
    #[arg(long)]
    yes: bool,
}

impl Init {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let app = self.repository.app.clone();
        let calls = Calls { service: context.authenticated()?, app };
        let state = calls.state().await?.ok_or_else(|| {
            CliError::NotFound("the service does not sign metadata: update it, or check --url".to_owned())
        })?;
        let repository = repository_name(&calls, &state)?;
        let folder = keys_folder(context, &self.repository.trust, &repository);
        let mut key_ring = KeyRing::open(folder, &self.signing.keys)?;
        let path = &self.repository.trust.trust_root;
        let pinned = match PinnedRoot::find(path)? {
            Some(there) => {
                self.check_there(&calls, &state, &there).await?;
                there
            }
            None if state.bootstrap => return Err(begun_elsewhere(&calls)),
            None => {
                let root = make_root(&self.choices, &state, &mut key_ring)?;
                write_public(path, &root.to_bytes().map_err(|error| CliError::usage(error.to_string()))?)?;
                PinnedRoot { path: path.clone(), root }
            }
        };
        if !state.bootstrap {
            self.start(&calls, &pinned.root, &mut key_ring).await?;
        }
        let state = calls.state().await?.unwrap_or(state);
        let report = InitReport::new(&calls, &state, &pinned, &key_ring)?;
        let mut session =
            SigningSession::of(context, calls, state, pinned, &self.repository.trust, &self.signing)?;
        let adopted = if self.adopt { Some(adopt(&mut session, self.yes).await?) } else { None };
        report.show(context, adopted.as_ref())
    }

    async fn start(
        &self,
        calls: &Calls,
        root: &Signed<RootRole>,
        key_ring: &mut KeyRing,
    ) -> Result<(), CliError> {
        let targets = if self.choices.online {
            None
        } else {
            first_list(root.role(), self.choices.targets_days, key_ring)?
        };
        let targets = targets.map(|list| file(&list)).transpose()?;
        let metadata = FirstMetadata { root: file(root)?, targets };
        match calls.start(metadata.clone()).await {
            Err(CliError::Refused(refusal)) if refusal.code == Some(ErrorCode::TufOff) => {
                switch_on(calls).await?;
                calls.start(metadata).await.map(|_| ())
            }
            other => other.map(|_| ()),
        }
    }

    /// Checks the root of an earlier run, so that this run can continue.
    async fn check_there(
        &self,
        calls: &Calls,
        state: &BootstrapState,
        there: &PinnedRoot,
    ) -> Result<(), CliError> {
        let path = there.path.display();
        if state.bootstrap {
            let first = first_root(calls, state).await?;
            return if first.as_ref() == Some(&there.root) { Ok(()) } else { Err(begun_elsewhere(calls)) };
        }
        let root = there.root.role();
        if root.online().keyids().iter().all(|id| id.as_str() != state.online_key.keyid) {
            return Err(CliError::Conflict(format!(
                "{path} is the root of another repository: pass --trust-root, or remove it"
            )));
        }
        let keys = service_keys(state);
        let is_online = root.targets().keyids().iter().any(|id| keys.contains(id.as_str()));
        let wanted = FirstRoot::given(&self.choices)?;
        if is_online != self.choices.online || !wanted.agrees_with(root) {
            return Err(CliError::Conflict(format!(
                "{path} does not match the arguments: remove it to start over"
            )));
        }
        Ok(())
    }
}

/// The first root of a repository that has begun.
async fn first_root(calls: &Calls, state: &BootstrapState) -> Result<Option<Signed<RootRole>>, CliError> {
    let repository = repository_name(calls, state)?;
    let name = spindrift_trust::MetadataFile::new(
        spindrift_trust::RoleName::Root,
        spindrift_trust::MetadataVersion::FIRST,
    );
    let source = ServiceSource::new(&calls.service, &repository);
    if let Some(bytes) = source.read(&name, <RootRole as spindrift_trust::Role>::MAX_BYTES).await? {
        return Signed::read(&bytes)
            .map(Some)
            .map_err(|error| CliError::Untrusted(format!("{name}: {error}")));
    }
    // The root lacks signatures.
    let staged = calls.staged().await?;
    staged
        .and_then(|staged| staged.metadata.get("root").cloned())
        .map(|file| read_file("root", &file))
        .transpose()
}

fn begun_elsewhere(calls: &Calls) -> CliError {
    CliError::Conflict(format!(
        "`{}` already has signed metadata, with another root: pass its root.json with --trust-root; `spindrift trust status` shows it",
        calls.app
    ))
}

/// Enables signed metadata for the application.
async fn switch_on(calls: &Calls) -> Result<(), CliError> {
    let id: Id = catalog::id::<AppEntry>(&calls.service, &calls.app).await?;
    let data = AppData { id: Some(id.to_string()), tuf: Some(Switch(true)), ..AppData::default() };
    let _: ResultBody<bool> = calls.service.post_data("/app/update", &data).await?;
    Ok(())
}
