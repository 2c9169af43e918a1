//! The result of publishing.

use std::time::Duration;

use serde::Serialize;
use spindrift_core::Id;

use super::digest::Digests;
use super::files::LocalFile;
use super::plan::Plan;
use super::state_file::Granted;
use crate::output::bytes;
use crate::trust::published::PublishedTrust;

/// Durations in seconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Seconds {
    /// Time until the first byte could be sent.
    hashing: f64,
    /// Total time.
    total: f64,
}

impl Seconds {
    pub(super) fn new(hashing: Duration, total: Duration) -> Self {
        Self { hashing: hashing.as_secs_f64(), total: total.as_secs_f64() }
    }
}

/// The result of `publish`.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    id: Id,
    app: String,
    version: String,
    requested_publish: bool,
    resumed: bool,
    presigned: bool,
    pub(super) files: Vec<PublishedFile>,
    feeds: Vec<String>,
    bytes: u64,
    seconds: Seconds,
    /// `None`: the application has no signed metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) trust: Option<PublishedTrust>,
}

#[derive(Debug, Serialize)]
pub(super) struct PublishedFile {
    pub(super) name: String,
    pub(super) length: u64,
    md5: String,
    pub(super) sha256: Option<String>,
    pub(super) sha512: Option<String>,
}

impl Report {
    pub(super) fn new(
        plan: &Plan,
        id: Id,
        digests: Vec<Digests>,
        upload: Option<&Granted>,
        resumed: bool,
        seconds: Seconds,
    ) -> Self {
        let granted = upload.map_or(&[][..], |upload| &upload.files);
        let file = |(place, (file, digests)): (usize, (&LocalFile, Digests))| {
            let there = granted.get(place);
            PublishedFile {
                name: file.name.clone(),
                length: file.length,
                md5: digests.md5,
                sha256: digests.sha256.or_else(|| there?.sha256.clone()),
                sha512: digests.sha512.or_else(|| there?.sha512.clone()),
            }
        };
        Self {
            id,
            app: plan.data.app_name.clone(),
            version: plan.data.version.clone(),
            requested_publish: plan.data.publish,
            resumed,
            presigned: upload.is_some(),
            files: plan.files.large.iter().zip(digests).enumerate().map(file).collect(),
            feeds: plan.files.feeds.iter().map(|file| file.name.clone()).collect(),
            bytes: plan.files.total(),
            seconds,
            trust: None,
        }
    }

    pub(super) fn as_text(&self) -> String {
        let Self { app, version, .. } = self;
        let state = if self.requested_publish { "published" } else { "uploaded as a draft" };
        let (count, size) = (self.files.len() + self.feeds.len(), bytes(self.bytes));
        let told = format!("{app} {version} {state}: {count} files, {size} in {:.1} s", self.seconds.total);
        match &self.trust {
            Some(trust) => format!("{told}; {}", trust.as_text()),
            None => told,
        }
    }
}
