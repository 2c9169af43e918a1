//! The steps of an upload, from hashing to the report.

use std::time::Instant;

use spindrift_api::{AppEntry, AppsBody, ErrorCode, UploadInitBody};
use spindrift_core::Id;

use super::complete::{Completed, complete};
use super::digest::{Digests, hash_all, hash_to_send};
use super::plan::Plan;
use super::regular;
use super::report::{Report, Seconds};
use super::session::{Beginning, begin, key};
use super::state_file::{Granted, StateFile};
use super::transfer::{Transferred, transfer};
use crate::commands::catalog;
use crate::error::CliError;
use crate::names::Names;
use crate::refusal::Refusal;
use crate::service::field;

/// Maximum number of attempts when an upload has expired or lacks digests.
const MAX_BEGINNINGS: u32 = 3;

/// The id of the request that validates names. The log of `spindrift up` hides its refusal, which
/// is expected.
const PROBE_ID: &str = "probe-names";

enum Attempt {
    Done { release: Id, upload: Option<Granted>, resumed: bool },
    Again(CliError),
    DigestsNeeded(CliError),
}

/// Publishes the files. `tuf`: whether the user claims that the application needs SHA-256 and
/// SHA-512. `is_signed`: whether it needs them because the files will be signed.
pub(super) async fn upload(plan: &Plan, tuf: bool, is_signed: bool) -> Result<Report, CliError> {
    let start = Instant::now();
    let mut all = tuf || is_signed || looks_up_tuf(plan).await?;
    let mut digests = hash_to_send(plan, all).await?;
    let feeds = hash_all(&plan.files.feeds, false, &plan.progress).await?;
    let hashing = start.elapsed();
    let mut beginnings = 0;
    loop {
        beginnings += 1;
        let state = StateFile::open(&plan.folder, &key(plan, &digests, &feeds))?;
        let error = match attempt(plan, &state, &digests, all).await? {
            Attempt::Done { release, upload, resumed } => {
                state.forget();
                let seconds = Seconds::new(hashing, start.elapsed());
                return Ok(Report::new(plan, release, digests, upload.as_ref(), resumed, seconds));
            }
            Attempt::Again(error) => {
                plan.progress.say("the earlier upload cannot be used any more: beginning a new one");
                error
            }
            Attempt::DigestsNeeded(error) => {
                plan.progress
                    .say("the application has TUF enabled: sending again with digests (--tuf avoids this)");
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
    plan: &Plan,
    state: &StateFile,
    digests: &[Digests],
    all: bool,
) -> Result<Attempt, CliError> {
    let (mut granted, resumed) = match begin(plan, state, digests).await? {
        Beginning::Granted { granted, resumed } => (granted, resumed),
        Beginning::Regular => {
            let release = regular::upload(plan).await?;
            return Ok(Attempt::Done { release, upload: None, resumed: false });
        }
    };
    let hashed = (digests, !all && plan.digests);
    // Only a resumed upload can have expired, so only then may a new one help.
    let again = |error| if resumed { Ok(Attempt::Again(error)) } else { Err(error) };
    if let Transferred::AddressesEnded(error) = transfer(plan, state, &mut granted, hashed).await? {
        state.forget();
        return again(error);
    }
    match complete(plan, state, &mut granted, hashed).await? {
        Completed::Released(release) => Ok(Attempt::Done { release, upload: Some(granted), resumed }),
        Completed::Gone(error) => again(error),
        Completed::DigestsNeeded(error) => Ok(Attempt::DigestsNeeded(error)),
    }
}

/// Requests an upload without files. The service resolves the names before it refuses this, so
/// unknown names are found before any file is hashed.
pub(super) async fn check_names(plan: &Plan) -> Result<(), CliError> {
    let data = &plan.data;
    let names = Names {
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
async fn looks_up_tuf(plan: &Plan) -> Result<bool, CliError> {
    match catalog::list::<AppEntry>(&plan.service).await {
        Ok(AppsBody { apps }) => Ok(apps.iter().any(|app| app.app_name == plan.data.app_name && app.tuf)),
        Err(CliError::Refused(refusal)) if refusal.status == 403 => Ok(false),
        Err(error) => Err(error),
    }
}
