//! An upload whose files are being sent.

use tokio::sync::{Mutex, Semaphore};

use super::plan::UploadPlan;
use super::send::FileSendError;
use super::state_file::{StateFile, UploadGrant};

/// An upload whose files are being sent.
pub(super) struct RunningUpload<'a> {
    pub(super) plan: &'a UploadPlan,
    pub(super) state: &'a StateFile,
    pub(super) granted: Mutex<&'a mut UploadGrant>,
    /// A permit for each file or part that may be sent at the same time.
    pub(super) places: Semaphore,
}

impl RunningUpload<'_> {
    /// Changes the saved state, with which a later run continues.
    pub(super) async fn change<T>(
        &self,
        change: impl FnOnce(&mut UploadGrant) -> T,
    ) -> Result<T, FileSendError> {
        let mut granted = self.granted.lock().await;
        let changed = change(&mut granted);
        self.state.write(&granted).map_err(FileSendError::Final)?;
        Ok(changed)
    }

    /// Id of the upload, and of the multipart transfer for the file at `place`, if one has begun.
    pub(super) async fn ids(&self, place: usize) -> (String, Option<String>) {
        let granted = self.granted.lock().await;
        let multipart = granted.files.get(place).and_then(|file| file.multipart.clone());
        (granted.upload_id.clone(), multipart)
    }
}
