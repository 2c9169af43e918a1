//! Sends all files of an upload to the storage, several at a time.

use futures::{StreamExt as _, TryStreamExt as _, stream};
use tokio::sync::Mutex;

use super::body::Digested;
use super::files::LocalFile;
use super::plan::Plan;
use super::progress::Meter;
use super::send::{SendError, send};
use super::state_file::{Granted, GrantedFile, StateFile};
use crate::error::CliError;

/// The outcome of sending.
pub(super) enum Transferred {
    /// All files are in the storage.
    All,
    /// The URLs are no longer valid: a new upload is needed.
    AddressesEnded(CliError),
}

/// Sends the files that are not in the storage yet. The state file is updated after each. `digests`: computes SHA-256
/// and SHA-512 during the transfer.
pub(super) async fn transfer(
    plan: &Plan,
    state: &StateFile,
    granted: &mut Granted,
    digests: bool,
) -> Result<Transferred, CliError> {
    let open: Vec<(usize, LocalFile, GrantedFile)> = granted
        .files
        .iter()
        .zip(&plan.files.large)
        .enumerate()
        .filter(|(_, (there, _))| !there.sent)
        .map(|(place, (there, here))| (place, here.clone(), there.clone()))
        .collect();
    let shared = Mutex::new(granted);
    let done = stream::iter(open)
        .map(|(place, file, to)| {
            let shared = &shared;
            async move {
                let meter = plan.progress.meter("sending", &file.name, file.length);
                let sent = send_with_retries(plan, &file, &to, &meter, digests).await?;
                let mut granted = shared.lock().await;
                if let Some(entry) = granted.files.get_mut(place) {
                    entry.sent = true;
                    (entry.sha256, entry.sha512) = sent.unzip();
                }
                state.write(&granted).map_err(SendError::Final)?;
                meter.done("sent");
                Ok(())
            }
        })
        .buffer_unordered(usize::from(plan.limits.parallel))
        .try_collect::<()>()
        .await;
    match done {
        Ok(()) => Ok(Transferred::All),
        Err(SendError::Address(error)) => Ok(Transferred::AddressesEnded(error)),
        Err(SendError::Passing(error) | SendError::Final(error)) => Err(error),
    }
}

async fn send_with_retries(
    plan: &Plan,
    file: &LocalFile,
    to: &GrantedFile,
    meter: &Meter,
    digests: bool,
) -> Result<Digested, SendError> {
    let mut failed = 0;
    loop {
        match send(plan.service.http(), file, to, meter, digests, &plan.limits).await {
            Err(SendError::Passing(error)) if failed < plan.limits.retries => {
                failed += 1;
                plan.pause(failed, &error).await;
            }
            done => return done,
        }
    }
}
