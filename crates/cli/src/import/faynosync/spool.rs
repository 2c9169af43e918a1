//! Files in transit. An upload URL contains the MD5 of the file, which is known only once the file
//! was read.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base16ct::lower::encode_string as hex;
use sha2::{Digest as _, Sha256};
use spindrift_client::{Client, Config, Download, DownloadLimits, Error};

use super::fetch::{MissingFile, ResolvedLink, find};
use super::link::FileLink;
use super::server::FaynoSyncServer;
use crate::config::create_private_folder;
use crate::error::CliError;
use crate::exit;

/// Maximum pause between two attempts to continue reading.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// Suffixes of the two files of an unfinished download: its bytes, and its state.
const UNFINISHED: [&str; 2] = [".part", ".part.json"];

/// The folder where files wait for their upload.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    client: Client,
    limits: DownloadLimits,
}

impl Spool {
    /// `folder`: one folder for each server, in which a later run finds the files of an earlier
    /// one.
    pub(super) fn open(folder: PathBuf, server: &FaynoSyncServer) -> Result<Self, CliError> {
        create_private_folder(&folder).map_err(CliError::file(&folder))?;
        let client = Client::with_transport(Config::new(server.url()), server.reach().clone());
        let client = client.map_err(|error| server.error(&error.to_string(), exit::USAGE))?;
        let limits = DownloadLimits {
            max_attempts: server.limits().attempts(),
            first_pause: server.limits().pause(1),
            max_pause: MAX_PAUSE,
            // The redirects were already followed.
            max_redirects: 0,
            ..DownloadLimits::default()
        };
        Ok(Self { folder, client, limits })
    }

    /// Downloads a file into the folder. Continues the download of an earlier run.
    pub(super) async fn fetch(
        &self,
        server: &FaynoSyncServer,
        link: &FileLink,
    ) -> Result<(PathBuf, u64), MissingFile> {
        let path = self.path(link);
        let mut read = 0;
        loop {
            let ResolvedLink { url, length } = find(server, link).await?;
            if let Ok(there) = std::fs::metadata(&path)
                && length == Some(there.len())
            {
                return Ok((path, there.len()));
            }
            let download = Download::new(url, &path).with_identity(link.identity()).with_limits(self.limits);
            let before = read;
            match self.client.download(&download, |progress| read = read.max(progress.bytes)).await {
                Ok(done) => return Ok((done.path, done.bytes)),
                // An address of private storage is valid for a few minutes. The download continues
                // at a new one.
                Err(error) if is_refused(&error) && read > before => {}
                Err(error) => return Err(missing_file(link, error)),
            }
        }
    }

    /// The folder itself.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Deletes the stored parts of a file.
    pub(super) fn forget(&self, link: &FileLink) {
        let path = self.path(link);
        for end in [""].iter().chain(&UNFINISHED) {
            let mut path = path.clone().into_os_string();
            path.push(end);
            // Missing files are fine, and a file that cannot be deleted does no harm.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Deletes the folder, unless files are left in it.
    pub(super) fn close(self) {
        let _ = std::fs::remove_dir(self.folder);
    }

    /// The path of a file. It depends only on the link, not on the file's name.
    fn path(&self, link: &FileLink) -> PathBuf {
        self.folder.join(hex(&Sha256::digest(link.identity())))
    }
}

fn is_refused(error: &Error) -> bool {
    matches!(error, Error::RequestFailed(error) if matches!(error.status, Some(401 | 403)))
}

/// Whether a status concerns the file itself: any 4xx except 408 and 429, which are transient.
const fn is_about_the_file(status: u16) -> bool {
    matches!(status, 400..500) && !matches!(status, 408 | 429)
}

fn missing_file(link: &FileLink, error: Error) -> MissingFile {
    let at = link.without_query();
    match error {
        Error::RequestFailed(error) if error.status.is_some_and(is_about_the_file) => {
            MissingFile::File(format!("{at} answers {}", error.status.unwrap_or_default()))
        }
        Error::FileTooLarge { .. } | Error::InvalidUrl(_) | Error::WrongLength { .. } => {
            MissingFile::File(format!("{at}: {error}"))
        }
        Error::File { path, source } => MissingFile::All(CliError::File { path, source }),
        Error::Busy { .. } => MissingFile::All(CliError::Conflict(
            "the same server is being imported by another process: wait for it".to_owned(),
        )),
        Error::RequestFailed(error) => {
            let status = error.status.map(|status| format!(" with {status}")).unwrap_or_default();
            let reason = format!("{at} failed{status}: run this again to resume");
            MissingFile::All(CliError::Storage(reason))
        }
        other => MissingFile::All(CliError::Other(other.to_string())),
    }
}
