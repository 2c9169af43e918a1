//! The feed format of Squirrel.Windows.

use super::check::check;
use super::parse::{Releases, parse};
use super::render::{Staging, render_releases};
use super::{FEED, PackageKind, SquirrelFeed};
use crate::feeds::format::{FeedFileFormat, FeedFormat, FormatFacts, Installs, StoredFeed};
use crate::feeds::text::parse_all;
use crate::feeds::{
    CheckAnswer, FeedDigests, FeedError, FeedOffer, NativeAnswer, NativeQuestion, UploadFacts,
};
use crate::{Upload, Version};

pub(in crate::feeds) enum SquirrelWindows {}

/// See [`FeedFormat::StoredForm`].
pub(in crate::feeds) type StoredForm = SquirrelFeed;

impl FeedFormat for SquirrelWindows {
    type StoredForm = StoredForm;

    const FACTS: FormatFacts = FormatFacts {
        alias: Some("squirrel"),
        installs: Installs::ByFeed(FeedFileFormat {
            pattern: FEED,
            is_name: |name| name == "RELEASES",
            stored_type: "text/plain; charset=utf-8",
            default_channel: None,
            has_all_archs: false,
        }),
        signature: None,
        can_stage: true,
        answers_in_json: false,
        sends_device: false,
        works_for_private_apps: false,
        is_requested_name: |name| matches!(name, "" | "RELEASES"),
    };

    fn missing(upload: &Upload<'_>) -> Option<&'static str> {
        (!upload.has_package("nupkg")).then_some("a .nupkg file")
    }

    fn answer(offer: &FeedOffer<'_, SquirrelFeed>, question: &NativeQuestion<'_>) -> NativeAnswer {
        let staging = if question.device.is_some() { Staging::Decided } else { Staging::ByClient };
        let feed = offer
            .decision
            .version()
            .and_then(|target| render_releases(&offer.releases, question.client, target, staging));
        NativeAnswer::text("text/plain; charset=utf-8", feed)
    }

    fn check_answer(offer: &FeedOffer<'_, SquirrelFeed>, question: &NativeQuestion<'_>) -> CheckAnswer {
        CheckAnswer::Own(Self::answer(offer, question))
    }
}

impl StoredFeed for SquirrelFeed {
    fn read(files: &[&[u8]], facts: &UploadFacts<'_>) -> Result<Option<Self>, FeedError> {
        check(&Releases::merge(parse_all(files, parse)?.iter())?, facts).map(Some)
    }

    fn retain_files(&mut self, is_there: &dyn Fn(&str) -> bool) -> bool {
        self.packages.retain(|package| is_there(&package.file_name));
        self.package(PackageKind::Full).is_some()
    }

    fn digests(&self) -> Vec<FeedDigests> {
        let digests = self.packages.iter().map(|package| FeedDigests {
            file_name: package.file_name.clone(),
            sha1: Some(package.sha1.to_ascii_lowercase()),
            ..FeedDigests::default()
        });
        digests.collect()
    }

    fn delta_from(&self) -> Option<&Version> {
        self.package(PackageKind::Delta).and(self.delta_base.as_ref())
    }

    fn only_delta(&self) -> Option<(Self, &str)> {
        let delta = self.package(PackageKind::Delta)?;
        let feed = Self { packages: vec![delta.clone()], delta_base: self.delta_base.clone() };
        Some((feed, &delta.file_name))
    }

    fn demands(&self) -> Option<Vec<&str>> {
        None
    }

    fn has_minimum_system(&self) -> bool {
        false
    }
}
