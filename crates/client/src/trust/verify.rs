//! The calls of an application.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use spindrift_core::{Package, Sha256Hex, Sha512Hex, Version};

use super::choice::{choose, only_target};
use super::listing::ListedTarget;
use super::plan::TrustPlan;
use super::session::{Session, unix_seconds};
use super::{TrustConfig, TrustError, Withheld, folder};
use crate::update::NO_EXTENSION;
use crate::{CheckOptions, Client, Download, Error, Update};

/// Verifies updates of an installed application. Created by [`Client::trust`]. Cloning is cheap.
///
/// Every call refreshes the metadata first: mirror after mirror, until one has the needed files. Calls at the
/// same time, also of other processes with the same folder, wait for each other. The futures need a tokio
/// runtime with IO and time.
#[derive(Clone)]
pub struct Trust {
    client: Client,
    plan: Arc<TrustPlan>,
}

/// A file that may be installed: it was signed for this installed copy, and is newer than it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trusted {
    /// Its name in the metadata: the path of its public link.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Bytes.
    pub length: u64,
    /// SHA-256 of the bytes.
    pub sha256: Sha256Hex,
    /// SHA-512 of the bytes.
    pub sha512: Sha512Hex,
}

impl Trusted {
    /// Downloads the file from any address: length and both digests are verified.
    pub fn download(&self, url: impl Into<String>, target: impl Into<PathBuf>) -> Download {
        Download::new(url, target)
            .with_length(self.length)
            .with_sha256(self.sha256.clone())
            .with_sha512(self.sha512.clone())
    }
}

impl From<&ListedTarget> for Trusted {
    fn from(listed: &ListedTarget) -> Self {
        Self {
            name: listed.name.clone(),
            version: listed.custom.version.to_string(),
            length: listed.length,
            sha256: listed.sha256.clone(),
            sha512: listed.sha512.clone(),
        }
    }
}

impl Client {
    /// Verifies updates of the installed copy that `options` describes. Does not connect.
    ///
    /// # Errors
    ///
    /// The errors of [`Client::check`] for incomplete options, [`Error::InvalidUrl`] for the bucket
    /// or a mirror, and [`TrustError::InvalidRoot`], [`TrustError::InvalidRepository`],
    /// [`TrustError::InvalidVersion`].
    pub fn trust(&self, config: &TrustConfig, options: &CheckOptions) -> Result<Trust, Error> {
        let plan = TrustPlan::new(&self.base, config, options)?;
        Ok(Trust { client: self.clone(), plan: Arc::new(plan) })
    }
}

impl Trust {
    /// The file of a package of the update that a check offers. The answer need not be trusted: it only
    /// chooses among signed files. The empty package means the file without an extension, as in
    /// [`Update::url_of`].
    ///
    /// # Errors
    ///
    /// [`Error::Trust`] if no file, or more than one, was signed for this installed copy in the offered
    /// version, or it is not newer than the installed one. If no mirror has valid metadata: the first one's
    /// failure, as [`Error::RequestFailed`] or [`TrustError::Refused`]. [`TrustError::ClockWentBack`],
    /// [`TrustError::Busy`] and [`Error::File`].
    pub async fn trusted(&self, update: &Update, package: &str) -> Result<Trusted, Error> {
        let (version, package) = self.parse_version_and_package(&update.version, package)?;
        let choose = |listed: &[ListedTarget]| -> Result<Trusted, TrustError> {
            let chosen = choose(listed, &self.plan.scope, &version, &package)?;
            only_target(&chosen, &version, &package).map(Trusted::from)
        };
        self.ask(update.version.parse().ok().as_ref(), choose).await.map(|(trusted, _)| trusted)
    }

    /// Verifies a file that another updater has brought: that it is the one that was signed for this
    /// installed copy in this version and package. Only the application should be able to write to its place.
    ///
    /// # Errors
    ///
    /// The errors of [`Trust::trusted`], [`Error::WrongLength`] and [`Error::WrongDigest`].
    pub async fn verify_file(
        &self,
        version: &str,
        package: &str,
        path: impl AsRef<Path>,
    ) -> Result<Trusted, Error> {
        let (version, package) = self.parse_version_and_package(version, package)?;
        let choose = |listed: &[ListedTarget]| -> Result<Vec<Trusted>, TrustError> {
            let chosen = choose(listed, &self.plan.scope, &version, &package)?;
            Ok(chosen.into_iter().map(Trusted::from).collect())
        };
        let (chosen, _) = self.ask(None, choose).await?;
        let mut first = None;
        // For a package that may repeat, any of the files may match.
        for trusted in chosen {
            match trusted.download("", path.as_ref()).verify_target().await {
                Ok(()) => return Ok(trusted),
                Err(error) => first.get_or_insert(error),
            };
        }
        Err(first.unwrap_or(TrustError::NotListed { version: version.to_string() }.into()))
    }

    /// A newer version that is listed for this installed copy, and that checks have not offered for
    /// [`withheld_after`](crate::TrustSettings::withheld_after). It is a warning: a rollout may be slow, but
    /// a service that withholds an update looks the same. `update` is the result of the last check.
    ///
    /// # Errors
    ///
    /// The errors of [`Trust::refresh`].
    pub async fn withheld(&self, update: Option<&Update>) -> Result<Option<Withheld>, Error> {
        let offered = update.and_then(|update| update.version.parse().ok());
        let ((), session) = self.ask(offered.as_ref(), |_| Ok(())).await?;
        let after = self.plan.settings.withheld_after;
        Ok(session.state.sights.withheld(offered.as_ref(), after, unix_seconds()))
    }

    /// Brings the kept metadata up to date, which the other calls do as well.
    ///
    /// # Errors
    ///
    /// If no mirror has valid metadata, the first one's failure; and [`TrustError::ClockWentBack`],
    /// [`TrustError::Busy`], [`Error::File`].
    pub async fn refresh(&self) -> Result<(), Error> {
        self.ask(None, |_| Ok(())).await.map(drop)
    }

    /// Forgets the time of the last refresh, after [`TrustError::ClockWentBack`]. Call it if the clock was
    /// wrong then and is right now: with a clock that is behind, metadata that has expired is accepted.
    ///
    /// # Errors
    ///
    /// [`TrustError::Busy`] and [`Error::File`].
    pub async fn reset_clock(&self) -> Result<(), Error> {
        let mut session = Session::open(&self.client, &self.plan).await?;
        session.state.latest_known_time = None;
        session.write().await
    }

    /// The kept state, if it was damaged and has been set aside: the application has started over with the
    /// pinned root, so the metadata that it had seen no longer protects it. The file stays until the
    /// application removes it, and is replaced by the next one.
    ///
    /// # Errors
    ///
    /// [`Error::File`].
    pub async fn damaged_state(&self) -> Result<Option<PathBuf>, Error> {
        let path = folder::damaged(&self.plan.state_dir);
        match tokio::fs::try_exists(&path).await {
            Ok(exists) => Ok(exists.then_some(path)),
            Err(source) => Err(Error::File { path, source }),
        }
    }

    /// A newer version, and a package.
    fn parse_version_and_package(
        &self,
        version: &str,
        package: &str,
    ) -> Result<(Version, Package), TrustError> {
        let version: Version = version.parse().map_err(|_| TrustError::InvalidVersion)?;
        if version <= self.plan.installed {
            let (offered, installed) = (version.to_string(), self.plan.installed.to_string());
            return Err(TrustError::NotNewer { offered, installed });
        }
        let package = if package.is_empty() { NO_EXTENSION } else { package };
        Ok((version, package.parse().map_err(|_| TrustError::InvalidPackage)?))
    }

    /// Refreshes from one mirror after another until there is an answer. A mirror whose metadata is valid but
    /// does not have the answer may lag behind the others.
    async fn ask<T>(
        &self,
        offered: Option<&Version>,
        answer: impl Fn(&[ListedTarget]) -> Result<T, TrustError>,
    ) -> Result<(T, Session<'_>), Error> {
        let mut session = Session::open(&self.client, &self.plan).await?;
        let mut first = None;
        for mirror in &self.plan.mirrors {
            let refreshed = session.refresh(mirror, offered).await;
            match refreshed.and_then(|listed| Ok(answer(&listed)?)) {
                Ok(answer) => return Ok((answer, session)),
                Err(error) if is_local(&error) => return Err(error),
                Err(error) => first.get_or_insert(error),
            };
        }
        Err(first.unwrap_or(Error::InvalidUrl("mirror url")))
    }
}

/// Whether no other mirror can help.
const fn is_local(error: &Error) -> bool {
    matches!(error, Error::File { .. } | Error::Trust(TrustError::ClockWentBack { .. }))
}

/// Shows what it verifies.
impl std::fmt::Debug for Trust {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trust")
            .field("scope", &self.plan.scope)
            .field("installed", &self.plan.installed.as_str())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It compiles: applications may spawn every call.
    #[expect(dead_code, reason = "only the types matter")]
    fn futures_are_send(trust: &Trust, update: &Update) {
        fn is_send(_: impl Send) {}
        is_send(trust.trusted(update, "deb"));
        is_send(trust.verify_file("1.0.0", "deb", "file"));
        is_send(trust.withheld(Some(update)));
        is_send(trust.refresh());
        is_send(trust.reset_clock());
        is_send(trust.damaged_state());
    }
}
