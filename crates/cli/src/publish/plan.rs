//! The plan of an upload: the files, and the settings.

use std::path::PathBuf;
use std::time::Instant;

use spindrift_api::ReleaseData;

use super::files::ReleaseFiles;
use super::limits::UploadLimits;
use super::progress::Progress;
use super::retry::RetryBudget;
use crate::error::CliError;
use crate::service::Service;

#[derive(Debug)]
pub(super) struct UploadPlan {
    pub(super) service: Service,
    pub(super) progress: Progress,
    /// Folder of the state files.
    pub(super) folder: PathBuf,
    pub(super) limits: UploadLimits,
    /// Whether to compute SHA-256 and SHA-512 during the transfer if they were not computed before.
    pub(super) digests: bool,
    /// The form field `data`.
    pub(super) data: ReleaseData,
    pub(super) files: ReleaseFiles,
}

impl UploadPlan {
    /// After a failed attempt: whether there is time for another one. If so, prints a message and
    /// pauses first.
    pub(super) async fn wait_for_retry(&self, budget: &mut RetryBudget<'_>, error: &CliError) -> bool {
        let Some(next) = budget.after_failure(Instant::now(), error.retry_after()) else { return false };
        self.progress.print(&next.message(&error.brief()));
        tokio::time::sleep(next.pause).await;
        true
    }
}
