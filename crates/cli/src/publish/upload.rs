//! The steps of an upload, from hashing to the report.

use std::time::Instant;

use spindrift_api::{AppEntry, AppsBody, ErrorCode, UploadInitBody};
use spindrift_core::Id;

use super::complete::{Completion, complete};
use super::digest::{FileDigests, hash_all, hash_to_send};
use super::plan::UploadPlan;
use super::regular;
use super::report::{PublishReport, Seconds};
use super::session::{UploadStart, begin, key};
use super::state_file::{StateFile, UploadGrant};
use super::transfer::{TransferOutcome, transfer};
use crate::commands::catalog;
use crate::error::CliError;
use crate::names::CallNames;
use crate::refusal::Refusal;
use crate::service::field;

/// Maximum number of attempts when an upload has expired or lacks digests.
const MAX_BEGINNINGS: u32 = 3;

/// The id of the request that validates names. The log of `spindrift up` hides its refusal, which
/// is expected.
const PROBE_ID: &str = "probe-names";

enum AttemptOutcome {
    Done { release: Id, upload: Option<UploadGrant>, resumed: bool },
    Again(CliError),
    DigestsNeeded(CliError),
}

/// Publishes the files. `tuf`: whether the user claims that the application needs SHA-256 and
/// SHA-512. `is_signed`: whether it needs them because the files will be signed.
pub(super) async fn upload(plan: &UploadPlan, tuf: bool, is_signed: bool) -> Result<PublishReport, CliError> {
    let start = Instant::now();
    let mut all = tuf || is_signed || has_tuf(plan).await?;
    let mut digests = hash_to_send(plan, all).await?;
    let feeds = hash_all(&plan.files.feeds, false, &plan.progress).await?;
    let hashing = start.elapsed();
    let mut beginnings = 0;
    loop {
        beginnings += 1;
        let state = StateFile::open(&plan.folder, &key(plan, &digests, &feeds))?;
        let error = match attempt(plan, &state, &digests, all).await? {
            AttemptOutcome::Done { release, upload, resumed } => {
                state.forget();
                let seconds = Seconds::new(hashing, start.elapsed());
                return Ok(PublishReport::new(plan, release, digests, upload.as_ref(), resumed, seconds));
            }
            AttemptOutcome::Again(error) => {
                plan.progress.print("the earlier upload cannot be used any more: beginning a new one");
                error
            }
            AttemptOutcome::DigestsNeeded(error) => {
                plan.progress
                    .print("the application has TUF enabled: sending again with digests (--tuf avoids this)");
                all = true;
                digests = hash_to_send(plan, all).await?;
                error
            }
        };
        state.forget();
        if beginnings >= MAX_BEGINNINGS {
            return Err(error);
        }
    }
}

async fn attempt(
    plan: &UploadPlan,
    state: &StateFile,
    digests: &[FileDigests],
    all: bool,
) -> Result<AttemptOutcome, CliError> {
    let (mut granted, resumed) = match begin(plan, state, digests).await? {
        UploadStart::Granted { granted, resumed } => (granted, resumed),
        UploadStart::Regular => {
            let release = regular::upload(plan).await?;
            return Ok(AttemptOutcome::Done { release, upload: None, resumed: false });
        }
    };
    let hashed = (digests, !all && plan.digests);
    // Only a resumed upload can have expired, so only then may a new one help.
    let again = |error| if resumed { Ok(AttemptOutcome::Again(error)) } else { Err(error) };
    if let TransferOutcome::AddressesEnded(error) = transfer(plan, state, &mut granted, hashed).await? {
        state.forget();
        return again(error);
    }
    match complete(plan, state, &mut granted, hashed).await? {
        Completion::Released(release) => Ok(AttemptOutcome::Done { release, upload: Some(granted), resumed }),
        Completion::Gone(error) => again(error),
        Completion::DigestsNeeded(error) => Ok(AttemptOutcome::DigestsNeeded(error)),
    }
}

/// Requests an upload without files. The service resolves the names before it refuses this, so
/// unknown names are found before any file is hashed.
pub(super) async fn check_names(plan: &UploadPlan) -> Result<(), CliError> {
    let data = &plan.data;
    let names = CallNames {
        app: Some(&data.app_name),
        channel: data.channel.as_deref(),
        platform: data.platform.as_deref(),
        arch: data.arch.as_deref(),
        updater: data.updater.as_deref(),
    };
    let form = [("data", field(data)), ("files", "[]".to_owned())];
    let call = plan.service.post("/upload/init").header("x-request-id", PROBE_ID);
    let error = match call.form(&form).json::<UploadInitBody>().await {
        Ok(_) => return Ok(()),
        Err(error) => names.explain(&plan.service, error).await,
    };
    match &error {
        // Refused because files are missing, or for a reason that the upload itself will report.
        CliError::Refused(Refusal { status: 400 | 409, text, .. }) if !text.ends_with(" is required") => {
            Ok(())
        }
        // Files go through the service, which resolves the names when they arrive.
        CliError::Refused(Refusal { code: Some(ErrorCode::NotSupported), .. }) => {
            match names.check(&plan.service).await {
                Err(error @ CliError::NotFound(_)) => Err(error),
                _ => Ok(()),
            }
        }
        _ => Err(error),
    }
}

/// Whether the application has TUF enabled. `false` if the token may not read this.
async fn has_tuf(plan: &UploadPlan) -> Result<bool, CliError> {
    match catalog::list::<AppEntry>(&plan.service).await {
        Ok(AppsBody { apps }) => Ok(apps.iter().any(|app| app.app_name == plan.data.app_name && app.tuf)),
        Err(CliError::Refused(refusal)) if refusal.status == 403 => Ok(false),
        Err(error) => Err(error),
    }
}
