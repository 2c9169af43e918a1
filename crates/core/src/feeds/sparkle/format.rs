//! The feed format of Sparkle.

use super::check::check;
use super::demands::{has_minimum_system, names_channel};
use super::parse::parse;
use super::render::render_appcast;
use super::{Appcast, FEED, SparkleFeed, SparkleItem};
use crate::feeds::format::{FeedFileFormat, FeedFormat, FormatFacts, Installs, StoredFeed};
use crate::feeds::text::parse_all;
use crate::feeds::{
    CheckAnswer, FeedDigests, FeedError, FeedOffer, NativeAnswer, NativeQuestion, UploadFacts,
};
use crate::{Upload, Version};

pub(in crate::feeds) enum Sparkle {}

/// See [`FeedFormat::StoredForm`].
pub(in crate::feeds) type StoredForm = SparkleFeed;

fn is_feed(name: &str) -> bool {
    name.strip_prefix("appcast").and_then(|rest| rest.strip_suffix(".xml")).is_some()
}

impl FeedFormat for Sparkle {
    type StoredForm = StoredForm;

    const FACTS: FormatFacts = FormatFacts {
        alias: None,
        installs: Installs::ByFeed(FeedFileFormat {
            pattern: FEED,
            is_name: is_feed,
            stored_type: "application/octet-stream",
            default_channel: None,
            has_all_archs: false,
        }),
        signature: None,
        can_stage: false,
        answers_in_json: false,
        sends_device: false,
        works_for_private_apps: false,
        is_requested_name: is_feed,
    };

    fn missing(_: &Upload<'_>) -> Option<&'static str> {
        None
    }

    fn answer(offer: &FeedOffer<'_, SparkleFeed>, question: &NativeQuestion<'_>) -> NativeAnswer {
        let title = question.scope.app.as_str();
        let feed = render_appcast(&offer.releases, offer.decision.version(), title);
        NativeAnswer::text("application/xml; charset=utf-8", Some(feed))
    }

    fn check_answer(_: &FeedOffer<'_, SparkleFeed>, _: &NativeQuestion<'_>) -> CheckAnswer {
        CheckAnswer::Feed("appcast.xml".to_owned())
    }
}

impl StoredFeed for SparkleFeed {
    fn read(files: &[&[u8]], facts: &UploadFacts<'_>) -> Result<Option<Self>, FeedError> {
        check(&Appcast::merge(parse_all(files, parse)?.iter())?, facts).map(Some)
    }

    fn retain_files(&mut self, is_there: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Items(feed) => {
                feed.items.retain(|item| item.enclosures.iter().all(|e| is_there(&e.file_name)));
                !feed.items.is_empty()
            }
            Self::Signed(feed) => feed.file_names.iter().all(|name| is_there(name)),
        }
    }

    /// None: Sparkle uses signatures with the publisher's keys instead.
    fn digests(&self) -> Vec<FeedDigests> {
        Vec::new()
    }

    fn delta_from(&self) -> Option<&Version> {
        None
    }

    fn only_delta(&self) -> Option<(Self, &str)> {
        None
    }

    /// A signed appcast is served unchanged, and is never part of another one.
    fn demands(&self) -> Option<Vec<&str>> {
        match self {
            Self::Items(feed) => Some(feed.items.iter().flat_map(SparkleItem::demands).collect()),
            Self::Signed(_) => None,
        }
    }

    fn has_minimum_system(&self) -> bool {
        match self {
            Self::Items(feed) => feed.items.iter().all(|item| has_minimum_system(&item.xml)),
            Self::Signed(feed) => has_minimum_system(&feed.source),
        }
    }
}

impl SparkleFeed {
    /// Whether it is for a channel, so that clients that name none ignore it.
    pub fn names_channel(&self) -> bool {
        match self {
            Self::Items(feed) => feed.items.iter().any(|item| names_channel(&item.xml)),
            Self::Signed(feed) => names_channel(&feed.source),
        }
    }
}
