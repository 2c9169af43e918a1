//! Reads the bytes of files. No token is sent: a call that needs one answers with an address that
//! works without it.

use std::fmt;

use reqwest::header::{CONTENT_RANGE, LOCATION, RANGE};
use reqwest::{Response, StatusCode};
use url::Url;

use super::link::FileLink;
use super::retry::FailedRequest;
use super::server::FaynoSyncServer;
use crate::error::{CliError, network_reason};
use crate::exit;

/// Maximum number of redirects between a link and the bytes.
const MAX_REDIRECTS: u32 = 5;
/// Requests one byte: a cheap answer that still reports the total length.
const FIRST_BYTE: &str = "bytes=0-0";

/// Why a file is not available.
#[derive(Debug)]
pub(super) enum MissingFile {
    /// This file does not exist or cannot be published. Others may be fine.
    File(String),
    /// No file can be read at the moment.
    All(CliError),
}

impl From<CliError> for MissingFile {
    /// A refused call concerns only the requested file.
    fn from(error: CliError) -> Self {
        match error {
            CliError::OtherServer {
                reason, exit: exit::USAGE | exit::NOT_FOUND | exit::NOT_ALLOWED, ..
            } => Self::File(reason),
            other => Self::All(other),
        }
    }
}

impl fmt::Display for MissingFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(why) => f.write_str(why),
            Self::All(error) => error.fmt(f),
        }
    }
}

/// Where a link leads after all redirects.
#[derive(Debug)]
pub(super) struct ResolvedLink {
    pub(super) url: Url,
    /// In bytes. `None`: unknown.
    pub(super) length: Option<u64>,
}

/// Locates a file without reading it.
pub(super) async fn find(server: &FaynoSyncServer, link: &FileLink) -> Result<ResolvedLink, MissingFile> {
    server
        .retry(async || {
            let (url, answer) = open(server, link, Some(FIRST_BYTE)).await?;
            Ok(ResolvedLink { url, length: whole_length(&answer) })
        })
        .await
}

/// Reads a small file into memory.
pub(super) async fn small(
    server: &FaynoSyncServer,
    link: &FileLink,
    limit: u64,
) -> Result<Vec<u8>, MissingFile> {
    server
        .retry(async || {
            let (_, mut answer) = open(server, link, None).await?;
            let at = link.without_query();
            let mut bytes = Vec::new();
            while let Some(chunk) = answer.chunk().await.map_err(|error| unreachable(&at, error))? {
                if (bytes.len() + chunk.len()) as u64 > limit {
                    let why = format!("{at} is over the limit of {limit} bytes");
                    return Err(FailedRequest::permanent(MissingFile::File(why)));
                }
                bytes.extend_from_slice(&chunk);
            }
            Ok(bytes)
        })
        .await
}

/// The final address of a file, with an answer whose body is not read yet.
async fn open(
    server: &FaynoSyncServer,
    link: &FileLink,
    range: Option<&str>,
) -> Result<(Url, Response), FailedRequest<MissingFile>> {
    let at = link.without_query();
    let bad = |reason: &str| FailedRequest::permanent(MissingFile::File(format!("{at}: {reason}")));
    let address =
        server.address(link).await.map_err(|error| FailedRequest::permanent(MissingFile::from(error)))?;
    let mut url = Url::parse(&address).map_err(|_| bad("no address"))?;
    for _ in 0..=MAX_REDIRECTS {
        server.reach().check(&url).await.map_err(|refused| bad(&refused.to_string()))?;
        let request = server.reach().http().get(url.clone()).timeout(server.timeout());
        let request = range.into_iter().fold(request, |request, range| request.header(RANGE, range));
        let answer = request.send().await.map_err(|error| unreachable(&at, error))?;
        let status = answer.status();
        if !status.is_redirection() {
            let is_empty = range.is_some() && status == StatusCode::RANGE_NOT_SATISFIABLE;
            return match status_failure(&at, status).filter(|_| !is_empty) {
                Some(failed) => Err(failed),
                None => Ok((url, answer)),
            };
        }
        let to = answer.headers().get(LOCATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let next = url.join(to).map_err(|_| bad("a redirect to nowhere"))?;
        let is_safe = next.scheme() == "https" || (next.scheme() == "http" && url.scheme() == "http");
        if !is_safe {
            return Err(bad("a redirect that leaves https"));
        }
        url = next;
    }
    Err(bad("too many redirects"))
}

fn unreachable(at: &str, error: reqwest::Error) -> FailedRequest<MissingFile> {
    let reason = format!("{at} cannot be reached ({}): run this again to resume", network_reason(error));
    FailedRequest::transient(MissingFile::All(CliError::Storage(reason)))
}

/// Why an answer contains no file. `None`: it contains one.
fn status_failure(at: &str, status: StatusCode) -> Option<FailedRequest<MissingFile>> {
    let status = status.as_u16();
    match status {
        200..300 => None,
        408 | 429 | 500.. => {
            let reason = format!("{at} answers {status}: run this again to resume");
            Some(FailedRequest::transient(MissingFile::All(CliError::Storage(reason))))
        }
        _ => Some(FailedRequest::permanent(MissingFile::File(format!("{at} answers {status}")))),
    }
}

/// The length of the whole file. For a partial answer, it is read from the range.
fn whole_length(answer: &Response) -> Option<u64> {
    if !matches!(answer.status(), StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE) {
        return answer.content_length();
    }
    let range = answer.headers().get(CONTENT_RANGE)?.to_str().ok()?;
    range.rsplit_once('/')?.1.parse().ok()
}
