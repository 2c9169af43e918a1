//! Signs the uploaded files.

use spindrift_core::{FileName, ReleaseMetadata};

use super::plan::UploadPlan;
use super::report::{PublishReport, PublishedFile};
use crate::error::CliError;
use crate::service::field;
use crate::trust::published::{PublishedTrust, Publisher};
use crate::trust::reported_files::SeenFile;

/// Signs the files of an upload with the digests from before the upload.
pub(super) async fn sign(
    plan: &UploadPlan,
    report: &PublishReport,
    publisher: Publisher,
) -> Result<PublishedTrust, CliError> {
    let release =
        ReleaseMetadata::parse(&field(&plan.data)).map_err(|error| CliError::usage(error.to_string()))?;
    let files = report.files.iter().map(seen_file).collect::<Result<Vec<_>, _>>()?;
    publisher.sign(&release, &files).await
}

fn seen_file(file: &PublishedFile) -> Result<(FileName, SeenFile), CliError> {
    let digests = file.sha256.as_ref().zip(file.sha512.as_ref());
    let digests = digests.and_then(|(sha256, sha512)| Some((sha256.parse().ok()?, sha512.parse().ok()?)));
    let name: Option<FileName> = file.name.parse().ok();
    let (name, (sha256, sha512)) = name
        .zip(digests)
        .ok_or_else(|| CliError::Other(format!("{} has no digests: run this again", file.name)))?;
    Ok((name, SeenFile { length: file.length, sha256, sha512 }))
}
