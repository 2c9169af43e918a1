//! The plan of an upload: the files, and the settings.

use std::path::PathBuf;
use std::time::Instant;

use spindrift_api::ReleaseData;

use super::files::Files;
use super::limits::Limits;
use super::patience::Patience;
use super::progress::Progress;
use crate::error::CliError;
use crate::service::Service;

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
    /// After a failed attempt: whether there is time for another one. If so, prints a message and
    /// pauses first.
    pub(super) async fn again(&self, patience: &mut Patience<'_>, error: &CliError) -> bool {
        let Some(next) = patience.after_failure(Instant::now(), error.retry_after()) else { return false };
        self.progress.say(&next.tell(&error.brief()));
        tokio::time::sleep(next.pause).await;
        true
    }
}
