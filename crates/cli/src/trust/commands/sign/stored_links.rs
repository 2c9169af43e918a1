//! Links to stored files, and their bytes.

use sha2::{Digest as _, Sha256, Sha512};
use spindrift_api::{ArtifactEntry, SearchBody};
use spindrift_core::decode_segment;
use spindrift_trust::TargetName;
use url::Url;

use crate::error::CliError;
use crate::service::Service;
use crate::trust::calls::Calls;
use crate::trust::reported_files::SeenFile;

/// Page size: the maximum that the service allows.
const PAGE: &str = "100";
/// Maximum number of redirects of a download: from the service to the storage.
const MAX_REDIRECTS: usize = 3;

/// The links of an application's files.
#[derive(Debug)]
pub(super) struct StoredLinks(Vec<String>);

impl StoredLinks {
    pub(super) async fn read(calls: &Calls) -> Result<Self, CliError> {
        let mut links = Vec::new();
        let mut seen = 0;
        for page in 1_u32.. {
            let query = [("app_name", calls.app.as_str()), ("limit", PAGE), ("page", &page.to_string())];
            let found: SearchBody = calls.service.get("/search").query(&query).json().await?;
            seen += found.items.len() as u64;
            let is_last = found.items.is_empty() || seen >= found.total;
            links.extend(
                found
                    .items
                    .into_iter()
                    .flat_map(|item| item.artifacts)
                    .map(|ArtifactEntry { link, .. }| link),
            );
            if is_last {
                break;
            }
        }
        Ok(Self(links))
    }

    /// The link to the file with this name, which is the URL's path or the key in its query.
    pub(super) fn of(&self, name: &TargetName) -> Option<&str> {
        let key = decode_segment(name.as_str());
        let leads_to = |link: &str| {
            let Ok(url) = Url::parse(link) else { return false };
            let in_query = url
                .query_pairs()
                .any(|(part, value)| part == "key" && Some(value.as_ref()) == key.as_deref());
            let path = decode_segment(url.path());
            in_query || path.zip(key.as_deref()).is_some_and(|(path, key)| path.ends_with(&format!("/{key}")))
        };
        self.0.iter().map(String::as_str).find(|link| leads_to(link))
    }
}

/// Downloads and hashes a file of at most `length` bytes.
pub(super) async fn download(service: &Service, link: &str, length: u64) -> Result<SeenFile, CliError> {
    let mut url =
        Url::parse(link).map_err(|_| CliError::Untrusted("the service gives an invalid link".to_owned()))?;
    for _ in 0..=MAX_REDIRECTS {
        let mut request = service.http().get(url.clone());
        let is_ours = url.as_str().strip_prefix(service.url()).is_some_and(|rest| rest.starts_with('/'));
        if let Some(token) = service.token().filter(|_| is_ours) {
            request = request.bearer_auth(token.expose());
        }
        let response = request.send().await.map_err(|error| CliError::network(link, error))?;
        let status = response.status();
        if status.is_success() {
            return hash(response, link, length).await;
        }
        let location = response.headers().get("location").and_then(|value| value.to_str().ok());
        url = match location.filter(|_| status.is_redirection()).and_then(|to| url.join(to).ok()) {
            Some(next) => next,
            None => {
                return Err(CliError::Storage(format!(
                    "a stored file cannot be read ({status}): see `spindrift doctor`"
                )));
            }
        };
    }
    Err(CliError::Storage("a download has too many redirects".to_owned()))
}

async fn hash(mut response: reqwest::Response, link: &str, limit: u64) -> Result<SeenFile, CliError> {
    let (mut sha256, mut sha512, mut length) = (Sha256::new(), Sha512::new(), 0_u64);
    while let Some(chunk) = response.chunk().await.map_err(|error| CliError::network(link, error))? {
        length += chunk.len() as u64;
        if length > limit {
            return Err(CliError::Untrusted("a stored file is longer than what was uploaded".to_owned()));
        }
        sha256.update(&chunk);
        sha512.update(&chunk);
    }
    let hex = base16ct::lower::encode_string;
    let digests = hex(&sha256.finalize()).parse().ok().zip(hex(&sha512.finalize()).parse().ok());
    let (sha256, sha512) =
        digests.ok_or_else(|| CliError::Other("a digest has a wrong length".to_owned()))?;
    Ok(SeenFile { length, sha256, sha512 })
}
