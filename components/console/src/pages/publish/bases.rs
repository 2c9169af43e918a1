//! The published files from which the form's script makes patches.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use spindrift_api::{ArtifactEntry, DownloadBody, SearchBody};
use spindrift_core::{FileName, MAX_PATCHES_OF_FILE, PatchFormat};
use spindrift_web::{Request, Response};

use super::send::{MAX_SMALL_BYTES, json, require_script};
use crate::address::segment;
use crate::pages::release::private_key;
use crate::{Address, Context, Result};

/// How many of the newest releases are searched for bases.
const RELEASES: usize = 100;

/// A file of the new release, and from how many older releases patches are wanted.
#[derive(Deserialize)]
struct BasesRequest {
    version: String,
    #[serde(default)]
    channel: String,
    #[serde(default)]
    platform: String,
    #[serde(default)]
    arch: String,
    updater: Option<String>,
    patches: usize,
    name: FileName,
}

/// The bases for the file, newest first. Empty for files whose patches need other programs.
#[derive(Serialize)]
struct FileBases {
    bases: Vec<PatchBase>,
}

/// A published file, and the patch from it as the upload describes it. The script adds the base's
/// digest.
#[derive(Serialize)]
struct PatchBase {
    /// Where the page can read the file.
    url: String,
    /// In bytes.
    size: u64,
    /// Lower-case hexadecimal, as verified by the storage.
    md5: String,
    patch: BasePatch,
}

#[derive(Serialize)]
struct BasePatch {
    name: FileName,
    package: String,
    format: PatchFormat,
    base_version: String,
}

/// `POST /console/apps/{app}/publish/bases`.
pub(crate) async fn bases(context: &Context<'_>, mut request: Request) -> Result<Response> {
    require_script(context, &request)?;
    let app = segment(request.path(), 2)?;
    let wanted: BasesRequest = request.read_json(MAX_SMALL_BYTES).await?;
    let search = Address::call("/search")
        .with("app_name", app)
        .with("state", "published")
        .with("changelog", false)
        .with("limit", RELEASES)
        .with("channel", &wanted.channel)
        .with("platform", &wanted.platform)
        .with("arch", &wanted.arch);
    let published: SearchBody = context.service.get(&search).await?;
    json(StatusCode::OK, &FileBases { bases: bases_among(context, &wanted, &published).await? })
}

async fn bases_among(
    context: &Context<'_>,
    wanted: &BasesRequest,
    published: &SearchBody,
) -> Result<Vec<PatchBase>> {
    let package = wanted.name.package();
    let updater = wanted.updater.as_deref().and_then(|updater| updater.parse().ok());
    let Some(format @ PatchFormat::BidiffBrotli) = PatchFormat::for_file(&package, updater) else {
        return Ok(Vec::new());
    };
    let mut bases = Vec::new();
    for release in published.older_than(&wanted.version) {
        if bases.len() == wanted.patches.min(MAX_PATCHES_OF_FILE) {
            break;
        }
        let Some(artifact) = release.file(&wanted.platform, &wanted.arch, &package) else { continue };
        let Ok(patch_name) = wanted.name.of_patch(&release.version) else { continue };
        let (package, base_version) = (package.to_string(), release.version.clone());
        bases.push(PatchBase {
            url: readable_address(context, artifact).await?,
            size: artifact.size,
            md5: artifact.md5.clone(),
            patch: BasePatch { name: patch_name, package, format, base_version },
        });
    }
    Ok(bases)
}

/// Where the page can read a file. For private files, the address expires.
async fn readable_address(context: &Context<'_>, artifact: &ArtifactEntry) -> Result<String> {
    let Some(key) = private_key(&artifact.link) else { return Ok(artifact.link.clone()) };
    let call = Address::call("/download").with("key", key).with("format", "json");
    let found: DownloadBody = context.service.get(&call).await?;
    Ok(found.download_url)
}
