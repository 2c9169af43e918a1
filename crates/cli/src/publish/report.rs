//! The result of publishing.

use std::time::Duration;

use serde::Serialize;
use spindrift_api::{OfferBody, ReceiptBody, ReleaseBody, ReleaseData};
use spindrift_core::Id;

use super::digest::FileDigests;
use super::files::LocalFile;
use super::plan::UploadPlan;
use super::state_file::UploadGrant;
use crate::commands::rollout::time;
use crate::output::bytes;
use crate::receipt;
use crate::trust::published::PublishedTrust;

/// Durations in seconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Seconds {
    /// Time until the first byte could be sent.
    hashing: f64,
    total: f64,
}

impl Seconds {
    pub(super) fn new(hashing: Duration, total: Duration) -> Self {
        Self { hashing: hashing.as_secs_f64(), total: total.as_secs_f64() }
    }
}

/// The result of `publish`.
#[derive(Debug, Serialize)]
pub(super) struct PublishReport {
    pub(super) id: Id,
    app: String,
    version: String,
    requested_publish: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_publish_at: Option<String>,
    /// `draft`, `scheduled`, `published` or `withdrawn`. Only fetched if a time was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    resumed: bool,
    presigned: bool,
    pub(super) files: Vec<PublishedFile>,
    feeds: Vec<String>,
    bytes: u64,
    seconds: Seconds,
    /// `None`: the application has no signed metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) trust: Option<PublishedTrust>,
    /// The clients that get the release. `None`: the service does not report them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) receipt: Option<ReceiptBody>,
}

#[derive(Debug, Serialize)]
pub(super) struct PublishedFile {
    pub(super) name: String,
    pub(super) length: u64,
    md5: String,
    pub(super) sha256: Option<String>,
    pub(super) sha512: Option<String>,
}

impl PublishReport {
    pub(super) fn new(
        plan: &UploadPlan,
        id: Id,
        digests: Vec<FileDigests>,
        upload: Option<&UploadGrant>,
        resumed: bool,
        seconds: Seconds,
    ) -> Self {
        let granted = upload.map_or(&[][..], |upload| &upload.files);
        let file = |(place, (file, digests)): (usize, (&LocalFile, FileDigests))| {
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
            requested_publish_at: plan.data.publish_at.clone(),
            state: None,
            resumed,
            presigned: upload.is_some(),
            files: plan.files.large.iter().zip(digests).enumerate().map(file).collect(),
            feeds: plan.files.feeds.iter().map(|file| file.name.clone()).collect(),
            bytes: plan.files.total(),
            seconds,
            trust: None,
            receipt: None,
        }
    }

    pub(super) fn id(&self) -> &Id {
        &self.id
    }

    /// Merges the reports of two uploads of one release.
    pub(super) fn merge(mut self, more: Self) -> Self {
        self.resumed |= more.resumed;
        self.presigned &= more.presigned;
        self.files.extend(more.files);
        self.feeds.extend(more.feeds);
        self.feeds.sort();
        self.feeds.dedup();
        self.bytes += more.bytes;
        self.seconds.hashing += more.seconds.hashing;
        self.seconds.total += more.seconds.total;
        let is_waiting = self.trust.as_ref().is_some_and(PublishedTrust::is_waiting);
        Self { trust: if is_waiting { self.trust } else { more.trust }, ..self }
    }

    /// The report of uploads into a draft that was then published according to `data`.
    pub(super) fn with_publication(self, data: &ReleaseData) -> Self {
        let requested_publish_at = data.publish_at.clone();
        Self { requested_publish: data.publish, requested_publish_at, ..self }
    }

    /// The release's id, if the report has to show what happened to the requested time.
    pub(super) fn scheduled_release(&self) -> Option<&Id> {
        self.requested_publish_at.as_ref().map(|_| &self.id)
    }

    /// Adds what happened to the requested time: an upload changes neither the time nor the state
    /// of an existing release. `None`: the service does not report it.
    pub(super) fn add_release_state(&mut self, release: Option<ReleaseBody>) {
        let Some(offer) = release.and_then(|release| release.offers.into_iter().find(|offer| offer.own))
        else {
            return;
        };
        let OfferBody { state, publish_at, .. } = offer;
        self.requested_publish_at = publish_at.or_else(|| self.requested_publish_at.take());
        self.state = Some(state);
    }

    fn outcome(&self) -> String {
        match (&self.requested_publish_at, self.state.as_deref()) {
            (None, _) if self.requested_publish => "published".to_owned(),
            (None, _) => "uploaded as a draft".to_owned(),
            (Some(at), Some("scheduled")) => format!("uploaded, and offered from {} on", time(at)),
            (Some(_), Some("published")) => "published".to_owned(),
            (Some(_), Some(state)) => format!("uploaded, but it existed and stays {state}"),
            (Some(_), None) => "uploaded; `spindrift release show` shows whether it is scheduled".to_owned(),
        }
    }

    pub(super) fn as_text(&self) -> String {
        let Self { app, version, .. } = self;
        let state = self.outcome();
        let (count, size) = (self.files.len() + self.feeds.len(), bytes(self.bytes));
        let text = format!("{app} {version} {state}: {count} files, {size} in {:.1} s", self.seconds.total);
        // Anyone who reads the list learns of the version before it is offered.
        let early = match (&self.trust, self.state.as_deref()) {
            (Some(trust), Some("scheduled")) if trust.is_listed() => ", which names the version from now on",
            _ => "",
        };
        let text = match &self.trust {
            Some(trust) => format!("{text}; {}{early}", trust.as_text()),
            None => text,
        };
        match &self.receipt {
            Some(receipt) => format!("{text}\n\n{}", receipt::as_text(receipt)),
            None => text,
        }
    }
}
