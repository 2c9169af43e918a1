//! Checking again and again, without many installations doing so at once.

use std::time::Duration;

use crate::pause::{part_of, random};
use crate::{CheckOptions, Client, Error, Update};

/// When to check again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PollSettings {
    /// Between two checks that were answered. Default 6 hours.
    pub interval: Duration,
    /// By how much of it a pause may be longer or, after an answer, shorter, in percent, 0-100. Default 20.
    pub jitter_percent: u8,
    /// The first check comes within this time, so that computers that start together do not check together. Default
    /// 1 minute.
    pub first_within: Duration,
    /// No pause is shorter, whatever the other settings say. Default 5 minutes.
    pub floor: Duration,
    /// No pause is longer, whatever the service asks for. Default 24 hours.
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

/// How the checks went so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Polled {
    /// There was none yet.
    Nothing,
    /// The last one was answered.
    Answered,
    /// The last ones failed.
    Failed {
        /// How many in a row, from 1.
        in_a_row: u32,
        /// What the last answer asked for; see [`Error::retry_after`].
        retry_after: Option<Duration>,
    },
}

impl PollSettings {
    /// How long to wait before the next check. `random` is uniform over all its values.
    ///
    /// - Before the first check, up to [`first_within`](Self::first_within).
    /// - After an answer, [`interval`](Self::interval) with the jitter to both sides.
    /// - After failures, [`floor`](Self::floor), doubled with each further one up to `interval`, and at least what the
    ///   service asked for; the jitter only makes it longer.
    ///
    /// After that, `floor` and [`ceiling`](Self::ceiling) hold, the floor first: a ceiling under the floor wins
    /// nothing.
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

/// Checks with pauses in between. Made by [`Client::poller`].
#[derive(Debug)]
pub struct Poller {
    client: Client,
    options: CheckOptions,
    settings: PollSettings,
    polled: Polled,
}

impl Client {
    /// Checks regularly.
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
    /// #     .with_answer("/checkVersion", 200, r#"{"update_available": true, "critical": false}"#);
    /// # let client = Client::with_transport(Config::new("https://updates.example"), service.clone())?;
    /// # let client = client.with_sleep(NoWait);
    /// let options = CheckOptions::new("acme", "notes", "1.2.0");
    /// let mut poller = client.poller(options, PollSettings::default());
    /// loop {
    ///     match poller.next().await {
    ///         Ok(update) if update.update_available => break,
    ///         Ok(_) => {}
    ///         Err(error) => eprintln!("{error}"),
    ///     }
    /// }
    /// # assert_eq!(service.requests().len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn poller(&self, options: CheckOptions, settings: PollSettings) -> Poller {
        Poller { client: self.clone(), options, settings, polled: Polled::Nothing }
    }
}

impl Poller {
    /// Waits as [`PollSettings::next_pause`] says, then checks. Dropping the future loses the time that it waited.
    ///
    /// # Errors
    ///
    /// Those of [`Client::check`]. The next call waits and tries again.
    pub async fn next(&mut self) -> Result<Update, Error> {
        let pause = self.settings.next_pause(self.polled, random());
        self.client.sleep.sleep(pause).await;
        let result = self.client.check(&self.options).await;
        self.polled = match &result {
            Ok(_) => Polled::Answered,
            Err(error) => Polled::Failed {
                in_a_row: match self.polled {
                    Polled::Failed { in_a_row, .. } => in_a_row.saturating_add(1),
                    Polled::Nothing | Polled::Answered => 1,
                },
                retry_after: error.retry_after(),
            },
        };
        result
    }
}

#[cfg(test)]
mod tests;
