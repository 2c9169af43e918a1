//! Regular checks, spread so that many installed copies do not check at once.

use std::time::Duration;

use crate::pause::{part_of, random};
use crate::{CheckOptions, CheckResult, Client, Error, Update};

/// The times between checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PollSettings {
    /// The pause after an answered check. Default 6 hours.
    pub interval: Duration,
    /// Jitter in percent of a pause, 0-100: a pause may be longer by this much or, after an answer, also
    /// shorter. Default 20.
    pub jitter_percent: u8,
    /// The first check happens within this time, so that computers that start together do not check together.
    /// Default 1 minute.
    pub first_within: Duration,
    /// The shortest pause, regardless of the other settings. Default 5 minutes.
    pub floor: Duration,
    /// The longest pause, even if the service asks for a longer one. Default 24 hours.
    pub ceiling: Duration,
}

impl Default for PollSettings {
    fn default() -> Self {
        Self {
            interval: Duration::from_hours(6),
            jitter_percent: 20,
            first_within: Duration::from_mins(1),
            floor: Duration::from_mins(5),
            ceiling: Duration::from_hours(24),
        }
    }
}

/// The result of the checks so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Polled {
    /// There has been no check yet.
    Nothing,
    /// The last check was answered.
    Answered,
    /// The last checks failed.
    Failed {
        /// How many in a row, from 1.
        in_a_row: u32,
        /// The delay that the last answer asked for; see [`Error::retry_after`].
        retry_after: Option<Duration>,
    },
}

impl PollSettings {
    /// How long to wait before the next check. `random` is uniformly distributed over its range.
    ///
    /// - Before the first check, up to [`first_within`](Self::first_within).
    /// - After an answer, [`interval`](Self::interval) with jitter in both directions.
    /// - After failures, [`floor`](Self::floor), doubled with each further failure up to `interval`, and at
    ///   least the delay that the service asked for. Jitter only makes it longer.
    ///
    /// The result is then limited by [`ceiling`](Self::ceiling) and `floor`. If the ceiling is lower than the
    /// floor, the floor wins.
    ///
    /// ```
    /// use std::time::Duration;
    /// use spindrift_client::{PollSettings, Polled};
    ///
    /// let settings = PollSettings::default();
    /// let failed = Polled::Failed { in_a_row: 1, retry_after: Some(Duration::from_secs(3600)) };
    /// assert_eq!(settings.next_pause(failed, 0), Duration::from_secs(3600));
    /// assert_eq!(settings.next_pause(Polled::Answered, u32::MAX / 2).as_secs(), 6 * 3600 - 1);
    /// ```
    pub fn next_pause(&self, polled: Polled, random: u32) -> Duration {
        let pause = match polled {
            Polled::Nothing => return part_of(self.first_within, random),
            Polled::Answered => {
                let jitter = self.jitter(self.interval);
                self.interval.saturating_sub(jitter).saturating_add(part_of(jitter.saturating_mul(2), random))
            }
            Polled::Failed { in_a_row, retry_after } => {
                let doublings = in_a_row.saturating_sub(1).min(31);
                let backoff = self.floor.saturating_mul(1 << doublings).min(self.interval.max(self.floor));
                let pause = backoff.max(retry_after.unwrap_or_default());
                pause.saturating_add(part_of(self.jitter(pause), random))
            }
        };
        pause.min(self.ceiling).max(self.floor)
    }

    fn jitter(&self, of: Duration) -> Duration {
        of.saturating_mul(u32::from(self.jitter_percent.min(100))) / 100
    }
}

/// Runs checks with pauses in between. Created by [`Client::poller`].
#[derive(Debug)]
pub struct Poller {
    client: Client,
    options: CheckOptions,
    settings: PollSettings,
    polled: Polled,
}

impl Client {
    /// Checks regularly. The user has not requested these checks, so [`CheckOptions::interactive`] is not
    /// sent.
    ///
    /// ```
    /// use spindrift_client::{CheckOptions, Client, Config, PollSettings};
    /// # use futures::future::BoxFuture;
    /// # use spindrift_client::{MemoryTransport, Sleep};
    /// # struct NoWait;
    /// # impl Sleep for NoWait {
    /// #     fn sleep(&self, _: std::time::Duration) -> BoxFuture<'_, ()> {
    /// #         Box::pin(async {})
    /// #     }
    /// # }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), spindrift_client::Error> {
    /// # let service = MemoryTransport::new()
    /// #     .with_answer("/checkVersion", 200, r#"{"update_available": false, "critical": false}"#)
    /// #     .with_answer("/checkVersion", 500, "")
    /// #     .with_answer("/checkVersion", 200, r#"{"update_available": true, "critical": false, "version":
    /// "1.3.0"}"#);
    /// # let client = Client::with_transport(Config::new("https://updates.example"), service.clone())?;
    /// # let client = client.with_sleep(NoWait);
    /// let options = CheckOptions::new("acme", "notes", "1.2.0");
    /// let mut poller = client.poller(options, PollSettings::default());
    /// loop {
    ///     match poller.next().await {
    ///         Ok(Some(update)) => {
    ///             println!("{} is there", update.version);
    ///             break;
    ///         }
    ///         Ok(None) => {}
    ///         Err(error) => eprintln!("{error}"),
    ///     }
    /// }
    /// # assert_eq!(service.requests().len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn poller(&self, options: CheckOptions, settings: PollSettings) -> Poller {
        let options = options.with_interactive(false);
        Poller { client: self.clone(), options, settings, polled: Polled::Nothing }
    }
}

impl Poller {
    /// Waits as defined by [`PollSettings::next_pause`], then checks. If the future is dropped, the time
    /// already waited is lost.
    ///
    /// # Errors
    ///
    /// The errors of [`Client::check`]. The next call waits and tries again.
    pub async fn next(&mut self) -> Result<Option<Update>, Error> {
        self.wait().await;
        let result = self.client.check(&self.options).await;
        self.record(&result);
        result
    }

    /// Like [`next`](Self::next), but returns the whole answer, like [`Client::check_result`].
    ///
    /// # Errors
    ///
    /// Fails like [`Client::check_result`]. The next call waits and tries again.
    pub async fn next_result(&mut self) -> Result<CheckResult, Error> {
        self.wait().await;
        let result = self.client.check_result(&self.options).await;
        self.record(&result);
        result
    }

    async fn wait(&self) {
        let pause = self.settings.next_pause(self.polled, random());
        self.client.sleep.sleep(pause).await;
    }

    /// Records the result of the check, which determines the next pause.
    fn record<T>(&mut self, result: &Result<T, Error>) {
        self.polled = match result {
            Ok(_) => Polled::Answered,
            Err(error) => Polled::Failed {
                in_a_row: match self.polled {
                    Polled::Failed { in_a_row, .. } => in_a_row.saturating_add(1),
                    Polled::Nothing | Polled::Answered => 1,
                },
                retry_after: error.retry_after(),
            },
        };
    }
}

#[cfg(test)]
mod tests;
