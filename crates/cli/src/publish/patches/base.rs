//! The published files that patches start from.

use std::path::{Path, PathBuf};

use spindrift_api::{ArtifactEntry, SearchBody};
use spindrift_client::{Client, Config, Download};
use spindrift_core::Package;

use super::UploadPlan;
use crate::download::{from_client, with_token};
use crate::error::CliError;

/// A published file.
pub(super) struct PatchBase<'a> {
    pub(super) version: String,
    pub(super) length: u64,
    artifact: &'a ArtifactEntry,
}

/// The files of a package in the scope of the upload, newest first.
pub(super) fn of<'a>(
    plan: &UploadPlan,
    published: &'a SearchBody,
    package: &'a Package,
) -> impl Iterator<Item = PatchBase<'a>> {
    let (platform, arch) = (plan.data.platform.clone(), plan.data.arch.clone());
    published.older_than(&plan.data.version).filter_map(move |release| {
        let (platform, arch) = (platform.as_deref().unwrap_or_default(), arch.as_deref().unwrap_or_default());
        let artifact = release.file(platform, arch, package)?;
        Some(PatchBase { version: release.version.clone(), length: artifact.size, artifact })
    })
}

/// Downloads a base into a folder. Checks the MD5 that the storage verified.
pub(super) async fn download(
    plan: &UploadPlan,
    base: &PatchBase<'_>,
    folder: &Path,
) -> Result<PathBuf, CliError> {
    let url = base.artifact.link.as_str();
    let failed = |error| from_client(url, error);
    let client = Client::new(Config::new(plan.service.url())).map_err(failed)?;
    let md5 = base.artifact.md5.parse().map_err(|_| CliError::Other("a wrong MD5".to_owned()))?;
    let download = Download::new(url, folder.join("base")).with_length(base.artifact.size).with_md5(md5);
    let download = with_token(download, url, &plan.service)?;
    let progress = plan.progress.meter("fetching", &base.version, base.length);
    let mut had = 0;
    let done = client.download(&download, |moved| {
        progress.add(moved.bytes.saturating_sub(had));
        had = moved.bytes;
    });
    let path = done.await.map_err(failed)?.path;
    progress.finish("fetched");
    Ok(path)
}
