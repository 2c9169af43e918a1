//! Why files are refused.

use std::path::PathBuf;
use std::time::Duration;

/// Why there is no verified file. A mirror that does not answer properly is an
/// [`Error::RequestFailed`](crate::Error::RequestFailed) instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// [`TrustConfig::root`](crate::TrustConfig::root) is not a root that its own keys have signed.
    #[error("invalid root: {0}")]
    InvalidRoot(String),
    /// [`TrustConfig::repository`](crate::TrustConfig::repository) is not `{owner}/{app}`.
    #[error("invalid repository")]
    InvalidRepository,
    /// The installed version, or the one to verify, is not a version.
    #[error("invalid version")]
    InvalidVersion,
    /// The package to verify is not a package.
    #[error("invalid package")]
    InvalidPackage,
    /// Another process has been refreshing for [`busy_time_out`](crate::TrustSettings::busy_time_out).
    #[error("{} is being refreshed already", .folder.display())]
    Busy {
        /// The folder with the state.
        folder: PathBuf,
    },
    /// The clock shows an earlier time than at the last refresh, so expiry cannot be checked. If
    /// the earlier time was wrong, call [`Trust::reset_clock`](crate::Trust::reset_clock).
    #[error("the clock is {} seconds behind the time of the last refresh", .behind.as_secs_f32())]
    ClockWentBack {
        /// By how much, at least.
        behind: Duration,
    },
    /// Metadata that does not verify, has expired, or is older than the known metadata.
    #[error("metadata of {mirror} is refused: {reason}")]
    Refused {
        /// The folder's address.
        mirror: String,
        /// The violated rule.
        reason: String,
    },
    /// The offered version is not newer than the installed one.
    #[error("version {offered} is not newer than {installed}")]
    NotNewer {
        /// The offered version.
        offered: String,
        /// The installed version.
        installed: String,
    },
    /// No authorised signer has signed a file of this version.
    #[error("version {version} is not listed")]
    NotListed {
        /// The version.
        version: String,
    },
    /// The version is listed only for another application, channel, platform, architecture or package.
    #[error("version {version} is listed, but has no package {package} for this installed copy")]
    OtherScope {
        /// The version.
        version: String,
        /// The package.
        package: String,
    },
    /// Several files match, so the metadata does not determine which one is meant.
    #[error("version {version} is listed with several packages {package} for this installed copy")]
    Ambiguous {
        /// The version.
        version: String,
        /// The package.
        package: String,
    },
}
