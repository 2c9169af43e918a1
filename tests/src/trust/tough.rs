//! tough over the harness's HTTP.

use std::error::Error;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tough::{
    Bytes, IntoVec as _, RepositoryLoader, TargetName, Transport, TransportError, TransportErrorKind,
    TransportStream, async_trait,
};
use ureq::BodyReader;
use url::Url;

use super::place::Place;
use super::request::Request;
use crate::fetch::open;
use crate::runtime::runtime;

/// Bytes that are taken from a connection at once.
const CHUNK: usize = 65536;

/// Hexadecimal digits of a SHA-256.
const SHA256_DIGITS: usize = 64;

/// Begins with this root, and answers `custom` of the target that it has written; `None` if it is not listed.
pub(super) fn update(request: &Request<'_>, root: &Path) -> Result<Option<Value>, String> {
    let root = std::fs::read(root).expect("a root");
    let address = |text: &str| text.parse::<Url>().expect("an address");
    let loader =
        RepositoryLoader::new(&root, address(&request.place.metadata), address(&request.place.targets))
            .transport(Http { place: request.place.clone(), limit: request.limit })
            .datastore(&request.state);
    runtime().block_on(async {
        let repository = loader.load().await.map_err(said)?;
        let name = TargetName::new(&request.target.name).map_err(said)?;
        let Ok(target) = repository.targets().signed.find_target(&name, false) else {
            return Ok(None);
        };
        let Some(stream) = repository.read_target(&name).await.map_err(said)? else { return Ok(None) };
        let bytes = stream.into_vec().await.map_err(said)?;
        std::fs::write(&request.file, bytes).expect("a file");
        Ok(Some(serde_json::to_value(&target.custom).expect("JSON")))
    })
}

/// The error with its causes.
fn said(error: impl Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// The parts that an application has to provide: tough has no HTTP here, and cannot leave the digest out of
/// targets' names.
#[derive(Debug, Clone)]
struct Http {
    place: Place,
    /// For one answer.
    limit: Duration,
}

impl Http {
    /// The address to ask for. tough puts the SHA-256 before the whole name.
    fn address(&self, url: &Url) -> String {
        let asked = url.as_str();
        let name = asked.strip_prefix(&self.place.targets).filter(|_| !self.place.prefixed);
        let is_digest = |text: &str| text.len() == SHA256_DIGITS && !text.contains('/');
        match name.and_then(|name| name.split_once('.')) {
            Some((digest, bare)) if is_digest(digest) => format!("{}{bare}", self.place.targets),
            _ => asked.to_owned(),
        }
    }
}

#[async_trait]
impl Transport for Http {
    async fn fetch(&self, url: Url) -> Result<TransportStream, TransportError> {
        let other = |text: String| TransportError::new_with_cause(TransportErrorKind::Other, &url, text);
        let opened = open(&self.address(&url), &[], self.limit).map_err(other)?;
        match opened.status {
            200 => Ok(Box::pin(futures::stream::iter(chunks(opened.body, url)))),
            403 | 404 | 410 => Err(TransportError::new(TransportErrorKind::FileNotFound, &url)),
            status => Err(other(format!("status {status}"))),
        }
    }
}

/// The body until its end or its first error.
fn chunks(mut body: BodyReader<'static>, url: Url) -> impl Iterator<Item = Result<Bytes, TransportError>> {
    let mut ended = false;
    std::iter::from_fn(move || {
        let mut chunk = vec![0; CHUNK];
        let read = if ended { Ok(0) } else { body.read(&mut chunk) };
        ended = !matches!(read, Ok(1..));
        match read {
            Ok(0) => None,
            Ok(length) => {
                chunk.truncate(length);
                Some(Ok(chunk.into()))
            }
            Err(error) => Some(Err(TransportError::new_with_cause(TransportErrorKind::Other, &url, error))),
        }
    })
}
