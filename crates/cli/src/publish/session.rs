//! Starts or resumes an upload.

use base16ct::lower::encode_string as hex;
use jiff::Timestamp;
use reqwest::multipart::{Form, Part};
use sha2::{Digest as _, Sha256};
use spindrift_api::{CompleteBody, ErrorCode, ManifestEntry, UploadInitBody};

use super::digest::FileDigests;
use super::files::LocalFile;
use super::plan::UploadPlan;
use super::retry::RetryBudget;
use super::state_file::{StateFile, UploadGrant};
use crate::error::CliError;
use crate::refusal::Refusal;
use crate::service::field;

/// Part of every key. A new format of the state file needs a new value.
const SHAPE: &str = "spindrift-upload-1";

/// How an upload starts.
pub(super) enum UploadStart {
    /// Files are sent to the storage.
    Granted { granted: UploadGrant, resumed: bool },
    /// Files are sent through the service.
    Regular,
}

/// Resumes the upload of an earlier run, or requests a new one from the service.
pub(super) async fn begin(
    plan: &UploadPlan,
    state: &StateFile,
    digests: &[FileDigests],
) -> Result<UploadStart, CliError> {
    let earlier = state.read().filter(|granted| fits(granted, &plan.files.large));
    let earlier = match earlier {
        Some(granted) if !granted.is_usable(Timestamp::now()) => renew(plan, state, granted).await?,
        earlier => earlier,
    };
    if let Some(granted) = earlier {
        let sent = granted.files.iter().filter(|file| file.sent).count();
        let all = granted.files.len();
        plan.progress.print(&format!("resuming an earlier upload: {sent} of {all} files are there"));
        return Ok(UploadStart::Granted { granted, resumed: true });
    }
    let granted: UploadGrant = match init(plan, digests).await {
        Err(CliError::Refused(refusal)) if refusal.code == Some(ErrorCode::NotSupported) => {
            return Ok(UploadStart::Regular);
        }
        other => other?.into(),
    };
    if !fits(&granted, &plan.files.large) {
        let (url, reason) = (plan.service.url().to_owned(), "an upload of other files".to_owned());
        return Err(CliError::NotSpindrift { url, reason });
    }
    state.write(&granted)?;
    Ok(UploadStart::Granted { granted, resumed: false })
}

/// The upload with new URLs. `None`: the service no longer has it.
async fn renew(
    plan: &UploadPlan,
    state: &StateFile,
    granted: UploadGrant,
) -> Result<Option<UploadGrant>, CliError> {
    let body = CompleteBody { upload_id: granted.upload_id.clone() };
    let renewed = match plan.service.post("/upload/renew").body_json(&body).json::<UploadInitBody>().await {
        Ok(body) => granted.with_new_urls(body),
        Err(CliError::Refused(Refusal { status: 403 | 404 | 410 | 501, .. })) => return Ok(None),
        Err(error) => return Err(error),
    };
    if !fits(&renewed, &plan.files.large) {
        return Ok(None);
    }
    state.write(&renewed)?;
    Ok(Some(renewed))
}

fn fits(granted: &UploadGrant, files: &[LocalFile]) -> bool {
    granted.files.iter().map(|file| &file.name).eq(files.iter().map(|file| &file.name))
}

async fn init(plan: &UploadPlan, digests: &[FileDigests]) -> Result<UploadInitBody, CliError> {
    let (data, files) = (field(&plan.data), field(&manifest(&plan.files.large, digests)));
    let mut budget = RetryBudget::new(&plan.limits);
    loop {
        let call = plan.service.post("/upload/init");
        let call = if plan.files.feeds.is_empty() {
            call.form(&[("data", &data), ("files", &files)])
        } else {
            call.multipart(feeds(
                &plan.files.feeds,
                Form::new().text("data", data.clone()).text("files", files.clone()),
            )?)
        };
        match call.json().await {
            Err(error) if error.is_passing() && plan.wait_for_retry(&mut budget, &error).await => {}
            other => return other,
        }
    }
}

/// Adds feed files to a form.
fn feeds(files: &[LocalFile], form: Form) -> Result<Form, CliError> {
    files.iter().try_fold(form, |form, file| {
        let content = std::fs::read(&file.path).map_err(CliError::file(&file.path))?;
        Ok(form.part("file", Part::bytes(content).file_name(file.name.clone())))
    })
}

/// The form field `files`.
fn manifest(files: &[LocalFile], digests: &[FileDigests]) -> Vec<ManifestEntry> {
    let entry = |(file, digests): (&LocalFile, &FileDigests)| {
        let (sha256, sha512) = digests.sha256.clone().zip(digests.sha512.clone()).unzip();
        ManifestEntry {
            name: file.name.clone(),
            md5: digests.md5.clone(),
            sha256,
            sha512,
            length: Some(file.length),
            // The release's data names the packages.
            package: None,
        }
    };
    files.iter().zip(digests).map(entry).collect()
}

/// The key of an upload: a digest of the service, the release and the content of every file.
pub(super) fn key(plan: &UploadPlan, digests: &[FileDigests], feeds: &[FileDigests]) -> String {
    let files = (manifest(&plan.files.large, digests), manifest(&plan.files.feeds, feeds));
    hex(&Sha256::digest(field(&(SHAPE, plan.service.url(), &plan.data, files))))
}
