//! Sends one file in parts. The service reports the missing parts, so an interrupted transfer
//! continues with those.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use spindrift_api::{PartBody, PartsAnswer, PartsBody};

use super::body::FilePiece;
use super::files::LocalFile;
use super::progress::Meter;
use super::retry::RetryBudget;
use super::running_upload::RunningUpload;
use super::send::{FileSendError, send};
use crate::error::CliError;
use crate::output::bytes;
use crate::refusal::Refusal;
use crate::secret::Secret;

/// How many times parts are sent again although the storage had accepted all of them.
const MAX_ROUNDS: u32 = 3;

/// Sends the parts with these MD5s that the storage lacks, until the service has joined them.
/// `Ok(false)`: the file must be sent as a whole.
pub(super) async fn send_in_parts(
    sending: &RunningUpload<'_>,
    place: usize,
    file: &LocalFile,
    md5: &[String],
    meter: &Meter,
) -> Result<bool, FileSendError> {
    let Some(part_length) = sending.plan.limits.part_length(file.length) else { return Ok(false) };
    let mut rounds = 0;
    loop {
        let (upload_id, multipart_id) = sending.ids(place).await;
        let is_known = multipart_id.is_some();
        let name = file.name.clone();
        let asked = PartsBody { upload_id, name, part_length, md5: md5.to_vec(), multipart_id };
        let answer = ask(sending, &asked).await?;
        remember(sending, place, &answer).await?;
        if answer.parts.is_empty() {
            return Ok(true);
        }
        let missing = pieces(file, part_length, answer.parts);
        let there = file.length - missing.iter().map(|(piece, _)| piece.length()).sum::<u64>();
        meter.set(there);
        if is_known && rounds == 0 && there > 0 {
            let (there, all) = (bytes(there), bytes(file.length));
            sending
                .plan
                .progress
                .print(&format!("resuming {name}: {there} of {all} are there", name = file.name));
        }
        let sent = AtomicUsize::new(0);
        match send_missing(sending, missing, meter, &sent).await {
            Ok(()) if rounds < MAX_ROUNDS => rounds += 1,
            Ok(()) => {
                let what = format!("the object storage loses parts of {}", file.name);
                return Err(FileSendError::Final(CliError::NotSent { what }));
            }
            // The URLs have expired in the meantime. Continue with new ones.
            Err(FileSendError::Address(_)) if sent.load(Ordering::Relaxed) > 0 => {}
            Err(error) => return Err(error),
        }
    }
}

/// Requests the URLs of the missing parts.
async fn ask(sending: &RunningUpload<'_>, asked: &PartsBody) -> Result<PartsAnswer, FileSendError> {
    let plan = sending.plan;
    let mut budget = RetryBudget::new(&plan.limits);
    loop {
        // The call that joins the parts takes as long as a completion.
        let call = plan.service.post("/upload/parts").body_json(asked).timeout(plan.limits.complete());
        let error = match call.json::<PartsAnswer>().await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        match &error {
            // The upload has ended, or belongs to another token.
            CliError::Refused(Refusal { status: 403 | 404 | 410, .. }) => {
                return Err(FileSendError::Address(error));
            }
            _ if error.is_passing() && plan.wait_for_retry(&mut budget, &error).await => {}
            _ => return Err(FileSendError::Final(error)),
        }
    }
}

/// Saves the state that a later run needs to continue.
async fn remember(
    sending: &RunningUpload<'_>,
    place: usize,
    answer: &PartsAnswer,
) -> Result<(), FileSendError> {
    sending
        .change(|granted| {
            granted.expires_at.clone_from(&answer.expires_at);
            if let Some(file) = granted.files.get_mut(place) {
                file.multipart = Some(answer.multipart_id.clone());
            }
        })
        .await
}

/// The missing parts as pieces of the file.
fn pieces(file: &LocalFile, part_length: u64, parts: Vec<PartBody>) -> Vec<(FilePiece, PartBody)> {
    let piece = |part: PartBody| {
        let start = u64::from(part.number.saturating_sub(1)) * part_length;
        let length = part_length.min(file.length.checked_sub(start)?);
        Some((FilePiece { file: file.clone(), part: Some((start, length)) }, part))
    };
    parts.into_iter().filter_map(piece).collect()
}

/// Sends several pieces at a time, and counts those sent.
async fn send_missing(
    sending: &RunningUpload<'_>,
    missing: Vec<(FilePiece, PartBody)>,
    meter: &Meter,
    sent: &AtomicUsize,
) -> Result<(), FileSendError> {
    stream::iter(missing)
        .map(|(piece, part)| async move {
            let _place = sending.places.acquire().await;
            let (url, meter) = (Secret::new(part.url), meter.part());
            let _ = send(sending.plan, &piece, &url, &part.headers, &meter, false).await?;
            let _ = sent.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
        .buffer_unordered(usize::from(sending.plan.limits.parallel))
        .try_collect()
        .await
}
