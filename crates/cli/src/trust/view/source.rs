//! Where to read metadata: from the service, or from the bucket that it writes to.

use reqwest::StatusCode;
use spindrift_core::encode_segments;
use spindrift_trust::{MetadataFile, RepositoryName};

use crate::error::CliError;
use crate::service::Service;

/// A source of a repository's files.
pub(crate) trait MetadataSource {
    /// The bytes of a file of at most `limit` bytes. `None`: the file does not exist.
    async fn read(&self, file: &MetadataFile, limit: usize) -> Result<Option<Vec<u8>>, CliError>;
}

#[derive(Debug)]
pub(crate) struct ServiceSource<'a> {
    service: &'a Service,
    base: String,
}

impl<'a> ServiceSource<'a> {
    /// A repository at the service.
    pub(crate) fn new(service: &'a Service, repository: &RepositoryName) -> Self {
        let base = format!("{}/tuf/repository/{}/metadata", service.url(), segments(repository));
        Self { service, base }
    }
}

impl MetadataSource for ServiceSource<'_> {
    async fn read(&self, file: &MetadataFile, limit: usize) -> Result<Option<Vec<u8>>, CliError> {
        read(self.service, &format!("{}/{file}", self.base), true, limit).await
    }
}

/// The bucket, or a mirror of it.
#[derive(Debug)]
pub(crate) struct BucketSource<'a> {
    service: &'a Service,
    base: String,
}

impl<'a> BucketSource<'a> {
    /// A repository in the bucket with this address.
    pub(crate) fn new(service: &'a Service, url: &str, repository: &RepositoryName) -> Self {
        let base = format!("{}/tuf_metadata/{}", url.trim_end_matches('/'), segments(repository));
        Self { service, base }
    }
}

impl MetadataSource for BucketSource<'_> {
    async fn read(&self, file: &MetadataFile, limit: usize) -> Result<Option<Vec<u8>>, CliError> {
        read(self.service, &format!("{}/{file}", self.base), false, limit).await
    }
}

fn segments(repository: &RepositoryName) -> String {
    encode_segments([repository.owner.as_str(), repository.app.as_str()])
}

/// `is_ours`: whether the host gets the token.
async fn read(
    service: &Service,
    url: &str,
    is_ours: bool,
    limit: usize,
) -> Result<Option<Vec<u8>>, CliError> {
    let unreachable = |error| CliError::network(url, error);
    let mut request = service.http().get(url).timeout(service.limits().timeout);
    if let Some(token) = service.token().filter(|_| is_ours) {
        request = request.bearer_auth(token.expose());
    }
    let mut response = request.send().await.map_err(unreachable)?;
    match response.status() {
        StatusCode::OK => {}
        // Storages answer 403 for missing files.
        StatusCode::FORBIDDEN if !is_ours => return Ok(None),
        StatusCode::NOT_FOUND | StatusCode::GONE => return Ok(None),
        _ => return Err(crate::service::refusal(service, response).await),
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > limit {
            return Err(CliError::Untrusted(format!("{url} is larger than such a file may be")));
        }
    }
    Ok(Some(bytes))
}
