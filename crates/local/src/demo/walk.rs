//! The first act: an owner signs up and publishes two releases, and an installed copy updates itself.

use std::time::{Duration, Instant};

use base16ct::lower::encode_string as hex;
use http::{Method, header};
use md5::Md5;
use serde_json::{Value, json};
use sha2::{Digest, Sha256, Sha512};

use crate::client::{HttpAnswer, call_error, form, send};
use crate::error::LocalError;
use crate::output::say;

/// Names in the demo.
pub(super) const OWNER: &str = "acme";
pub(super) const APP: &str = "notes";
pub(super) const CHANNEL: &str = "stable";
pub(super) const PLATFORM: &str = "linux";
pub(super) const ARCH: &str = "amd64";
pub(super) const FILE_NAME: &str = "Notes for Linux.AppImage";
/// Size of the published file, in bytes.
const FILE_BYTES: usize = 16 * 1024 * 1024;
/// How long a published release may go unnoticed, and how long to wait between two checks.
const NOTICE_LIMIT: Duration = Duration::from_secs(5);
const NOTICE_PAUSE: Duration = Duration::from_millis(250);
const JSON: (&str, &str) = ("content-type", "application/json");
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

/// Runs the main use case on the service at `service`. Signing up requires `api_key`.
pub(super) async fn act(service: &str, api_key: &str) -> Result<Walk, LocalError> {
    let bearer = sign_in(service, api_key).await?;
    let walk = Walk {
        service: service.to_owned(),
        bearer: bearer.clone(),
        app_id: create_app(service, &bearer).await?,
    };
    let first = file(1);
    walk.publish("1.0.0", "First release.", &first).await?;
    let second = file(2);
    walk.publish("1.1.0", "Faster, and fewer surprises.", &second).await?;
    let url = walk.wait_for_offer("1.0.0").await?;
    walk.download(&url, &second).await?;
    if walk.check("1.1.0").await?.is_some() {
        return Err(call_error("check", "an update was offered to the newest version"));
    }
    walk.latest().await?;
    Ok(walk)
}

/// The service after the first act.
pub(super) struct Walk {
    service: String,
    bearer: String,
    app_id: String,
}

async fn sign_in(service: &str, api_key: &str) -> Result<String, LocalError> {
    let health = send(Method::GET, &format!("{service}/health"), &[], "").await?.ok("health")?;
    say!("GET  /health             -> {}", String::from_utf8_lossy(&health.body));
    let user = json!({ "username": OWNER, "password": "a long demo password", "api_key": api_key });
    send(Method::POST, &format!("{service}/signup"), &[JSON], user.to_string()).await?.ok("signup")?;
    say!("POST /signup             -> owner {OWNER}");
    let user = json!({ "username": OWNER, "password": "a long demo password" });
    let login =
        send(Method::POST, &format!("{service}/login"), &[JSON], user.to_string()).await?.ok("login")?.json();
    say!("POST /login              -> a token for 24 hours");
    Ok(format!("Bearer {}", login["token"].as_str().unwrap_or_default()))
}

/// Returns the id of the application.
async fn create_app(service: &str, bearer: &str) -> Result<String, LocalError> {
    let post = async |path: &str, kind, body: String| {
        let headers = [kind, ("authorization", bearer)];
        send(Method::POST, &format!("{service}{path}"), &headers, body).await?.ok(path)
    };
    let app = json!({ "app": APP, "description": "A demo" }).to_string();
    let created = post("/app/create", FORM, form(&[("data", &app)])).await?.json();
    for (path, key, name) in [
        ("/channel/create", "channel", CHANNEL),
        ("/platform/create", "platform", PLATFORM),
        ("/arch/create", "arch", ARCH),
    ] {
        post(path, JSON, json!({ key: name }).to_string()).await?;
    }
    say!("POST /app/create ...     -> {APP}, {CHANNEL}, {PLATFORM}, {ARCH}");
    Ok(created["createAppResult.Created"].as_str().unwrap_or_default().to_owned())
}

/// An incompressible file, different for each `seed`.
pub(super) fn file(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut bytes = Vec::with_capacity(FILE_BYTES);
    while bytes.len() < FILE_BYTES {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bytes.extend_from_slice(&(state >> 32).to_le_bytes()[..4]);
    }
    bytes
}

impl Walk {
    async fn post(&self, path: &str, kind: (&str, &str), body: String) -> Result<HttpAnswer, LocalError> {
        let headers = [kind, ("authorization", self.bearer.as_str())];
        send(Method::POST, &format!("{}{path}", self.service), &headers, body).await?.ok(path)
    }

    async fn get(&self, path: &str) -> Result<HttpAnswer, LocalError> {
        send(Method::GET, &format!("{}{path}", self.service), &[], "").await
    }

    pub(super) async fn post_json(&self, path: &str, body: &Value) -> Result<HttpAnswer, LocalError> {
        self.post(path, JSON, body.to_string()).await
    }

    /// The body of an answer to the owner.
    pub(super) async fn get_as_owner(&self, path: &str) -> Result<Value, LocalError> {
        let headers = [("authorization", self.bearer.as_str())];
        Ok(send(Method::GET, &format!("{}{path}", self.service), &headers, "").await?.ok(path)?.json())
    }

    /// A file of signed metadata, which is public.
    pub(super) async fn metadata(&self, name: &str) -> Result<bytes::Bytes, LocalError> {
        Ok(self.get(&format!("/tuf/repository/{OWNER}/{APP}/metadata/{name}")).await?.ok(name)?.body)
    }

    pub(super) async fn switch_tuf_on(&self) -> Result<(), LocalError> {
        let data = json!({ "id": self.app_id, "app": APP, "tuf": "true" }).to_string();
        self.post("/app/update", FORM, form(&[("data", &data)])).await?;
        Ok(())
    }

    pub(super) async fn publish(
        &self,
        version: &str,
        changelog: &str,
        bytes: &[u8],
    ) -> Result<(), LocalError> {
        let data = json!({
            "app_name": APP, "version": version, "channel": CHANNEL, "platform": PLATFORM, "arch": ARCH,
            "publish": true, "changelog": changelog,
        });
        let files = json!([{
            "name": FILE_NAME, "length": bytes.len(), "md5": hex(&Md5::digest(bytes)),
            "sha256": hex(&Sha256::digest(bytes)), "sha512": hex(&Sha512::digest(bytes)),
        }]);
        let body = form(&[("data", &data.to_string()), ("files", &files.to_string())]);
        let session = self.post("/upload/init", FORM, body).await?.json();
        for file in session["files"].as_array().into_iter().flatten() {
            put(file, bytes).await?;
        }
        let body = json!({ "upload_id": session["upload_id"] }).to_string();
        let done = self.post("/upload/complete", JSON, body).await?.json();
        say!(
            "POST /upload/init, PUT {} MiB straight to the storage, POST /upload/complete -> {version} is \
             release {}",
            bytes.len() / (1024 * 1024),
            done["uploadResult.Uploaded"].as_str().unwrap_or_default()
        );
        Ok(())
    }

    /// The link to the offered update, or `None` if there is none.
    pub(super) async fn check(&self, version: &str) -> Result<Option<String>, LocalError> {
        let query = format!(
            "/checkVersion?app_name={APP}&version={version}&channel={CHANNEL}&platform={PLATFORM}&arch={ARCH}&owner={OWNER}"
        );
        let answer = self.get(&query).await?.ok("check")?.json();
        say!("GET  /checkVersion {version} -> {answer}");
        let offered = answer["update_available"] == Value::Bool(true);
        Ok(offered.then(|| answer["update_url_appimage"].as_str().unwrap_or_default().to_owned()))
    }

    /// The link to an update that was just published. Components that answer many requests may notice it up
    /// to a second late.
    pub(super) async fn wait_for_offer(&self, version: &str) -> Result<String, LocalError> {
        let begun = Instant::now();
        loop {
            if let Some(url) = self.check(version).await? {
                return Ok(url);
            }
            if begun.elapsed() > NOTICE_LIMIT {
                return Err(call_error("check", "no update was offered"));
            }
            tokio::time::sleep(NOTICE_PAUSE).await;
        }
    }

    async fn download(&self, url: &str, expected: &[u8]) -> Result<(), LocalError> {
        let answer = send(Method::GET, url, &[], "").await?.ok("download")?;
        if Sha256::digest(&answer.body) != Sha256::digest(expected) {
            return Err(call_error("download", "the bytes are not those that were published"));
        }
        say!("GET  {url} -> {} bytes, SHA-256 as published", answer.body.len());
        Ok(())
    }

    async fn latest(&self) -> Result<(), LocalError> {
        let answer =
            self.get(&format!("/apps/latest?app_name={APP}&owner={OWNER}&channel={CHANNEL}")).await?;
        let location =
            answer.headers.get(header::LOCATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        say!("GET  /apps/latest        -> {} {location}", answer.status);
        Ok(())
    }
}

/// Sends one file to its presigned URL, with the signed headers unchanged.
async fn put(file: &Value, bytes: &[u8]) -> Result<(), LocalError> {
    let headers: Vec<(&str, &str)> = file["headers"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
        .collect();
    let url = file["url"].as_str().unwrap_or_default();
    send(Method::PUT, url, &headers, bytes.to_vec()).await?.ok("PUT")?;
    Ok(())
}
