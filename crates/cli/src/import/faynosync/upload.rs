//! Copies the files of a release to this service, through a folder on disk.

use std::path::PathBuf;

use super::creation::{CreationFailure, CreationResult};
use super::item::ItemOutcome;
use super::server::FaynoSyncServer;
use super::spool::Spool;
use super::work::{PlannedUpload, RemoteFile};
use crate::context::Context;
use crate::error::CliError;
use crate::output::bytes;
use crate::publish::files::{LocalFile, ReleaseFiles};
use crate::publish::limits::UploadLimits;
use crate::publish::publish_files;
use crate::service::Service;

pub(super) struct Uploader<'a> {
    pub(super) context: &'a Context,
    pub(super) server: &'a FaynoSyncServer,
    pub(super) service: &'a Service,
    pub(super) spool: Spool,
    pub(super) limits: UploadLimits,
}

impl Uploader<'_> {
    /// Downloads the files and publishes them. They stay on disk only if a later run may get
    /// further with them.
    pub(super) async fn upload(&self, upload: &PlannedUpload) -> CreationResult {
        let created = self.publish(upload).await;
        if !matches!(created, Err(CreationFailure::All(_))) {
            upload.files.iter().for_each(|file| self.spool.forget(&file.link));
        }
        created
    }

    async fn publish(&self, upload: &PlannedUpload) -> CreationResult {
        let folder =
            tempfile::tempdir_in(self.spool.folder()).map_err(CliError::file(self.spool.folder()))?;
        let mut files = ReleaseFiles::default();
        for (place, feed) in upload.feeds.iter().enumerate() {
            let path = folder.path().join(place.to_string());
            std::fs::write(&path, &feed.bytes).map_err(CliError::file(&path))?;
            files.feeds.push(local(&feed.file, path, feed.bytes.len() as u64));
        }
        for file in &upload.files {
            let (path, length) = self.spool.fetch(self.server, &file.link).await?;
            self.context.output.message(&format!("read {} ({})", file.name, bytes(length)));
            files.large.push(local(file, path, length));
        }
        files.large.sort_by(|a, b| a.name.cmp(&b.name));
        publish_files(self.context, self.service, upload.data.clone(), files, self.limits.clone()).await?;
        Ok((ItemOutcome::Created, None))
    }
}

fn local(file: &RemoteFile, path: PathBuf, length: u64) -> LocalFile {
    LocalFile { path, name: file.name.as_str().to_owned(), length }
}
