//! Checks that files can be uploaded: makes every step of an upload except the last.

use std::time::SystemTime;

use base16ct::lower::encode_string as hex;
use clap::Args;
use md5::{Digest as _, Md5};
use spindrift_api::{
    ArchEntry, ChannelEntry, ErrorCode, ManifestEntry, PlatformEntry, ReleaseData, UploadInitBody,
};

use super::finding::Finding;
use crate::commands::catalog::{self, CatalogEntry};
use crate::error::CliError;
use crate::names::CallNames;
use crate::service::{Service, field};

const UPLOAD: &str = "upload";
/// Content of the test file.
const CONTENT: &[u8] = b"spindrift doctor\n";
/// Name of the test file.
const FILE: &str = "doctor.txt";

/// The scope of the test upload.
#[derive(Debug, Args)]
pub(super) struct UploadTarget {
    /// Channel for the test upload [default: the first one].
    #[arg(long, env = "SPINDRIFT_CHANNEL", value_name = "NAME")]
    channel: Option<String>,
    /// Platform for the test upload [default: the first one].
    #[arg(long, env = "SPINDRIFT_PLATFORM", value_name = "NAME")]
    platform: Option<String>,
    /// Architecture for the test upload [default: the first one].
    #[arg(long, env = "SPINDRIFT_ARCH", value_name = "NAME")]
    arch: Option<String>,
}

pub(super) async fn upload(service: &Service, app: &str, target: &UploadTarget) -> Finding {
    if service.token().is_none() {
        return Finding::skipped(UPLOAD, "no token: log in, or set SPINDRIFT_TOKEN");
    }
    let granted = match init(service, app, target).await {
        Ok(granted) => granted,
        Err(CliError::Refused(refusal)) if refusal.code == Some(ErrorCode::NotSupported) => {
            return Finding::good(UPLOAD, "files go through the service: the storage is for it alone");
        }
        Err(error) => {
            let names = CallNames {
                app: Some(app),
                channel: target.channel.as_deref(),
                platform: target.platform.as_deref(),
                arch: target.arch.as_deref(),
                updater: None,
            };
            return Finding::failed(UPLOAD, &names.explain(service, error).await);
        }
    };
    let Some(file) = granted.files.first() else {
        let (url, reason) = (service.url().to_owned(), "an upload without files".to_owned());
        return Finding::failed(UPLOAD, &CliError::NotSpindrift { url, reason });
    };
    let mut request = service.http().put(&file.url).timeout(service.limits().timeout).body(CONTENT);
    for (name, value) in &file.headers {
        // The HTTP client sets this header itself.
        if !name.eq_ignore_ascii_case("content-length") {
            request = request.header(name, value);
        }
    }
    match request.send().await {
        Ok(answer) if answer.status().is_success() => {
            Finding::good(UPLOAD, "the storage took a presigned upload")
        }
        Ok(answer) if answer.status().as_u16() == 403 => Finding::problem(
            UPLOAD,
            "the storage refuses presigned uploads (403): check s3_access_key, s3_secret_key and s3_region, \
             and the clocks of service and storage",
        ),
        Ok(answer) => Finding::problem(
            UPLOAD,
            format!(
                "the storage answers {} to an upload: check s3_presign_endpoint and the buckets",
                answer.status()
            ),
        ),
        Err(error) => Finding::failed(UPLOAD, &CliError::network(&file.url, error)),
    }
}

async fn init(service: &Service, app: &str, target: &UploadTarget) -> Result<UploadInitBody, CliError> {
    // A version above every earlier attempt, and below every release.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let data = ReleaseData {
        app_name: app.to_owned(),
        version: format!("0.0.0-doctor.{now}"),
        channel: given_or_first::<ChannelEntry>(service, target.channel.as_ref()).await?,
        platform: given_or_first::<PlatformEntry>(service, target.platform.as_ref()).await?,
        arch: given_or_first::<ArchEntry>(service, target.arch.as_ref()).await?,
        updater: Some("manual".to_owned()),
        ..ReleaseData::default()
    };
    let file = ManifestEntry {
        name: FILE.to_owned(),
        md5: hex(&Md5::digest(CONTENT)),
        sha256: None,
        sha512: None,
        length: Some(CONTENT.len() as u64),
        package: None,
    };
    let form = [("data", field(&data)), ("files", field(&[file]))];
    service.post("/upload/init").form(&form).json().await
}

/// The given value, or else the first item of the list. `None`: the list is empty, or the token may
/// not read it.
async fn given_or_first<E: CatalogEntry>(
    service: &Service,
    given: Option<&String>,
) -> Result<Option<String>, CliError> {
    if let Some(given) = given {
        return Ok(Some(given.clone()));
    }
    match catalog::list::<E>(service).await {
        Ok(all) => Ok(E::entries(&all).first().map(|entry| entry.name().to_owned())),
        Err(CliError::Refused(refusal)) if refusal.code == Some(ErrorCode::NotForCiTokens) => Ok(None),
        Err(error) => Err(error),
    }
}
