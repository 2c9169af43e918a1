//! The traits of a feed format. They have no default methods, so an incomplete format does not compile.

use super::{CheckAnswer, FeedDigests, FeedError, FeedOffer, NativeAnswer, NativeQuestion, UploadFacts};
use crate::{FileName, Package, Upload, Version};

/// The feed format of an updater: everything that the service needs to know about it.
pub(crate) trait FeedFormat {
    /// The stored form of a release's feed files.
    type StoredForm: StoredFeed;

    /// The constants of the format.
    const FACTS: FormatFacts;

    /// The missing part of an upload for this updater, apart from a feed file, as named in the
    /// error.
    fn missing(upload: &Upload<'_>) -> Option<&'static str>;

    /// The answer to a client that requests the feed.
    fn answer(offer: &FeedOffer<'_, Self::StoredForm>, question: &NativeQuestion<'_>) -> NativeAnswer;

    /// The answer to a check that names the updater.
    fn check_answer(offer: &FeedOffer<'_, Self::StoredForm>, question: &NativeQuestion<'_>) -> CheckAnswer;
}

/// The stored form of one release's feed files in one scope. It is stored as JSON with the release, so its
/// JSON form must not change.
pub(crate) trait StoredFeed: Sized {
    /// Reads the updater's feed files of an upload and compares them with its other files. Several files (one
    /// per channel of the updater's own) are merged. `None`: the updater has no feed files.
    fn read(files: &[&[u8]], facts: &UploadFacts<'_>) -> Result<Option<Self>, FeedError>;

    /// Drops entries for missing files. `false`: no entry is left that a client could install.
    fn retain_files(&mut self, is_there: &dyn Fn(&str) -> bool) -> bool;

    /// The digests of all files for which the feed lists any.
    fn digests(&self) -> Vec<FeedDigests>;

    /// The version that its delta starts from. `None`: it has no delta, or the base of the delta is unknown.
    fn delta_from(&self) -> Option<&Version>;

    /// The feed reduced to its delta, for a release that is only an intermediate step of deltas,
    /// and the delta's file name.
    fn only_delta(&self) -> Option<(Self, &str)>;

    /// The client requirements of its items, apart from an older version. Feeds that list older
    /// releases below the offered one need them. `None`: it is listed only in the feed of its own
    /// release.
    fn demands(&self) -> Option<Vec<&str>>;

    /// Whether it states a minimum version of the operating system, which clients compare with
    /// their own.
    fn has_minimum_system(&self) -> bool;
}

/// The feed of formats without feed files. It has no values.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum NoFeed {}

impl StoredFeed for NoFeed {
    fn read(_: &[&[u8]], _: &UploadFacts<'_>) -> Result<Option<Self>, FeedError> {
        Ok(None)
    }

    fn retain_files(&mut self, _: &dyn Fn(&str) -> bool) -> bool {
        match *self {}
    }

    fn digests(&self) -> Vec<FeedDigests> {
        match *self {}
    }

    fn delta_from(&self) -> Option<&Version> {
        match *self {}
    }

    fn only_delta(&self) -> Option<(Self, &str)> {
        match *self {}
    }

    fn demands(&self) -> Option<Vec<&str>> {
        match *self {}
    }

    fn has_minimum_system(&self) -> bool {
        match *self {}
    }
}

/// The constants of a format.
#[expect(clippy::struct_excessive_bools, reason = "independent facts of a format")]
pub(crate) struct FormatFacts {
    /// An alias for the updater in requests. Several updaters may share it; then it means the one
    /// that the platform has.
    pub(crate) alias: Option<&'static str>,
    /// The kind of file that a release needs so that clients can install it.
    pub(crate) installs: Installs,
    /// Set if the updater itself verifies the signature given at upload.
    pub(crate) signature: Option<SignatureFormat>,
    /// Whether the feed can contain the rollout percentage, so that clients decide for themselves.
    pub(crate) can_stage: bool,
    /// Whether the answers are JSON, so that they can be stored as `.json` files.
    pub(crate) answers_in_json: bool,
    /// Whether its clients send a device identifier with every request, so that they are counted.
    pub(crate) sends_device: bool,
    /// Whether a private application may use it. Its clients must take every URL from an answer of this
    /// service, because only there can a private link be inserted.
    pub(crate) works_for_private_apps: bool,
    /// Whether clients request their feed by this name below the base address. The empty name is
    /// the base address.
    pub(crate) is_requested_name: fn(&str) -> bool,
}

/// The kind of file that a release needs to be offered to an updater's clients.
pub(crate) enum Installs {
    /// A feed file. Feeds name files, so stored files keep their names.
    ByFeed(FeedFileFormat),
    /// An artifact of this package; the flag says whether it is signed.
    Artifact(fn(&Package, bool) -> bool),
}

/// The feed files of a format.
pub(crate) struct FeedFileFormat {
    /// The pattern of their names, for errors.
    pub(crate) pattern: &'static str,
    /// Whether this is the name of such a file, in the exact case that the tool uses.
    pub(crate) is_name: fn(&str) -> bool,
    /// `Content-Type` of the stored file.
    pub(crate) stored_type: &'static str,
    /// Set if the names that clients request begin with a channel: the channel of releases that are
    /// not pre-releases. `None`: the answer does not depend on the name.
    pub(crate) default_channel: Option<&'static str>,
    /// Whether one answer may list the files of several architectures.
    pub(crate) has_all_archs: bool,
}

/// A signature that the updater itself verifies.
pub(crate) struct SignatureFormat {
    /// Rejects signatures that the updater would reject. Returns the signature without surrounding
    /// white space.
    pub(crate) checked: for<'s> fn(&'s str, &Version) -> Result<&'s str, FeedError>,
    /// Which of an upload's files the signature belongs to. `None`: no single file.
    pub(crate) file: for<'f> fn(&[&'f FileName]) -> Option<&'f FileName>,
}
