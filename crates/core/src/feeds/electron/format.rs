//! The feed format of electron-builder.

use base16ct::lower::encode_string as hex;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::check::check;
use super::parse::parse;
use super::reference::ReferenceBase;
use super::render::{YmlOptions, render_yml};
use super::{ElectronFile, ElectronInfo, ElectronYml, FEED};
use crate::feeds::format::{FeedFileFormat, FeedFormat, FormatFacts, Installs, StoredFeed};
use crate::feeds::text::parse_all;
use crate::feeds::{
    CheckAnswer, FeedDigests, FeedError, FeedOffer, NativeAnswer, NativeQuestion, UploadFacts,
};
use crate::{Upload, Version};

pub(in crate::feeds) enum ElectronBuilder {}

/// See [`FeedFormat::StoredForm`].
pub(in crate::feeds) type StoredForm = ElectronInfo;

/// Suffix of feeds that cover all architectures of a platform, as on macOS.
const ALL_ARCHS_SUFFIX: &str = "-mac.yml";

fn is_feed(name: &str) -> bool {
    name.strip_suffix(".yml").is_some()
}

impl FeedFormat for ElectronBuilder {
    type StoredForm = StoredForm;

    const FACTS: FormatFacts = FormatFacts {
        alias: None,
        installs: Installs::ByFeed(FeedFileFormat {
            pattern: FEED,
            is_name: is_feed,
            stored_type: "application/yaml",
            default_channel: Some("latest"),
            has_all_archs: true,
        }),
        signature: None,
        can_stage: true,
        answers_in_json: false,
        sends_device: true,
        works_for_private_apps: false,
        is_requested_name: is_feed,
    };

    fn missing(_: &Upload<'_>) -> Option<&'static str> {
        None
    }

    fn answer(offer: &FeedOffer<'_, ElectronInfo>, question: &NativeQuestion<'_>) -> NativeAnswer {
        NativeAnswer::text("text/yaml; charset=utf-8", yml(offer, question))
    }

    fn check_answer(offer: &FeedOffer<'_, ElectronInfo>, _: &NativeQuestion<'_>) -> CheckAnswer {
        if offer.decision.update_available {
            let uploaded = offer.archs.first().map(|own| own.feed_name);
            CheckAnswer::Feed(uploaded.unwrap_or("latest.yml").to_owned())
        } else {
            CheckAnswer::Own(NativeAnswer::NoUpdate)
        }
    }
}

fn yml(offer: &FeedOffer<'_, ElectronInfo>, question: &NativeQuestion<'_>) -> Option<String> {
    let release = offer.decision.release?;
    let has_all_archs = question.file.ends_with(ALL_ARCHS_SUFFIX);
    let archs = if has_all_archs { offer.archs.as_slice() } else { offer.archs.get(..1)? };
    let is_staged = question.device.is_none() && offer.decision.update_available;
    let own_arch = archs.first()?.arch;
    let options = YmlOptions {
        base: ReferenceBase { scope: question.scope, own_arch, has_several_archs: archs.len() > 1 },
        staging_percentage: is_staged.then(|| archs.first().map(|own| own.rollout)).flatten(),
        released_at: release.released_at,
        changelog: &release.changelog,
    };
    render_yml(archs, &options)
}

impl StoredFeed for ElectronInfo {
    fn read(files: &[&[u8]], facts: &UploadFacts<'_>) -> Result<Option<Self>, FeedError> {
        check(&ElectronYml::merge(parse_all(files, parse)?.iter())?, facts).map(Some)
    }

    fn retain_files(&mut self, is_there: &dyn Fn(&str) -> bool) -> bool {
        self.files.retain(|file| is_there(&file.file_name));
        self.packages.retain(|package| is_there(&package.file.file_name));
        !self.files.is_empty()
    }

    fn digests(&self) -> Vec<FeedDigests> {
        let packages = self.packages.iter().map(|package| &package.file);
        let digests = |file: &ElectronFile| FeedDigests {
            file_name: file.file_name.clone(),
            sha512: STANDARD.decode(&file.sha512).ok().map(|bytes| hex(&bytes)),
            ..FeedDigests::default()
        };
        self.files.iter().chain(packages).map(digests).collect()
    }

    fn delta_from(&self) -> Option<&Version> {
        None
    }

    fn only_delta(&self) -> Option<(Self, &str)> {
        None
    }

    fn demands(&self) -> Option<Vec<&str>> {
        None
    }

    fn has_minimum_system(&self) -> bool {
        self.minimum_system_version.is_some()
    }
}
