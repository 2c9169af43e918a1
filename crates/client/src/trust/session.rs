//! Refreshes, mirror by mirror.

use std::sync::Arc;
use std::time::SystemTime;

use http::HeaderMap;
use spindrift_core::Version;
use tough::{Repository, RepositoryLoader};

use super::TrustError;
use super::folder::Folder;
use super::listing::{ListedTarget, newer};
use super::metadata_file::limits;
use super::metadata_source::MetadataSource;
use super::mirror::Mirror;
use super::plan::TrustPlan;
use super::state::TrustState;
use super::tough_folder::{RefreshedFiles, ToughFolder};
use crate::blocking::blocking;
use crate::{Cause, Client, Error, TransportError, address, exchange};

/// The folder, held, with its state.
pub(super) struct Session<'a> {
    client: &'a Client,
    plan: &'a TrustPlan,
    folder: Folder,
    pub(super) state: TrustState,
}

impl<'a> Session<'a> {
    /// Waits for other refreshes.
    pub(super) async fn open(client: &'a Client, plan: &'a TrustPlan) -> Result<Self, Error> {
        let folder = Folder::hold(&plan.state_dir, plan.settings.busy_time_out).await?;
        let pinned = plan.pinned.clone();
        let state = match folder.read().await? {
            Some(kept) => kept.rebase_on(pinned),
            None => pinned,
        };
        Ok(Self { client, plan, folder, state })
    }

    /// Writes the state.
    pub(super) async fn write(&self) -> Result<(), Error> {
        self.folder.write(&self.state).await
    }

    /// Refreshes from a mirror and returns the targets that are newer than the installed version. `offered`:
    /// the version that a check has offered.
    pub(super) async fn refresh(
        &mut self,
        mirror: &Mirror,
        offered: Option<&Version>,
    ) -> Result<Vec<ListedTarget>, Error> {
        let source = self.source(mirror, true);
        let repository = match self.load(mirror, &source).await {
            // A kept file is damaged, or its version was signed again with other content.
            Err(Error::Trust(TrustError::Refused { .. })) if !source.delivered().kept.is_empty() => {
                self.load(mirror, &self.source(mirror, false)).await?
            }
            loaded => loaded?,
        };
        let newer = newer(&repository, &self.plan.installed);
        let in_scope = newer.iter().filter(|listed| self.plan.scope.contains(&listed.custom));
        let versions = in_scope.map(|listed| &listed.custom.version);
        self.state.sights = self.state.sights.after(versions, offered, unix_seconds());
        self.write().await?;
        Ok(newer)
    }

    /// Loads the repository. Afterwards the state is that of a complete refresh, or has at least the newest
    /// root: roots that were verified in between stay valid, and old keys must not count again.
    async fn load(&mut self, mirror: &Mirror, source: &MetadataSource) -> Result<Repository, Error> {
        let work = self.folder.work(&self.state).await?;
        let base = || mirror.base.clone();
        let loader = RepositoryLoader::new(&self.state.root, base(), base())
            .transport(source.clone())
            .limits(limits())
            .datastore(work.path());
        let loaded = tokio::time::timeout(self.plan.settings.mirror_time_out, loader.load()).await;
        let files = refreshed_files(work).await?;
        match loaded {
            Ok(Ok(repository)) => {
                let delivered = std::mem::take(&mut *source.delivered());
                let roots = delivered.roots.clone();
                self.folder.keep(delivered).await?;
                self.state = files.complete(self.state.clone(), &roots);
                Ok(repository)
            }
            failed => {
                let roots = source.delivered().roots.clone();
                if files.root.is_some_and(|root| self.state.follow(root, &roots)) {
                    self.write().await?;
                }
                Err(failure(mirror, source, failed.map(Result::err).unwrap_or_default()))
            }
        }
    }

    fn source(&self, mirror: &Mirror, with_kept: bool) -> MetadataSource {
        let secrets = if mirror.is_service { self.plan.secrets.clone() } else { HeaderMap::new() };
        MetadataSource {
            client: self.client.clone(),
            secrets,
            settings: self.plan.settings,
            kept: with_kept.then(|| self.folder.kept()),
            delivered: Arc::default(),
        }
    }
}

async fn refreshed_files(work: ToughFolder) -> Result<RefreshedFiles, Error> {
    let path = work.path().to_owned();
    blocking(move || work.refreshed_files()).await.map_err(|source| Error::File { path, source })
}

/// Why a refresh failed. `error` is `None` if the mirror took too long altogether.
fn failure(mirror: &Mirror, source: &MetadataSource, error: Option<tough::error::Error>) -> Error {
    if let Some(failure) = source.delivered().failure.take() {
        return failure.into();
    }
    let shown = address::redact(&mirror.base);
    match error {
        None => exchange::failure(&shown, None, Cause::Transport(TransportError::TimedOut)).into(),
        Some(tough::error::Error::SystemTimeSteppedBackward { sys_time, latest_known_time, .. }) => {
            let behind = latest_known_time.duration_since(sys_time).unsigned_abs();
            TrustError::ClockWentBack { behind }.into()
        }
        Some(error) => TrustError::Refused { mirror: shown, reason: error_chain(&error) }.into(),
    }
}

/// The error with its causes.
fn error_chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// A clock before 1970 shows 0.
pub(super) fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
