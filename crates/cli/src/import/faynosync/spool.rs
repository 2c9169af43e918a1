//! Files in transit: MD5 is part of the addresses that they are sent to, and is known only when a file was
//! read.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base16ct::lower::encode_string as hex;
use sha2::{Digest as _, Sha256};
use spindrift_client::{Client, Config, Download, DownloadLimits, Error};

use super::fetch::{Found, Missing, find};
use super::link::Link;
use super::server::Server;
use crate::config::create_private_folder;
use crate::error::CliError;
use crate::exit;

/// Longest pause between two attempts to read on.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The suffixes of the files in which the library keeps an unfinished download: its bytes, and its state.
const UNFINISHED: [&str; 2] = [".part", ".part.json"];

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
        let client = Client::with_transport(Config::new(server.url()), server.reach().clone());
        let client = client.map_err(|error| server.error(&error.to_string(), exit::USAGE))?;
        let limits = DownloadLimits {
            max_attempts: server.limits().attempts(),
            first_pause: server.limits().pause(1),
            max_pause: MAX_PAUSE,
            // They were followed before.
            max_redirects: 0,
            ..DownloadLimits::default()
        };
        Ok(Self { folder, client, limits })
    }

    /// Reads a file into the folder, in pieces. Bytes that an earlier run has read are not read again.
    pub(super) async fn fetch(&self, server: &Server, link: &Link) -> Result<(PathBuf, u64), Missing> {
        let path = self.path(link);
        let mut read = 0;
        loop {
            let Found { url, length } = find(server, link).await?;
            if let Ok(there) = std::fs::metadata(&path)
                && length == Some(there.len())
            {
                return Ok((path, there.len()));
            }
            let download = Download::new(url, &path).with_identity(link.identity()).with_limits(self.limits);
            let before = read;
            match self.client.download(&download, |progress| read = read.max(progress.bytes)).await {
                Ok(done) => return Ok((done.path, done.bytes)),
                // An address of private storage is valid for some minutes. The next one continues the file.
                Err(error) if is_refused(&error) && read > before => {}
                Err(error) => return Err(missing(link, error)),
            }
        }
    }

    /// The folder itself.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes the stored parts of a file that is not needed any more.
    pub(super) fn forget(&self, link: &Link) {
        let path = self.path(link);
        for end in [""].iter().chain(&UNFINISHED) {
            let mut path = path.clone().into_os_string();
            path.push(end);
            // A missing file is fine, and a file that cannot be removed does no harm.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Removes the folder. It stays if there is anything left.
    pub(super) fn close(self) {
        let _ = std::fs::remove_dir(self.folder);
    }

    /// The name on disk does not depend on the name elsewhere.
    fn path(&self, link: &Link) -> PathBuf {
        self.folder.join(hex(&Sha256::digest(link.identity())))
    }
}

fn is_refused(error: &Error) -> bool {
    matches!(error, Error::RequestFailed(error) if matches!(error.status, Some(401 | 403)))
}

/// Of the client's errors, these two are about the moment.
const fn is_about_the_file(status: u16) -> bool {
    matches!(status, 400..500) && !matches!(status, 408 | 429)
}

fn missing(link: &Link, error: Error) -> Missing {
    let at = link.shown();
    match error {
        Error::RequestFailed(error) if error.status.is_some_and(is_about_the_file) => {
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
            let reason = format!("{at} failed{status}: run this again to resume");
            Missing::All(CliError::Storage(reason))
        }
        other => Missing::All(CliError::Other(other.to_string())),
    }
}
