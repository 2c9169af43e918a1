//! Writes a file to disk while it is still being received, so that the final sync is short.

use std::io;

use tokio::fs::File;
use tokio::task::JoinHandle;

/// Number of bytes between the starts of two syncs: enough for the disk to reach full speed. At most about
/// twice as many are left for the end.
const STEP: u64 = 32 * 1024 * 1024;

/// The progress of one file. At most one sync runs at a time, on a thread for blocking work.
#[derive(Debug, Default)]
pub(super) struct WriteBack {
    /// Size of the file when the last sync began, in bytes.
    begun: u64,
    running: Option<JoinHandle<io::Result<()>>>,
}

impl WriteBack {
    /// Must be called while `file` grows; `size` is its current size in bytes. Does not wait for the disk.
    ///
    /// # Errors
    /// The error of an earlier sync. The system reports it only once, so the final sync may not repeat it.
    pub(super) async fn advance(&mut self, file: &File, size: u64) -> io::Result<()> {
        if size - self.begun < STEP || self.running.as_ref().is_some_and(|sync| !sync.is_finished()) {
            return Ok(());
        }
        self.wait().await?;
        self.begun = size;
        let file = file.try_clone().await?;
        self.running = Some(tokio::spawn(async move { file.sync_data().await }));
        Ok(())
    }

    /// Waits until the whole file is on disk.
    ///
    /// # Errors
    /// The disk reports an error.
    pub(super) async fn finish(mut self, file: &File) -> io::Result<()> {
        self.wait().await?;
        file.sync_data().await
    }

    async fn wait(&mut self) -> io::Result<()> {
        match self.running.take() {
            Some(sync) => sync.await?,
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test]
    async fn begins_after_every_step_and_reports_failures() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = File::create(folder.path().join("a")).await.unwrap();
        file.write_all(b"abc").await.unwrap();
        let mut write_back = WriteBack::default();
        write_back.advance(&file, STEP - 1).await.unwrap();
        assert!(write_back.running.is_none());
        write_back.advance(&file, STEP).await.unwrap();
        assert_eq!(write_back.begun, STEP);
        write_back.finish(&file).await.unwrap();

        let failed = tokio::spawn(async { Err(io::Error::other("no room")) });
        let write_back = WriteBack { begun: STEP, running: Some(failed) };
        assert_eq!(write_back.finish(&file).await.unwrap_err().to_string(), "no room");
    }
}
