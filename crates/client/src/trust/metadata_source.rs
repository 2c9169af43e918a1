//! Metadata files for tough: from a mirror, or stored by an earlier refresh.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures::stream;
use http::HeaderMap;
use tough::{TransportError, TransportErrorKind, TransportStream, async_trait};
use url::Url;

use super::TrustSettings;
use super::fetch::{fetch, is_absence};
use super::metadata_file::{is_kept, max_bytes};
use crate::{Client, EndpointError};

/// The source of files for one refresh. Clones share the record of the files handed out.
#[derive(Clone)]
pub(super) struct MetadataSource {
    pub(super) client: Client,
    /// The tokens, if the mirror is the service.
    pub(super) secrets: HeaderMap,
    pub(super) settings: TrustSettings,
    /// The folder with kept files. `None`: everything comes from the mirror.
    pub(super) kept: Option<PathBuf>,
    pub(super) delivered: Arc<Mutex<DeliveredFiles>>,
}

/// The files handed out.
#[derive(Default)]
pub(super) struct DeliveredFiles {
    /// Files that may be kept, by name.
    pub(super) fetched: BTreeMap<String, Bytes>,
    /// Names of files that were kept.
    pub(super) kept: Vec<String>,
    /// Roots, in the order of their versions.
    pub(super) roots: Vec<Bytes>,
    /// The first failure that is not a missing root.
    pub(super) failure: Option<EndpointError>,
}

impl MetadataSource {
    pub(super) fn delivered(&self) -> MutexGuard<'_, DeliveredFiles> {
        self.delivered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn file(&self, url: &Url, name: &str) -> Result<Bytes, EndpointError> {
        let max_bytes = max_bytes(name);
        if !is_kept(name) {
            return fetch(&self.client, url, &self.secrets, max_bytes, &self.settings).await;
        }
        if let Some(folder) = &self.kept
            // An unreadable file is fetched.
            && let Ok(bytes) = tokio::fs::read(folder.join(name)).await
        {
            self.delivered().kept.push(name.to_owned());
            return Ok(bytes.into());
        }
        let bytes = fetch(&self.client, url, &self.secrets, max_bytes, &self.settings).await?;
        self.delivered().fetched.insert(name.to_owned(), bytes.clone());
        Ok(bytes)
    }
}

#[async_trait]
impl tough::Transport for MetadataSource {
    /// tough takes any error here for "there is no newer root". So only absence is one, and another failure
    /// is in the stream.
    async fn fetch(&self, url: Url) -> Result<TransportStream, TransportError> {
        let name = url.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
        let is_root = name.ends_with(".root.json");
        let failed = match self.file(&url, name).await {
            Ok(bytes) => {
                if is_root {
                    self.delivered().roots.push(bytes.clone());
                }
                return Ok(Box::pin(stream::iter([Ok(bytes)])));
            }
            Err(failed) if is_root && is_absence(&failed) => {
                return Err(TransportError::new(TransportErrorKind::FileNotFound, &url));
            }
            Err(failed) => failed,
        };
        let said = TransportError::new_with_cause(TransportErrorKind::Other, &url, failed.to_string());
        self.delivered().failure.get_or_insert(failed);
        Ok(Box::pin(stream::iter([Err(said)])))
    }
}

/// Shows no secret.
impl fmt::Debug for MetadataSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MetadataSource").field("kept", &self.kept).finish_non_exhaustive()
    }
}
