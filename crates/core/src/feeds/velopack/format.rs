//! The feed format of Velopack.

use super::channel::velopack_channel;
use super::check::check;
use super::parse::{VelopackIndex, parse};
use super::render::render_velopack;
use super::{FEED, VelopackAsset, VelopackAssetKind, VelopackFeed};
use crate::feeds::format::{FeedFileFormat, FeedFormat, FormatFacts, Installs, StoredFeed};
use crate::feeds::text::parse_all;
use crate::feeds::{
    CheckAnswer, FeedDigests, FeedError, FeedOffer, NativeAnswer, NativeQuestion, UploadFacts,
};
use crate::{ChannelName, Upload, Version};

pub(in crate::feeds) enum Velopack {}

/// See [`FeedFormat::StoredForm`].
pub(in crate::feeds) type StoredForm = VelopackFeed;

fn is_feed(name: &str) -> bool {
    velopack_channel(name).is_some_and(|channel| channel.parse::<ChannelName>().is_ok())
}

impl FeedFormat for Velopack {
    type StoredForm = StoredForm;

    const FACTS: FormatFacts = FormatFacts {
        alias: None,
        installs: Installs::ByFeed(FeedFileFormat {
            pattern: FEED,
            is_name: is_feed,
            stored_type: "application/json",
            default_channel: None,
            has_all_archs: false,
        }),
        signature: None,
        can_stage: false,
        answers_in_json: false,
        sends_device: true,
        works_for_private_apps: false,
        is_requested_name: is_feed,
    };

    fn missing(upload: &Upload<'_>) -> Option<&'static str> {
        (!upload.has_package("nupkg")).then_some("a .nupkg file")
    }

    fn answer(offer: &FeedOffer<'_, VelopackFeed>, question: &NativeQuestion<'_>) -> NativeAnswer {
        let feed = render_velopack(&offer.releases, question.client, offer.decision.version());
        NativeAnswer::text("application/json", Some(feed))
    }

    fn check_answer(offer: &FeedOffer<'_, VelopackFeed>, question: &NativeQuestion<'_>) -> CheckAnswer {
        let [_, _, channel, ..] = question.scope.segments();
        let uploaded = offer.releases.first().map(|newest| newest.feed_name.to_owned());
        CheckAnswer::Feed(uploaded.unwrap_or_else(|| format!("releases.{channel}.json")))
    }
}

impl StoredFeed for VelopackFeed {
    fn read(files: &[&[u8]], facts: &UploadFacts<'_>) -> Result<Option<Self>, FeedError> {
        check(&VelopackIndex::merge(parse_all(files, parse)?.iter())?, facts).map(Some)
    }

    fn retain_files(&mut self, is_there: &dyn Fn(&str) -> bool) -> bool {
        self.assets.retain(|asset| is_there(&asset.file_name));
        self.asset(VelopackAssetKind::Full).is_some()
    }

    fn digests(&self) -> Vec<FeedDigests> {
        let digests = self.assets.iter().map(|asset| FeedDigests {
            file_name: asset.file_name.clone(),
            sha1: Some(asset.sha1.to_ascii_lowercase()),
            sha256: asset.sha256.as_ref().map(|digest| digest.to_ascii_lowercase()),
            sha512: None,
        });
        digests.collect()
    }

    fn delta_from(&self) -> Option<&Version> {
        self.asset(VelopackAssetKind::Delta).and(self.delta_base.as_ref())
    }

    fn only_delta(&self) -> Option<(Self, &str)> {
        let delta = self.asset(VelopackAssetKind::Delta)?;
        let step = VelopackAsset { notes_markdown: None, notes_html: None, ..delta.clone() };
        let feed = Self { assets: vec![step], delta_base: self.delta_base.clone() };
        Some((feed, &delta.file_name))
    }

    fn demands(&self) -> Option<Vec<&str>> {
        None
    }

    fn has_minimum_system(&self) -> bool {
        false
    }
}
