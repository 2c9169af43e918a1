//! The mirrors that clients read: the service and the public bucket.

use std::time::Duration;

use futures::{StreamExt as _, stream};
use spindrift_client::{CheckOptions, Client, Config, TrustConfig};
use spindrift_core::encode_segments;
use spindrift_trust::{TargetFile, TargetName};
use url::Url;

use crate::doctor::finding::Finding;
use crate::error::CliError;
use crate::trust::signing_session::SigningSession;

/// Number of parallel requests for files.
const FILES_AT_ONCE: usize = 8;
/// Maximum number of redirects to a file: from the service to the storage.
const MAX_REDIRECTS: usize = 3;
/// Maximum number of files to name in a problem.
const MAX_NAMED: usize = 3;

/// A mirror that clients read.
#[derive(Debug)]
pub(super) struct Mirror {
    /// Name in findings.
    name: &'static str,
    /// Address of the folder with metadata.
    metadata: String,
    /// Address of the folder with files.
    files: String,
    /// Whether this is the service, which gets the token.
    is_ours: bool,
}

impl Mirror {
    /// The service, and the bucket if its address is given, or the service redirects to it.
    pub(super) async fn all(session: &SigningSession, some_file: Option<&TargetName>) -> Vec<Self> {
        let repository =
            encode_segments([session.repository.owner.as_str(), session.repository.app.as_str()]);
        let base = format!("{}/tuf/repository/{repository}", session.calls.service.url());
        let service = Self {
            name: "service",
            metadata: format!("{base}/metadata"),
            files: format!("{base}/targets"),
            is_ours: true,
        };
        let bucket = match (session.bucket_url(), some_file) {
            (Some(url), _) => Some(url.trim_end_matches('/').to_owned()),
            (None, Some(name)) => service.bucket_behind(session, name).await,
            (None, None) => None,
        };
        let bucket = bucket.map(|url| Self {
            name: "bucket",
            metadata: format!("{url}/tuf_metadata/{repository}"),
            files: url,
            is_ours: false,
        });
        std::iter::once(service).chain(bucket).collect()
    }

    /// The bucket's address: the service's link to a public file, without the file's name.
    async fn bucket_behind(&self, session: &SigningSession, name: &TargetName) -> Option<String> {
        let url = format!("{}/{name}", self.files);
        let response = session.calls.service.http().head(&url).timeout(limit(session)).send().await.ok()?;
        let location = response.headers().get("location")?.to_str().ok()?;
        location.strip_suffix(name.as_str())?.strip_suffix('/').map(str::to_owned)
    }
}

fn limit(session: &SigningSession) -> Duration {
    session.calls.service.limits().timeout
}

/// Updates the metadata like an application without any stored metadata.
pub(super) async fn refresh(session: &SigningSession, mirror: &Mirror) -> Finding {
    match try_refresh(session, mirror).await {
        Ok(()) => Finding::good(mirror.name, format!("clients accept the metadata at {}", mirror.metadata)),
        Err(error) => Finding::problem(
            mirror.name,
            format!("clients do not accept the metadata at {}: {error}", mirror.metadata),
        ),
    }
}

async fn try_refresh(session: &SigningSession, mirror: &Mirror) -> Result<(), CliError> {
    let state = tempfile::tempdir().map_err(CliError::file(std::path::Path::new("a temporary folder")))?;
    let root = session.pinned.root.to_bytes().map_err(|error| CliError::Untrusted(error.to_string()))?;
    let mut config = TrustConfig::new(root, session.repository.to_string(), state.path())
        .with_mirrors([mirror.metadata.clone()]);
    if let Some(token) = session.calls.service.token().filter(|_| mirror.is_ours) {
        let token = token.expose().parse().map_err(|_| CliError::usage("the token is malformed"))?;
        config = config.with_token(token);
    }
    let service = session.calls.service.url();
    let from_client = |error| crate::download::from_client(service, error);
    let client = Client::new(Config::new(service)).map_err(from_client)?;
    let owner = session.repository.owner.as_str();
    let options = CheckOptions::new(owner, session.repository.app.as_str(), "0.0.0");
    let trust = client.trust(&config, &options).map_err(from_client)?;
    trust.refresh().await.map_err(|error| CliError::Untrusted(error.to_string()))
}

/// Requests every listed file, without downloading it.
pub(super) async fn check_files(
    session: &SigningSession,
    mirror: &Mirror,
    files: &[(TargetName, TargetFile)],
) -> Finding {
    let wrong: Vec<String> = stream::iter(files)
        .map(|(name, file)| async move {
            match length(session, mirror, name).await {
                Ok(length) if length == file.length() => None,
                Ok(length) => Some(format!("{name} has {length} bytes instead of {}", file.length())),
                Err(reason) => Some(format!("{name}: {reason}")),
            }
        })
        .buffer_unordered(FILES_AT_ONCE)
        .filter_map(async |wrong| wrong)
        .collect()
        .await;
    if wrong.is_empty() {
        return Finding::good(mirror.name, format!("{} listed files are there", files.len()));
    }
    let named = wrong.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join("; ");
    Finding::problem(
        mirror.name,
        format!("{} of {} listed files are wrong: {named}", wrong.len(), files.len()),
    )
}

/// In bytes.
async fn length(session: &SigningSession, mirror: &Mirror, name: &TargetName) -> Result<u64, String> {
    let service = &session.calls.service;
    let mut url = Url::parse(&format!("{}/{name}", mirror.files)).map_err(|error| error.to_string())?;
    for _ in 0..=MAX_REDIRECTS {
        // A signed address is valid for one method, so HEAD cannot be used. The body is not read.
        let mut request = service.http().get(url.clone()).timeout(limit(session));
        let is_ours = mirror.is_ours
            && url.as_str().strip_prefix(service.url()).is_some_and(|rest| rest.starts_with('/'));
        if let Some(token) = service.token().filter(|_| is_ours) {
            request = request.bearer_auth(token.expose());
        }
        let response = request.send().await.map_err(crate::error::network_reason)?;
        let status = response.status();
        if status.is_success() {
            return response.content_length().ok_or_else(|| "of unknown length".to_owned());
        }
        let location = response.headers().get("location").and_then(|value| value.to_str().ok());
        url = match location.filter(|_| status.is_redirection()).and_then(|to| url.join(to).ok()) {
            Some(next) => next,
            None => return Err(format!("answered with {}", status.as_u16())),
        };
    }
    Err("too many redirects".to_owned())
}
