//! Bringing the files of a release here, through a folder on disk.

use std::path::PathBuf;

use spindrift_core::{MAX_FEED_BYTES, Updater};

use super::fetch::{Missing, small};
use super::item::Outcome;
use super::server::Server;
use super::setback::{Created, Setback};
use super::spool::Spool;
use super::work::{RemoteFile, Upload};
use crate::context::Context;
use crate::error::CliError;
use crate::output::bytes;
use crate::publish::files::{Files, LocalFile};
use crate::publish::limits::Limits;
use crate::publish::publish_files;
use crate::service::Service;

/// End of the names of Velopack's deltas.
const DELTA: &str = "-delta.nupkg";

/// What uploads files.
pub(super) struct Uploader<'a> {
    pub(super) context: &'a Context,
    pub(super) server: &'a Server,
    pub(super) service: &'a Service,
    pub(super) spool: Spool,
    pub(super) limits: Limits,
}

impl Uploader<'_> {
    /// Reads the files and publishes them. They stay on disk only for a later run that may get further with them.
    pub(super) async fn upload(&self, upload: &Upload) -> Created {
        let created = self.publish(upload).await;
        if !matches!(created, Err(Setback::All(_))) {
            upload.files.iter().for_each(|file| self.spool.forget(&file.link));
        }
        created
    }

    async fn publish(&self, upload: &Upload) -> Created {
        let feeds = self.feeds(upload).await?;
        let (wanted, left_out) = listed(upload, &feeds);
        let why = format!("without {}, which the old server's feed does not list", left_out.join(", "));
        if wanted.is_empty() {
            return Ok((Outcome::Note, Some(why)));
        }
        let folder =
            tempfile::tempdir_in(self.spool.folder()).map_err(CliError::file(self.spool.folder()))?;
        let mut files = Files::default();
        for (place, (feed, bytes)) in upload.feeds.iter().zip(&feeds).enumerate() {
            let path = folder.path().join(place.to_string());
            std::fs::write(&path, bytes).map_err(CliError::file(&path))?;
            files.feeds.push(local(feed, path, bytes.len() as u64));
        }
        for file in wanted {
            let (path, length) = self.spool.fetch(self.server, &file.link).await?;
            self.context.output.message(&format!("read {} ({})", file.name, bytes(length)));
            files.large.push(local(file, path, length));
        }
        files.large.sort_by(|a, b| a.name.cmp(&b.name));
        publish_files(self.context, self.service, upload.data.clone(), files, self.limits.clone()).await?;
        Ok((Outcome::Created, (!left_out.is_empty()).then_some(why)))
    }

    async fn feeds(&self, upload: &Upload) -> Result<Vec<Vec<u8>>, Missing> {
        let mut all = Vec::new();
        for feed in &upload.feeds {
            all.push(small(self.server, &feed.link, MAX_FEED_BYTES).await?);
        }
        Ok(all)
    }
}

fn local(file: &RemoteFile, path: PathBuf, length: u64) -> LocalFile {
    LocalFile { path, name: file.name.as_str().to_owned(), length }
}

/// The files to upload, and the names of deltas that nobody can install: the old server leaves a delta out of its feed
/// when the release that it begins with is gone.
fn listed<'a>(upload: &'a Upload, feeds: &[Vec<u8>]) -> (Vec<&'a RemoteFile>, Vec<String>) {
    let is_velopack = upload.data.updater.as_deref() == Some(Updater::Velopack.as_str());
    let is_listed = |name: &str| {
        let name = name.as_bytes();
        feeds.iter().any(|feed| feed.windows(name.len()).any(|window| window == name))
    };
    let (out, wanted): (Vec<&RemoteFile>, Vec<&RemoteFile>) = upload.files.iter().partition(|file| {
        let name = file.name.as_str();
        is_velopack && name.ends_with(DELTA) && !is_listed(name)
    });
    (wanted, out.into_iter().map(|file| file.name.to_string()).collect())
}
