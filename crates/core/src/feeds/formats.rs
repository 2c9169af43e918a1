//! The list of formats as enums, with a `match` for each method of a format.

use serde::{Deserialize, Serialize};

use super::format::{FeedFileFormat, FeedFormat, FormatFacts, Installs, StoredFeed};
use super::list::feed_formats;
use super::{CheckAnswer, FeedDigests, FeedError, FeedOffer, NativeAnswer, NativeQuestion, UploadFacts};
use crate::{FileName, Package, Updater, Upload, Version};

macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident $word:literal in $folder:ident,)+) => {
        /// The stored feeds of one release in one scope. In JSON an object tagged with `updater`.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "updater")]
        pub enum ReleaseFeed {
            $(#[doc = concat!("Of `", $word, "`.")] #[serde(rename = $word)] $name(super::$folder::StoredForm),)+
        }

        impl Updater {
            pub(crate) const fn facts(self) -> &'static FormatFacts {
                match self { $(Self::$name => &super::$folder::$name::FACTS,)+ }
            }

            /// The missing part of an upload for this updater, apart from a feed file, as named in
            /// the error.
            pub(crate) fn missing(self, upload: &Upload<'_>) -> Option<&'static str> {
                match self { $(Self::$name => super::$folder::$name::missing(upload),)+ }
            }

            /// Reads the updater's feed files of an upload, compares them with its other files, and returns
            /// the feed to store. `None`: the updater has no feed.
            pub fn read_feeds(
                self,
                files: &[&[u8]],
                facts: &UploadFacts<'_>,
            ) -> Result<Option<ReleaseFeed>, FeedError> {
                match self { $(Self::$name => Ok(super::$folder::StoredForm::read(files, facts)?.map(ReleaseFeed::$name)),)+ }
            }

            pub(super) fn answer(
                self,
                offer: &FeedOffer<'_, ReleaseFeed>,
                question: &NativeQuestion<'_>,
            ) -> NativeAnswer {
                match self {
                    $(Self::$name => super::$folder::$name::answer(
                        &offer.of(|feed| if let ReleaseFeed::$name(kept) = feed { Some(kept) } else { None }),
                        question,
                    ),)+
                }
            }

            pub(super) fn check_answer(
                self,
                offer: &FeedOffer<'_, ReleaseFeed>,
                question: &NativeQuestion<'_>,
            ) -> CheckAnswer {
                match self {
                    $(Self::$name => super::$folder::$name::check_answer(
                        &offer.of(|feed| if let ReleaseFeed::$name(kept) = feed { Some(kept) } else { None }),
                        question,
                    ),)+
                }
            }
        }

        impl ReleaseFeed {
            /// The updater that the feed is for.
            pub const fn updater(&self) -> Updater {
                match self { $(Self::$name(_) => Updater::$name,)+ }
            }

            /// The digests of all files for which the feed lists any.
            pub fn digests(&self) -> Vec<FeedDigests> {
                match self { $(Self::$name(kept) => kept.digests(),)+ }
            }

            /// The feed without missing files, which a feed must never name. `None`: no entry is
            /// left that a client could install.
            #[must_use]
            pub fn only_with(mut self, is_there: &dyn Fn(&str) -> bool) -> Option<Self> {
                let is_left = match &mut self { $(Self::$name(kept) => kept.retain_files(is_there),)+ };
                is_left.then_some(self)
            }

            pub(super) fn delta_from(&self) -> Option<&Version> {
                match self { $(Self::$name(kept) => kept.delta_from(),)+ }
            }

            pub(super) fn only_delta(&self) -> Option<(Self, &str)> {
                match self {
                    $(Self::$name(kept) => kept.only_delta().map(|(kept, name)| (Self::$name(kept), name)),)+
                }
            }

            pub(super) fn demands(&self) -> Option<Vec<&str>> {
                match self { $(Self::$name(kept) => kept.demands(),)+ }
            }

            /// Whether it states a minimum version of the operating system, which clients compare
            /// with their own.
            pub fn has_minimum_system(&self) -> bool {
                match self { $(Self::$name(kept) => kept.has_minimum_system(),)+ }
            }
        }
    };
}

feed_formats!(formats);

impl Updater {
    pub(crate) fn feed_file(self) -> Option<&'static FeedFileFormat> {
        match &self.facts().installs {
            Installs::ByFeed(file) => Some(file),
            Installs::Artifact(_) => None,
        }
    }

    /// The updater whose feed file has this name.
    pub fn of_feed_file(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|updater| updater.feed_file().is_some_and(|file| (file.is_name)(name)))
    }

    /// The updater whose clients request their feed by this name below the base address. The empty
    /// name is the base address.
    pub fn of_requested_file(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|updater| (updater.facts().is_requested_name)(name))
    }

    /// Whether a private application may use it.
    pub fn works_for_private_apps(self) -> bool {
        self.facts().works_for_private_apps
    }

    /// Whether the answers are JSON, so that they can be stored as `.json` files.
    pub fn answers_in_json(self) -> bool {
        self.facts().answers_in_json
    }

    /// Whether its clients send a device identifier with every request, so that they are counted.
    /// Others may be configured to send one.
    pub fn sends_device(self) -> bool {
        self.facts().sends_device
    }

    /// Whether stored files keep their names, because a feed names them.
    pub fn keeps_file_names(self) -> bool {
        self.feed_file().is_some()
    }

    /// The prefix of feed names in the default channel, if clients request feeds by channel.
    pub(super) fn default_channel(self) -> Option<&'static str> {
        self.feed_file().and_then(|file| file.default_channel)
    }

    /// Whether one feed may list the files of several architectures.
    pub fn lists_all_archs(self) -> bool {
        self.feed_file().is_some_and(|file| file.has_all_archs)
    }

    /// Whether the updater's clients can install from the artifact. Always true for updaters with feeds.
    pub fn is_installable(self, package: &Package, is_signed: bool) -> bool {
        match self.facts().installs {
            Installs::ByFeed(_) => true,
            Installs::Artifact(is_installable) => is_installable(package, is_signed),
        }
    }

    /// The signature to record; an error if the updater would refuse it.
    pub fn checked_signature<'s>(self, given: &'s str, version: &Version) -> Result<&'s str, FeedError> {
        self.facts().signature.as_ref().map_or(Ok(given), |signature| (signature.checked)(given, version))
    }

    /// Whether the signature of an upload belongs to the file. If the updater checks signatures, it belongs
    /// to the file that the updater downloads, otherwise to every file. `files` are the uploaded files that
    /// are not feeds.
    pub fn is_signed(self, file: &FileName, files: &[&FileName]) -> bool {
        self.facts().signature.as_ref().is_none_or(|signature| (signature.file)(files) == Some(file))
    }
}

impl ReleaseFeed {
    /// The error for a file whose bytes do not match the digests in the feed.
    pub fn digest_error(&self, file_name: &str) -> FeedError {
        let feed = self.updater().feed_file().map_or("feed", |file| file.pattern);
        FeedError::in_part(feed, file_name, "digest differs from the uploaded file")
    }
}

#[cfg(test)]
mod tests;
