//! The plan of an upload: what to publish, and how.

use std::path::PathBuf;

use spindrift_api::ReleaseData;

use super::files::Files;
use super::limits::Limits;
use super::progress::Progress;
use crate::error::CliError;
use crate::service::Service;

/// The plan of an upload: what to publish, and how.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) service: Service,
    pub(super) progress: Progress,
    /// Folder of the state files.
    pub(super) folder: PathBuf,
    pub(super) limits: Limits,
    /// Whether to compute SHA-256 and SHA-512 during the transfer if they were not computed before.
    pub(super) digests: bool,
    /// The form field `data`.
    pub(super) data: ReleaseData,
    pub(super) files: Files,
}

impl Plan {
    /// Reports a failed attempt, and pauses before the next one.
    pub(super) async fn pause(&self, failed: u32, error: &CliError) {
        let pause = self.limits.pause(failed);
        self.progress.say(&format!("{error}; trying again in {} s", pause.as_secs()));
        tokio::time::sleep(pause).await;
    }
}
