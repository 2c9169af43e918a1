//! Compares files with those that an earlier run, or another job, has uploaded: all files of a
//! release come from one build.

use spindrift_api::{ArtifactEntry, ReleaseData, ReleaseEntry};
use spindrift_core::{FileName, Packages};

use super::digest::{FileDigests, hash_all};
use super::files::LocalFile;
use super::progress::Progress;
use crate::download::file_name;
use crate::error::CliError;
use crate::output::bytes;
use crate::releases;
use crate::service::Service;

/// Fails unless the release has all these files, with the same bytes, in the scope of `data`.
/// Generated files, such as patches, are not compared.
pub(super) async fn require_same(
    service: &Service,
    data: &ReleaseData,
    files: &[LocalFile],
    progress: &Progress,
) -> Result<(), CliError> {
    let release = releases::find(service, &data.app_name, &data.version).await?;
    let packages = Packages::from_json(&serde_json::json!(data.packages))
        .map_err(|error| CliError::usage(error.to_string()))?;
    let digests = hash_all(files, true, progress).await?;
    for (file, digests) in files.iter().zip(&digests) {
        let there = in_release(&release, data, file, &packages);
        if let Some(difference) = difference(file, digests, there) {
            return Err(CliError::Conflict(conflict_text(data, &difference)));
        }
    }
    Ok(())
}

/// The file of the release that corresponds to this one.
fn in_release<'a>(
    release: &'a ReleaseEntry,
    data: &ReleaseData,
    file: &LocalFile,
    packages: &Packages,
) -> Option<&'a ArtifactEntry> {
    let (platform, arch) = (data.platform.as_deref().unwrap_or_default(), data.arch.as_deref());
    let name: FileName = file.name.parse().ok()?;
    let (is_by_name, package) = (name.is_told_apart_by_name(), packages.of(&name));
    release.artifacts.iter().find(|artifact| {
        artifact.platform == platform
            && artifact.arch == arch.unwrap_or_default()
            && artifact.package == package.as_str()
            && (!is_by_name || file_name(&artifact.link) == file.name)
    })
}

/// How the file differs from the one in the release. `None`: it does not.
fn difference(file: &LocalFile, digests: &FileDigests, there: Option<&ArtifactEntry>) -> Option<String> {
    let LocalFile { name, length, .. } = file;
    let sha256 = digests.sha256.as_deref().unwrap_or_default();
    let Some(there) = there else {
        return Some(format!("no {name} (here SHA-256 {sha256}, {})", bytes(*length)));
    };
    // The storage has verified the MD5 of every file. The SHA-256 is known only if it was declared.
    let (kind, in_release, here) = match &there.sha256 {
        Some(other) => ("SHA-256", other.as_str(), sha256),
        None => ("MD5", there.md5.as_str(), digests.md5.as_str()),
    };
    if in_release == here && there.size == *length {
        return None;
    }
    let (size, length) = (bytes(there.size), bytes(*length));
    Some(format!("another {name}: there {kind} {in_release}, {size}; here {here}, {length}"))
}

fn conflict_text(data: &ReleaseData, difference: &str) -> String {
    let ReleaseData { app_name: app, version, .. } = data;
    let arch = data.arch.as_deref().unwrap_or_default();
    format!(
        "{app} {version} has files for {arch} already, and {difference}. Nothing was published: publish the \
         files that belong together as another version, or delete this one with `spindrift release delete \
         {version} --app \"{app}\"` and run the same command again"
    )
}
