//! A download: its source, its target and the expected content.

mod attempt;
mod call;
mod partial_file;
mod patch;
mod resume;
mod run;
mod verify;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use spindrift_core::{Md5Digest, Sha256Hex, Sha512Hex};

use crate::{BearerToken, DownloadToken, Patch};

/// A file to download.
///
/// Only values given here are verified. The link in a check's answer proves nothing about the content: take
/// length and digests from where you publish them, and verify the application's own signature.
#[derive(Clone)]
pub struct Download {
    url: String,
    target: PathBuf,
    identity: Option<String>,
    length: Option<u64>,
    digests: Digests,
    patch: Option<(Patch, PathBuf)>,
    token: Option<BearerToken>,
    app_token: Option<DownloadToken>,
    limits: DownloadLimits,
}

/// The expected digests of a file.
#[derive(Clone, Default)]
struct Digests {
    sha256: Option<Sha256Hex>,
    sha512: Option<Sha512Hex>,
    md5: Option<Md5Digest>,
}

impl Download {
    /// Downloads from an `http` or `https` URL to a file, replacing an existing one. The file's folder must
    /// exist.
    pub fn new(url: impl Into<String>, target: impl Into<PathBuf>) -> Self {
        Self {
            url: url.into(),
            target: target.into(),
            identity: None,
            length: None,
            digests: Digests::default(),
            patch: None,
            token: None,
            app_token: None,
            limits: DownloadLimits::default(),
        }
    }

    /// Identifies this file, for URLs that are signed again for each download. A later call continues with
    /// the bytes of an earlier one if both have the same identity; without one, if both have the same URL.
    #[must_use]
    pub fn with_identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// The file must have this many bytes.
    #[must_use]
    pub const fn with_length(mut self, bytes: u64) -> Self {
        self.length = Some(bytes);
        self
    }

    /// The file must have this SHA-256 digest.
    #[must_use]
    pub fn with_sha256(mut self, digest: Sha256Hex) -> Self {
        self.digests.sha256 = Some(digest);
        self
    }

    /// The file must have this SHA-512 digest.
    #[must_use]
    pub fn with_sha512(mut self, digest: Sha512Hex) -> Self {
        self.digests.sha512 = Some(digest);
        self
    }

    /// The file must have this MD5 digest. This detects broken transfers but does not stop an attacker.
    #[must_use]
    pub const fn with_md5(mut self, digest: Md5Digest) -> Self {
        self.digests.md5 = Some(digest);
        self
    }

    /// Uses a patch from the check's answer. `base` is the file that it is applied to: the same
    /// package of the installed version, which the application still has. Then only the patch is
    /// downloaded.
    ///
    /// If that fails for any reason, the whole file is downloaded; [`Downloaded::way`] gives the
    /// reason. Reasons are another base, a patch with another digest or another result, one that
    /// takes longer than [`max_patch_time`](DownloadLimits::max_patch_time), and a server that
    /// lacks it. A patch that could not be used is recorded in `<target>.patch.failed`, so that the
    /// next download fetches the whole file at once.
    #[must_use]
    pub fn with_patch(mut self, patch: Patch, base: impl Into<PathBuf>) -> Self {
        self.patch = Some((patch, base.into()));
        self
    }

    /// Authenticates the caller, for links of private applications. The token is sent only to the URL's own
    /// scheme, host and port, not to a storage that the service redirects to.
    #[must_use]
    pub fn with_token(mut self, token: BearerToken) -> Self {
        self.token = Some(token);
        self
    }

    /// A download token, for private applications that require one. It is sent only to the same places as
    /// [`Download::with_token`] describes.
    #[must_use]
    pub fn with_download_token(mut self, token: DownloadToken) -> Self {
        self.app_token = Some(token);
        self
    }

    /// Replaces the limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: DownloadLimits) -> Self {
        self.limits = limits;
        self
    }
}

/// Hides the tokens, and the URL, because its query may contain a signature.
impl fmt::Debug for Download {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Download")
            .field("target", &self.target)
            .field("length", &self.length)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Limits of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DownloadLimits {
    /// Largest file, in bytes. Default 5 GiB, the largest that the service accepts.
    pub max_bytes: u64,
    /// Number of attempts in a row without a new byte after which the download fails. 0 means 1. Default 5.
    pub max_attempts: u32,
    /// Pause after the first such attempt; it doubles with each further one. A random part of up to half is
    /// added. Default 1 second.
    pub first_pause: Duration,
    /// Longest pause, even if the server asks for a longer one. Default 1 minute.
    pub max_pause: Duration,
    /// Most redirects followed in one attempt. Default 5.
    pub max_redirects: u32,
    /// Longest time for comparing the base of a patch, and again for applying the patch and comparing the
    /// result. After that the whole file is downloaded. The download of the patch does not count. Default 5
    /// minutes.
    pub max_patch_time: Duration,
}

impl Default for DownloadLimits {
    fn default() -> Self {
        Self {
            max_bytes: 5 * 1024 * 1024 * 1024,
            max_attempts: 5,
            first_pause: Duration::from_secs(1),
            max_pause: Duration::from_mins(1),
            max_redirects: 5,
            max_patch_time: Duration::from_mins(5),
        }
    }
}

/// Progress of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes on disk. The number decreases if the download starts again.
    pub bytes: u64,
    /// Bytes of the whole file. `None`: neither the server nor the caller gave a length.
    pub total: Option<u64>,
}

/// A finished download.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Downloaded {
    /// The path of the file.
    pub path: PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
    /// How many of the bytes an earlier call had already downloaded.
    pub resumed_at: u64,
    /// How the file was made.
    pub way: Way,
}

/// How a file was made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Way {
    /// It was downloaded as a whole. There was no patch.
    Whole,
    /// It was made with a patch.
    Patched {
        /// How many bytes less were downloaded.
        saved: u64,
    },
    /// It was downloaded as a whole, because the patch could not be used.
    Unpatched {
        /// The reason, for a log.
        why: String,
    },
}
