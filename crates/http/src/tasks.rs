//! The work of a server, for an orderly stop.

use std::time::Duration;

use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// The tasks of one listener.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    tracker: TaskTracker,
    stopping: CancellationToken,
    killed: CancellationToken,
}

impl Tasks {
    /// Runs `work` until it ends, or until [`Tasks::stop`] cancels it; then the result is `None`.
    pub fn spawn<F>(&self, work: F) -> tokio::task::JoinHandle<Option<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let killed = self.killed.clone();
        self.tracker.spawn(async move { killed.run_until_cancelled(work).await })
    }

    /// Makes [`Tasks::stop`] wait until the token is dropped. Its owner has to end once `killed` does.
    pub fn token(&self) -> TaskTrackerToken {
        self.tracker.token()
    }

    /// Like [`Tasks::spawn`], for work that is run elsewhere.
    pub fn track<F: Future>(&self, work: F) -> impl Future<Output = Option<F::Output>> + use<F> {
        let killed = self.killed.clone();
        self.tracker.track_future(async move { killed.run_until_cancelled(work).await })
    }

    /// Cancelled when [`Tasks::stop`] or [`Tasks::kill`] begins.
    pub fn stop_token(&self) -> CancellationToken {
        self.stopping.clone()
    }

    /// Ends when [`Tasks::stop`] or [`Tasks::kill`] begins.
    pub fn stopping(&self) -> WaitForCancellationFutureOwned {
        self.stopping.clone().cancelled_owned()
    }

    /// Ends with [`Tasks::kill`], or when [`Tasks::stop`] has waited long enough.
    pub fn killed(&self) -> WaitForCancellationFutureOwned {
        self.killed.clone().cancelled_owned()
    }

    /// Whether all work has been cancelled.
    pub fn are_killed(&self) -> bool {
        self.killed.is_cancelled()
    }

    /// Refuses new work, waits for running work up to `limit`, and cancels the rest.
    pub async fn stop(&self, limit: Duration) {
        self.stopping.cancel();
        self.tracker.close();
        if tokio::time::timeout(limit, self.tracker.wait()).await.is_err() {
            self.kill();
            self.tracker.wait().await;
        }
    }

    /// Cancels everything at once.
    pub fn kill(&self) {
        self.stopping.cancel();
        self.killed.cancel();
    }
}
