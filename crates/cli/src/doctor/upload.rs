//! Whether files can be uploaded: all steps of an upload but the last.

use std::time::SystemTime;

use base16ct::lower::encode_string as hex;
use md5::{Digest as _, Md5};
use serde_json::{Value, json};

use super::Doctor;
use super::finding::Finding;
use crate::commands::catalog::{ARCH, CHANNEL, Kind, PLATFORM};
use crate::error::CliError;
use crate::output::{list, text};
use crate::service::Service;

const UPLOAD: &str = "upload";
/// What is sent.
const CONTENT: &[u8] = b"spindrift doctor\n";
/// What it is called.
const FILE: &str = "doctor.txt";

pub(super) async fn upload(service: &Service, app: &str, asked: &Doctor) -> Finding {
    if service.token().is_none() {
        return Finding::skipped(UPLOAD, "no token: log in, or set SPINDRIFT_TOKEN");
    }
    let granted = match init(service, app, asked).await {
        Ok(granted) => granted,
        Err(CliError::Refused(refusal)) if refusal.status == 501 => {
            return Finding::good(UPLOAD, "files go through the service: the storage is for it alone");
        }
        Err(error) => return Finding::failed(UPLOAD, &error),
    };
    let file = &granted["files"][0];
    let url = text(file, "url");
    let mut request = service.http().put(&url).timeout(service.limits().timeout).body(CONTENT);
    for (name, value) in file["headers"].as_object().into_iter().flatten() {
        // The client sets it itself.
        if !name.eq_ignore_ascii_case("content-length") {
            request = request.header(name, value.as_str().unwrap_or_default());
        }
    }
    match request.send().await {
        Ok(answer) if answer.status().is_success() => {
            Finding::good(UPLOAD, "the storage took a presigned upload")
        }
        Ok(answer) if answer.status().as_u16() == 403 => Finding::problem(
            UPLOAD,
            "the storage refuses presigned uploads (403): check s3_access_key, s3_secret_key and s3_region, and the clocks of service and storage",
        ),
        Ok(answer) => Finding::problem(
            UPLOAD,
            format!(
                "the storage answers {} to an upload: check s3_presign_endpoint and the buckets",
                answer.status()
            ),
        ),
        Err(error) => Finding::failed(UPLOAD, &CliError::network(&url, error)),
    }
}

async fn init(service: &Service, app: &str, asked: &Doctor) -> Result<Value, CliError> {
    // Later than every earlier try, and older than every release.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut data = json!({ "app_name": app, "version": format!("0.0.0-doctor.{now}"), "publish": false, "updater": "manual" });
    for (key, kind, given) in [
        ("channel", CHANNEL, &asked.channel),
        ("platform", PLATFORM, &asked.platform),
        ("arch", ARCH, &asked.arch),
    ] {
        if let Some(name) = given.clone().or(first(service, kind).await) {
            data[key] = json!(name);
        }
    }
    let md5 = hex(&Md5::digest(CONTENT));
    let files = json!([{ "name": FILE, "md5": md5, "length": CONTENT.len() }]);
    let form = [("data", data.to_string()), ("files", files.to_string())];
    service.post("/upload/init").form(&form).json().await
}

/// The first of a kind; `None` where there is none, or the token may not see them.
async fn first(service: &Service, kind: Kind) -> Option<String> {
    let all = kind.entries(service).await.ok()?;
    list(&all, kind.list).first().map(|entry| text(entry, kind.name))
}
