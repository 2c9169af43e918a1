//! Getting a file onto the disk while it is still being received, so that little is left to wait for at its end.

use std::io;

use tokio::fs::File;
use tokio::task::JoinHandle;

/// Bytes between two beginnings: enough for the disk to write them at its full speed, and at the end at most about twice
/// as many are left.
const STEP: u64 = 32 * 1024 * 1024;

/// How far a file is. At most one sync runs at a time, on a thread for blocking work.
#[derive(Debug, Default)]
pub(super) struct WriteBack {
    /// Bytes that were there when the last sync began.
    begun: u64,
    running: Option<JoinHandle<io::Result<()>>>,
}

impl WriteBack {
    /// To be called while `file` grows; `size` is its bytes so far. Does not wait for the disk.
    ///
    /// # Errors
    /// What an earlier sync reported. The system says it once, so the last sync may not repeat it.
    pub(super) async fn grown(&mut self, file: &File, size: u64) -> io::Result<()> {
        if size - self.begun < STEP || self.running.as_ref().is_some_and(|sync| !sync.is_finished()) {
            return Ok(());
        }
        self.wait().await?;
        self.begun = size;
        let file = file.try_clone().await?;
        self.running = Some(tokio::spawn(async move { file.sync_data().await }));
        Ok(())
    }

    /// Waits until all of the file is on the disk.
    ///
    /// # Errors
    /// The disk does not take it.
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
        write_back.grown(&file, STEP - 1).await.unwrap();
        assert!(write_back.running.is_none());
        write_back.grown(&file, STEP).await.unwrap();
        assert_eq!(write_back.begun, STEP);
        write_back.finish(&file).await.unwrap();

        let failed = tokio::spawn(async { Err(io::Error::other("no room")) });
        let write_back = WriteBack { begun: STEP, running: Some(failed) };
        assert_eq!(write_back.finish(&file).await.unwrap_err().to_string(), "no room");
    }
}
