//! Reading the bytes of files. No token goes along: what needs one says where the bytes are without it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base16ct::lower::encode_string as hex;
use reqwest::header::LOCATION;
use reqwest::{Response, StatusCode};
use sha2::{Digest as _, Sha256};
use spindrift_client::{Client, Config, Download, DownloadLimits, Error};
use url::Url;

use super::link::Link;
use super::server::Server;
use crate::config::create_private_folder;
use crate::error::{CliError, network_reason};
use crate::exit;
use crate::refusal::one_line;

/// Most redirects from a link to the bytes.
const MAX_REDIRECTS: u32 = 5;
/// Longest pause between two attempts to read on.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// Why a file cannot be had.
#[derive(Debug)]
pub(super) enum Missing {
    /// This file is not there, or is none that could be published. Others may be.
    File(String),
    /// Nothing can be read at the moment.
    All(CliError),
}

impl From<CliError> for Missing {
    /// A refused call is about the file that was asked for.
    fn from(error: CliError) -> Self {
        match error {
            CliError::OtherServer {
                reason, exit: exit::USAGE | exit::NOT_FOUND | exit::NOT_ALLOWED, ..
            } => Self::File(reason),
            other => Self::All(other),
        }
    }
}

/// The folder where files wait until they are uploaded.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    client: Client,
    limits: DownloadLimits,
}

impl Spool {
    /// `folder`: of this server; a later run finds there what an earlier one has left.
    pub(super) fn open(folder: PathBuf, server: &Server) -> Result<Self, CliError> {
        create_private_folder(&folder).map_err(CliError::file(&folder))?;
        let client = Client::new(Config::new(server.url()));
        let client = client.map_err(|error| server.error(&error.to_string(), exit::USAGE))?;
        let limits = DownloadLimits {
            max_attempts: server.limits().retries.saturating_add(1),
            first_pause: server.limits().pause(1),
            max_pause: MAX_PAUSE,
            max_redirects: MAX_REDIRECTS,
            ..DownloadLimits::default()
        };
        Ok(Self { folder, client, limits })
    }

    /// Reads a file into the folder, in pieces. What an earlier run has read is not read again. The name on disk says
    /// nothing of the name elsewhere.
    pub(super) async fn fetch(&self, server: &Server, link: &Link) -> Result<(PathBuf, u64), Missing> {
        let name = match link {
            Link::Public(url) => hex(&Sha256::digest(url.as_str())),
            Link::Private(key) => hex(&Sha256::digest(format!("key={key}"))),
        };
        let path = self.folder.join(name);
        if let Ok(there) = std::fs::metadata(&path)
            && length(server, link).await? == Some(there.len())
        {
            return Ok((path, there.len()));
        }
        let address = server.address(link).await?;
        let download = Download::new(address, &path).with_limits(self.limits);
        match self.client.download(&download, |_| {}).await {
            Ok(done) => Ok((done.path, done.bytes)),
            Err(error) => Err(missing(link, error)),
        }
    }

    /// The folder itself.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes a file that is uploaded.
    pub(super) fn forget(path: &Path) {
        // It is found again if it stays.
        let _ = std::fs::remove_file(path);
    }

    /// Removes the folder. It stays if there is anything left.
    pub(super) fn close(self) {
        let _ = std::fs::remove_dir(self.folder);
    }
}

/// The address of a link without its query, for messages.
fn shown(link: &Link) -> String {
    match link {
        Link::Public(url) => url.as_str().split(['?', '#']).next().unwrap_or_default().to_owned(),
        Link::Private(key) => one_line(key),
    }
}

fn missing(link: &Link, error: Error) -> Missing {
    let at = shown(link);
    match error {
        Error::RequestFailed(error) if error.status.is_some_and(|status| (400..500).contains(&status)) => {
            Missing::File(format!("{at} answers {}", error.status.unwrap_or_default()))
        }
        Error::FileTooLarge { .. } | Error::InvalidUrl(_) | Error::WrongLength { .. } => {
            Missing::File(format!("{at}: {error}"))
        }
        Error::File { path, source } => Missing::All(CliError::File { path, source }),
        Error::Busy { .. } => Missing::All(CliError::Conflict(
            "the same server is being imported by another process: wait for it".to_owned(),
        )),
        Error::RequestFailed(error) => {
            let status = error.status.map(|status| format!(" with {status}")).unwrap_or_default();
            let reason = format!("{at} failed{status}: run this again, it goes on where it stopped");
            Missing::All(CliError::Storage(reason))
        }
        other => Missing::All(CliError::Other(other.to_string())),
    }
}

/// The answer with the bytes of a link, before they are read.
async fn open(server: &Server, link: &Link) -> Result<Response, Missing> {
    let at = shown(link);
    let bad = |reason: &str| Missing::File(format!("{at}: {reason}"));
    let mut url = Url::parse(&server.address(link).await?).map_err(|_| bad("no address"))?;
    for _ in 0..=MAX_REDIRECTS {
        let request = server.http().get(url.clone()).timeout(server.timeout());
        let answer = request.send().await.map_err(|error| unreachable(&at, error))?;
        let status = answer.status();
        if !status.is_redirection() {
            return accepted(&at, status).map(|()| answer);
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

fn unreachable(at: &str, error: reqwest::Error) -> Missing {
    let reason = format!(
        "{at} cannot be reached ({}): run this again, it goes on where it stopped",
        network_reason(error)
    );
    Missing::All(CliError::Storage(reason))
}

fn accepted(at: &str, status: StatusCode) -> Result<(), Missing> {
    match status.as_u16() {
        200..300 => Ok(()),
        429 | 500.. => {
            let reason = format!("{at} answers {status}: run this again, it goes on where it stopped");
            Err(Missing::All(CliError::Storage(reason)))
        }
        _ => Err(Missing::File(format!("{at} answers {status}"))),
    }
}

/// The length of a file in bytes, without reading it. `None`: it is not said.
pub(super) async fn length(server: &Server, link: &Link) -> Result<Option<u64>, Missing> {
    Ok(open(server, link).await?.content_length())
}

/// A small file as a whole.
pub(super) async fn small(server: &Server, link: &Link, limit: u64) -> Result<Vec<u8>, Missing> {
    let mut answer = open(server, link).await?;
    let at = shown(link);
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| unreachable(&at, error))? {
        if (bytes.len() + chunk.len()) as u64 > limit {
            return Err(Missing::File(format!("{at} is over the limit of {limit} bytes")));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
