//! Requests of native updaters' clients, and the answers.

use serde::Serialize;

use super::FeedRelease;
use crate::{Asker, ClientFacts, Decision, Scope, ScopeRelease, Timestamp, Updater, Version};

/// A client's request.
#[derive(Debug, Clone, Copy)]
pub struct NativeQuestion<'a> {
    /// The updater that the client uses.
    pub updater: Updater,
    /// The name of the requested feed. Empty: none.
    pub file: &'a str,
    /// The requested scope.
    pub scope: &'a Scope,
    /// The version that the client has.
    pub client: &'a Version,
    /// Its device id, if it sends one.
    pub device: Option<&'a str>,
    /// How a Tauri application was installed: `appimage`, `deb`, `rpm`, `app`, `msi`, `nsis`.
    pub bundle: Option<&'a str>,
    /// Further facts that it reports about itself.
    pub facts: &'a ClientFacts,
    /// The time that the answer is for.
    pub at: Timestamp,
}

impl<'a> NativeQuestion<'a> {
    /// The asker of this request; see [`Updater::asker`].
    pub fn asker(&self) -> Asker<'a> {
        self.updater.asker(self.device)
    }
}

impl Updater {
    /// A client of this updater as an asker. A client without a device id decides for itself if the
    /// feed format supports that. Otherwise it gets only releases that every device may have.
    pub const fn asker(self, device: Option<&str>) -> Asker<'_> {
        match device {
            Some(device) => Asker::Device(device),
            None if self.facts().can_stage => Asker::Anonymous,
            None => Asker::Outsider,
        }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NativeAnswer {
    /// A body.
    Body {
        /// Its `Content-Type`.
        content_type: &'static str,
        /// The whole body.
        text: String,
    },
    /// There is no update, which the format expresses as a status without a body.
    NoUpdate,
    /// There is nothing for this client, and the format cannot express that.
    Nothing,
}

impl NativeAnswer {
    /// `Body`, or `Nothing` without a text.
    pub(super) fn text(content_type: &'static str, text: Option<String>) -> Self {
        text.map_or(Self::Nothing, |text| Self::Body { content_type, text })
    }

    /// A JSON body, or `NoUpdate` without one.
    pub(super) fn json(body: Option<impl Serialize>) -> Self {
        body.map_or(Self::NoUpdate, |body| Self::Body {
            content_type: "application/json",
            text: serde_json::to_string(&body).unwrap_or_default(),
        })
    }
}

/// The answer to a check by a native updater's client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckAnswer {
    /// The answer itself.
    Own(NativeAnswer),
    /// The client has to read this feed of the scope.
    Feed(String),
}

/// The releases that the service can offer to a client.
#[derive(Debug)]
pub(crate) struct Offer<'a, F> {
    /// The decision about the client's update.
    pub(crate) decision: Decision<'a>,
    /// The releases with a feed, newest first, each with the feed for the scope's own architecture.
    pub(crate) releases: Vec<FeedRelease<'a, F>>,
    /// The decided release in each architecture with a feed, the scope's own architecture first.
    pub(crate) archs: Vec<FeedRelease<'a, F>>,
}

impl<'a, F> Offer<'a, F> {
    /// The same offer, limited to the feeds of one format.
    pub(super) fn of<K>(&self, kept: impl Fn(&'a F) -> Option<&'a K>) -> Offer<'a, K> {
        let of = |releases: &[FeedRelease<'a, F>]| {
            releases.iter().filter_map(|release| release.map(&kept)).collect()
        };
        Offer { decision: self.decision, releases: of(&self.releases), archs: of(&self.archs) }
    }
}

impl<'a> Decision<'a> {
    /// The version of the decided release. Without an update, a feed may still list it.
    pub fn version(&self) -> Option<&'a Version> {
        self.release.map(|release| &release.version)
    }

    /// The offered release.
    pub(super) fn update(&self) -> Option<&'a ScopeRelease> {
        self.release.filter(|_| self.update_available)
    }
}
