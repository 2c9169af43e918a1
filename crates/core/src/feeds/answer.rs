//! What a native updater's client asks and is answered.

use serde::Serialize;

use super::FeedRelease;
use crate::{Asker, Decision, Scope, ScopeRelease, Updater, Version};

/// What a client asks.
#[derive(Debug, Clone, Copy)]
pub struct NativeQuestion<'a> {
    /// The updater that it is.
    pub updater: Updater,
    /// The name of the feed that it asks for; empty where it asks for none by a name.
    pub file: &'a str,
    /// What it asks about.
    pub scope: &'a Scope,
    /// The version that the client has.
    pub client: &'a Version,
    /// Its device identifier, where it sends one.
    pub device: Option<&'a str>,
    /// How a Tauri application was installed: `appimage`, `deb`, `rpm`, `app`, `msi`, `nsis`.
    pub bundle: Option<&'a str>,
}

impl<'a> NativeQuestion<'a> {
    /// Who asks. Without an identifier a client decides where its form lets it; where not, it gets what all may have.
    pub fn asker(&self) -> Asker<'a> {
        match self.device {
            Some(device) => Asker::Device(device),
            None if self.updater.facts().can_stage => Asker::Anonymous,
            None => Asker::Outsider,
        }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NativeAnswer {
    /// A body.
    Body {
        /// Its type.
        content_type: &'static str,
        /// All of it.
        text: String,
    },
    /// There is no update, for clients that are told so by a status without a body.
    NoUpdate,
    /// There is nothing that this client may have, and its form cannot say so.
    Nothing,
}

impl NativeAnswer {
    /// A body, or nothing.
    pub(super) fn text(content_type: &'static str, text: Option<String>) -> Self {
        text.map_or(Self::Nothing, |text| Self::Body { content_type, text })
    }

    /// A JSON body; without one there is no update.
    pub(super) fn json(body: Option<impl Serialize>) -> Self {
        body.map_or(Self::NoUpdate, |body| Self::Body {
            content_type: "application/json",
            text: serde_json::to_string(&body).unwrap_or_default(),
        })
    }
}

/// The answer to a check of a native updater's client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckAnswer {
    /// This.
    Own(NativeAnswer),
    /// It is to read this feed of the scope.
    Feed(String),
}

/// What there is for a client.
#[derive(Debug)]
pub(crate) struct Offer<'a, F> {
    /// What it is to be told.
    pub(crate) decision: Decision<'a>,
    /// The releases with a feed, newest first, each with the feed of the scope's own architecture.
    pub(crate) releases: Vec<FeedRelease<'a, F>>,
    /// The release of the decision in each architecture that it has a feed in, the scope's own first.
    pub(crate) archs: Vec<FeedRelease<'a, F>>,
}

impl<'a, F> Offer<'a, F> {
    /// The same of one format's feeds.
    pub(super) fn of<K>(&self, kept: impl Fn(&'a F) -> Option<&'a K>) -> Offer<'a, K> {
        let of = |releases: &[FeedRelease<'a, F>]| {
            releases.iter().filter_map(|release| release.map(&kept)).collect()
        };
        Offer { decision: self.decision, releases: of(&self.releases), archs: of(&self.archs) }
    }
}

impl<'a> Decision<'a> {
    /// The version of the offered release, or without an update of the one that a feed may list.
    pub fn version(&self) -> Option<&'a Version> {
        self.release.map(|release| &release.version)
    }

    /// The offered release.
    pub(super) fn update(&self) -> Option<&'a ScopeRelease> {
        self.release.filter(|_| self.update_available)
    }
}
