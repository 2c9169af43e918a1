//! Sends all files of an upload to the storage, several at a time.

use futures::{StreamExt as _, TryStreamExt as _, stream};
use tokio::sync::{Mutex, Semaphore};

use super::body::FilePiece;
use super::digest::FileDigests;
use super::parts::send_in_parts;
use super::plan::UploadPlan;
use super::running_upload::RunningUpload;
use super::send::{FileSendError, send};
use super::state_file::{StateFile, UploadGrant};
use crate::error::CliError;

pub(super) enum TransferOutcome {
    /// All files are in the storage.
    All,
    /// The URLs are no longer valid: a new upload is needed.
    AddressesEnded(CliError),
}

/// The digests of the files to send, and whether to compute SHA-256 and SHA-512 during the
/// transfer.
pub(super) type FilesToSend<'a> = (&'a [FileDigests], bool);

/// Sends the files that the storage lacks. Updates the state file after each.
pub(super) async fn transfer(
    plan: &UploadPlan,
    state: &StateFile,
    granted: &mut UploadGrant,
    (digests, on_the_way): FilesToSend<'_>,
) -> Result<TransferOutcome, CliError> {
    let open = granted.files.iter().enumerate().filter(|(_, file)| !file.sent);
    let open: Vec<usize> = open.map(|(place, _)| place).collect();
    let parallel = usize::from(plan.limits.parallel);
    let (granted, places) = (Mutex::new(granted), Semaphore::new(parallel));
    let sending = RunningUpload { plan, state, granted, places };
    let done = stream::iter(open)
        .map(|place| send_file(&sending, place, digests.get(place), on_the_way))
        .buffer_unordered(parallel)
        .try_collect::<()>()
        .await;
    match done {
        Ok(()) => Ok(TransferOutcome::All),
        Err(FileSendError::Address(error)) => Ok(TransferOutcome::AddressesEnded(error)),
        Err(FileSendError::Passing(error) | FileSendError::Final(error)) => Err(error),
    }
}

/// Sends the file at this place of the list, and records that it is stored.
async fn send_file(
    sending: &RunningUpload<'_>,
    place: usize,
    digests: Option<&FileDigests>,
    on_the_way: bool,
) -> Result<(), FileSendError> {
    let Some(file) = sending.plan.files.large.get(place) else { return Ok(()) };
    let meter = sending.plan.progress.meter("sending", &file.name, file.length);
    let parts = digests.map_or(&[][..], |digests| &digests.parts);
    let is_there = !parts.is_empty() && send_in_parts(sending, place, file, parts, &meter).await?;
    let sent = if is_there {
        None
    } else {
        let granted = sending.granted.lock().await.files.get(place).cloned();
        let Some(to) = granted else { return Ok(()) };
        let _place = sending.places.acquire().await;
        send(sending.plan, &FilePiece::whole(file), &to.url, &to.headers, &meter, on_the_way).await?
    };
    sending
        .change(|granted| {
            if let Some(entry) = granted.files.get_mut(place) {
                entry.sent = true;
                (entry.sha256, entry.sha512) = sent.unzip();
            }
        })
        .await?;
    meter.finish("sent");
    Ok(())
}
