//! The whole way of an upload.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::Value;

use super::complete::{Completed, complete};
use super::digest::{Digests, hash_all};
use super::files::Files;
use super::limits::Limits;
use super::progress::Progress;
use super::regular;
use super::report::{Report, Seconds};
use super::session::{Beginning, begin, key};
use super::state_file::{Granted, StateFile};
use super::transfer::{Transferred, transfer};
use crate::commands::catalog::APP;
use crate::error::CliError;
use crate::output::list;
use crate::service::Service;

/// New beginnings after an upload whose time was over, or that lacked digests.
const MAX_BEGINNINGS: u32 = 3;

/// What is to be published, and how.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) service: Service,
    pub(super) progress: Progress,
    /// For state files.
    pub(super) folder: PathBuf,
    pub(super) limits: Limits,
    /// SHA-256 and SHA-512 are not computed on the way.
    pub(super) md5_only: bool,
    /// The form field `data`.
    pub(super) data: Value,
    pub(super) files: Files,
}

/// How one beginning ended.
enum Attempt {
    Done { release: String, upload: Option<Granted>, resumed: bool },
    Again(CliError),
    DigestsNeeded(CliError),
}

impl Plan {
    /// Publishes. `tuf`: the application is known to need SHA-256 and SHA-512.
    pub(super) async fn run(&self, tuf: bool) -> Result<Report, CliError> {
        let start = Instant::now();
        let mut all = tuf || self.looks_up_tuf().await?;
        let mut digests = hash_all(&self.files.large, all, &self.progress).await?;
        let feeds = hash_all(&self.files.feeds, false, &self.progress).await?;
        let hashing = start.elapsed();
        let mut beginnings = 0;
        loop {
            beginnings += 1;
            let state = StateFile::open(&self.folder, &key(self, &digests, &feeds))?;
            let error = match self.attempt(&state, &digests, all).await? {
                Attempt::Done { release, upload, resumed } => {
                    state.forget();
                    let seconds = Seconds { hashing, total: start.elapsed() };
                    return Ok(Report::new(self, &release, digests, upload.as_ref(), resumed, seconds));
                }
                Attempt::Again(error) => {
                    self.progress.say("the earlier upload cannot be used any more: beginning a new one");
                    error
                }
                Attempt::DigestsNeeded(error) => {
                    self.progress.say(
                        "the application has TUF enabled: sending again with digests (--tuf avoids this)",
                    );
                    all = true;
                    digests = hash_all(&self.files.large, all, &self.progress).await?;
                    error
                }
            };
            state.forget();
            if beginnings >= MAX_BEGINNINGS {
                return Err(error);
            }
        }
    }

    async fn attempt(&self, state: &StateFile, digests: &[Digests], all: bool) -> Result<Attempt, CliError> {
        let (mut granted, resumed) = match begin(self, state, digests).await? {
            Beginning::Granted { granted, resumed } => (granted, resumed),
            Beginning::Regular => {
                let release = regular::upload(self).await?;
                return Ok(Attempt::Done { release, upload: None, resumed: false });
            }
        };
        let on_the_way = !all && !self.md5_only;
        // Only what is already old may be too old.
        let again = |error| if resumed { Ok(Attempt::Again(error)) } else { Err(error) };
        if let Transferred::AddressesEnded(error) = transfer(self, state, &mut granted, on_the_way).await? {
            state.forget();
            return again(error);
        }
        match complete(self, state, &mut granted, on_the_way).await? {
            Completed::Released(release) => Ok(Attempt::Done { release, upload: Some(granted), resumed }),
            Completed::Gone(error) => again(error),
            Completed::DigestsNeeded(error) => Ok(Attempt::DigestsNeeded(error)),
        }
    }

    /// Whether the application has TUF enabled, as far as the token may know.
    async fn looks_up_tuf(&self) -> Result<bool, CliError> {
        match APP.entries(&self.service).await {
            Ok(all) => {
                let name = &self.data["app_name"];
                Ok(list(&all, APP.list).iter().any(|app| app[APP.name] == *name && app["Tuf"] == true))
            }
            Err(CliError::Refused(refusal)) if refusal.status == 403 => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Waits before another attempt.
    pub(super) async fn pause(&self, failed: u32, error: &CliError) {
        let pause = self.limits.pause(failed);
        self.progress.say(&format!("{error}; trying again in {} s", pause.as_secs()));
        tokio::time::sleep(pause).await;
    }
}
