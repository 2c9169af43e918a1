//! The note about a patch that failed, so that the next download takes the whole file at once.

use std::path::{Path, PathBuf};

use base16ct::lower::encode_string as hex;
use sha2::{Digest as _, Sha256};

use super::super::partial_file::with_suffix;
use crate::Patch;

/// `<target>.patch.failed`: the last patch for the target that could not be used.
pub(super) struct FailureNote {
    path: PathBuf,
    text: String,
}

impl FailureNote {
    pub(super) fn of(target: &Path, patch: &Patch) -> Self {
        let about = format!("{} {} {}", patch.sha256, patch.base_sha256, patch.file_sha256);
        Self { path: with_suffix(target, ".patch.failed"), text: hex(&Sha256::digest(about)) }
    }

    /// Whether this patch failed before. An unreadable note counts as none.
    pub(super) async fn is_there(&self) -> bool {
        let length = tokio::fs::metadata(&self.path).await.map(|about| about.len());
        length.is_ok_and(|length| length == self.text.len() as u64)
            && tokio::fs::read(&self.path).await.is_ok_and(|text| text == self.text.as_bytes())
    }

    /// Without the note the patch is tried once more, which its limits bound.
    pub(super) async fn write(&self) {
        let _ = tokio::fs::write(&self.path, &self.text).await;
    }

    pub(super) async fn remove(&self) {
        // It names another patch, or there is none.
        let _ = tokio::fs::remove_file(&self.path).await;
    }
}
