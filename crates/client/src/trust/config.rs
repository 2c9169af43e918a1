//! The configuration that an application is built with.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::{BearerToken, DownloadToken};

/// How long a newer version may be listed without being offered: longer than staged rollouts usually take.
pub const WITHHELD_AFTER: Duration = Duration::from_hours(14 * 24);

/// The trusted metadata: its root, its addresses, and the folder where it is kept.
#[derive(Clone)]
pub struct TrustConfig {
    /// The pinned root: the bytes of the `root.json` that the application was built with.
    pub root: Vec<u8>,
    /// The repository's name, `{owner}/{app}`: the names that the application had when its repository began.
    pub repository: String,
    /// A folder for this application alone, to which nobody else can write. It is created if it does not
    /// exist. Several processes of one user may share it. It should outlive updates.
    pub state_dir: PathBuf,
    /// Addresses of folders with metadata, asked in this order. Empty: the service, then the bucket.
    pub mirrors: Vec<String>,
    /// The public address of the bucket, which is asked after the service. `None`: only the service.
    pub bucket_url: Option<String>,
    /// A login, for a private application. It is sent only to the service.
    pub token: Option<BearerToken>,
    /// A download token, for a private application that requires one. It is sent only to the service.
    pub app_token: Option<DownloadToken>,
    /// Further channels whose files may be installed, the preferred first. An installed copy's own channel
    /// comes before them.
    pub accept_channels: Vec<String>,
    /// Timeouts and limits.
    pub settings: TrustSettings,
}

impl TrustConfig {
    /// A public application whose metadata is at the service.
    pub fn new(
        root: impl Into<Vec<u8>>,
        repository: impl Into<String>,
        state_dir: impl Into<PathBuf>,
    ) -> Self {
        Self {
            root: root.into(),
            repository: repository.into(),
            state_dir: state_dir.into(),
            mirrors: Vec::new(),
            bucket_url: None,
            token: None,
            app_token: None,
            accept_channels: Vec::new(),
            settings: TrustSettings::default(),
        }
    }

    /// Adds the bucket, which is asked if the service has no valid answer.
    #[must_use]
    pub fn with_bucket(mut self, bucket_url: impl Into<String>) -> Self {
        self.bucket_url = Some(bucket_url.into());
        self
    }

    /// Replaces service and bucket by these addresses of folders with metadata.
    #[must_use]
    pub fn with_mirrors<T: Into<String>>(mut self, mirrors: impl IntoIterator<Item = T>) -> Self {
        self.mirrors = mirrors.into_iter().map(Into::into).collect();
        self
    }

    /// Authenticates the caller. The token is sent only to the service, not to the bucket, other mirrors, or
    /// the targets of redirects.
    #[must_use]
    pub fn with_token(mut self, token: BearerToken) -> Self {
        self.token = Some(token);
        self
    }

    /// A download token, sent only to the same places as [`TrustConfig::with_token`] describes.
    #[must_use]
    pub fn with_download_token(mut self, token: DownloadToken) -> Self {
        self.app_token = Some(token);
        self
    }

    /// Accepts files of further channels, where a channel's checks offer releases of others.
    #[must_use]
    pub fn with_accepted_channels<T: Into<String>>(mut self, channels: impl IntoIterator<Item = T>) -> Self {
        self.accept_channels = channels.into_iter().map(Into::into).collect();
        self
    }

    /// Replaces the settings.
    #[must_use]
    pub fn with_settings(mut self, settings: TrustSettings) -> Self {
        self.settings = settings;
        self
    }
}

/// Leaves out the root, which is long, and the tokens.
impl fmt::Debug for TrustConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrustConfig")
            .field("repository", &self.repository)
            .field("state_dir", &self.state_dir)
            .field("mirrors", &self.mirrors)
            .field("bucket_url", &self.bucket_url)
            .field("accept_channels", &self.accept_channels)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Timeouts and limits of refreshes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustSettings {
    /// For one file of metadata, including its body. A body that arrives at
    /// [`min_bytes_per_second`](Self::min_bytes_per_second) or faster may take longer. Default 10 seconds.
    pub time_out: Duration,
    /// The slowest line on which a long file still arrives. 0 means 1. Default 16 KiB: a targets file of the
    /// greatest length takes at most 266 seconds.
    pub min_bytes_per_second: u32,
    /// For everything that one mirror is asked for in a refresh. Default 5 minutes.
    pub mirror_time_out: Duration,
    /// How long another process that refreshes is waited for. Default 1 minute.
    pub busy_time_out: Duration,
    /// How long a newer version may be listed without being offered before it counts as withheld. Default
    /// [`WITHHELD_AFTER`].
    pub withheld_after: Duration,
}

impl Default for TrustSettings {
    fn default() -> Self {
        Self {
            time_out: Duration::from_secs(10),
            min_bytes_per_second: 16 * 1024,
            mirror_time_out: Duration::from_mins(5),
            busy_time_out: Duration::from_mins(1),
            withheld_after: WITHHELD_AFTER,
        }
    }
}
