//! An upload whose files are being sent.

use tokio::sync::{Mutex, Semaphore};

use super::plan::Plan;
use super::send::SendError;
use super::state_file::{Granted, StateFile};

/// An upload whose files are being sent.
pub(super) struct Sending<'a> {
    pub(super) plan: &'a Plan,
    pub(super) state: &'a StateFile,
    pub(super) granted: Mutex<&'a mut Granted>,
    /// A permit for each file or part that may be sent at the same time.
    pub(super) places: Semaphore,
}

impl Sending<'_> {
    /// Changes the saved state, with which a later run continues.
    pub(super) async fn change<T>(&self, change: impl FnOnce(&mut Granted) -> T) -> Result<T, SendError> {
        let mut granted = self.granted.lock().await;
        let changed = change(&mut granted);
        self.state.write(&granted).map_err(SendError::Final)?;
        Ok(changed)
    }

    /// Id of the upload, and of the multipart transfer for the file at `place`, if one has begun.
    pub(super) async fn ids(&self, place: usize) -> (String, Option<String>) {
        let granted = self.granted.lock().await;
        let multipart = granted.files.get(place).and_then(|file| file.multipart.clone());
        (granted.upload_id.clone(), multipart)
    }
}
