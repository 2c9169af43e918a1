//! What a feed format has to say. Nothing has a default: a format that misses something does not compile.

use super::{CheckAnswer, FeedDigests, FeedError, NativeAnswer, NativeQuestion, Offer, UploadFacts};
use crate::{FileName, Package, Upload, Version};

/// The feed format of an updater: all that the service has to know of it.
pub(crate) trait FeedFormat {
    /// What is kept of the feed files that come with a release.
    type Kept: KeptFeed;

    /// What is the same for all uploads and clients.
    const FACTS: FormatFacts;

    /// What an upload needs besides a feed file and does not have, for the error text.
    fn missing(upload: &Upload<'_>) -> Option<&'static str>;

    /// The answer to a client that asks for the feed.
    fn answer(offer: &Offer<'_, Self::Kept>, question: &NativeQuestion<'_>) -> NativeAnswer;

    /// The answer to a check that names the updater.
    fn check_answer(offer: &Offer<'_, Self::Kept>, question: &NativeQuestion<'_>) -> CheckAnswer;
}

/// What is kept of the feed files of one release in one scope. It is stored with the release as JSON, whose form stays.
pub(crate) trait KeptFeed: Sized {
    /// Reads the updater's feed files of an upload and compares them with its other files. Several files (one for each
    /// channel of the updater's own) are read as one. `None`: the updater has no feed files.
    fn read(files: &[&[u8]], facts: &UploadFacts<'_>) -> Result<Option<Self>, FeedError>;

    /// Drops what names files that are not there. False: nothing is left that a client could install.
    fn retain_files(&mut self, is_there: &dyn Fn(&str) -> bool) -> bool;

    /// The digests of every file that the feed gives some for.
    fn digests(&self) -> Vec<FeedDigests>;

    /// The version that its delta starts from. `None`: it has no delta, or what that starts from is not known.
    fn delta_from(&self) -> Option<&Version>;

    /// What is left of it where only its delta is needed, as a step on the way to another release, and the delta's name.
    fn only_delta(&self) -> Option<(Self, &str)>;

    /// What it demands of a client besides an older version, where feeds list older releases below the offered one.
    /// `None`: it is in no feed but that of its own release.
    fn demands(&self) -> Option<Vec<&str>>;
}

/// Of formats without feed files: there is no such value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum NoFeed {}

impl KeptFeed for NoFeed {
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
}

/// What is the same for all uploads and clients of a format.
pub(crate) struct FormatFacts {
    /// A further word that requests name the updater with. It stands for whichever the platform has.
    pub(crate) alias: Option<&'static str>,
    /// What a release needs for its clients.
    pub(crate) installs: Installs,
    /// Set where the updater itself checks the signature that is given at upload.
    pub(crate) signature: Option<Signature>,
    /// Whether the form can say for how many devices a release is, so that the client decides.
    pub(crate) can_stage: bool,
    /// Whether its clients are answered in JSON, so that the answer can stand in a `.json` file.
    pub(crate) answers_in_json: bool,
    /// Whether a private application may use it: its clients take each link from an answer of this service, which is
    /// where a private link can be put.
    pub(crate) works_for_private_apps: bool,
    /// Whether its clients ask for their feed by this name, below the base address; the empty name is the base address.
    pub(crate) is_asked_by: fn(&str) -> bool,
}

/// What a release needs to be offered to an updater's clients.
pub(crate) enum Installs {
    /// A feed file. The feed names files, so stored files keep their names.
    ByFeed(FeedFile),
    /// An artifact with this package; the flag is whether it is signed.
    Artifact(fn(&Package, bool) -> bool),
}

/// The feed files of a format.
pub(crate) struct FeedFile {
    /// The form of their names, for error texts.
    pub(crate) pattern: &'static str,
    /// Whether this is the name of one. Upper and lower case must be as written by the tool.
    pub(crate) is_name: fn(&str) -> bool,
    /// `Content-Type` of the file as it is stored.
    pub(crate) stored_type: &'static str,
    /// Set where clients ask by names that begin with a channel: the channel of releases that are no pre-releases.
    /// `None`: the answer does not depend on the name.
    pub(crate) default_channel: Option<&'static str>,
    /// Whether one answer may list the files of several architectures.
    pub(crate) has_all_archs: bool,
}

/// A signature that the updater itself checks.
pub(crate) struct Signature {
    /// Refuses what the updater would refuse, and gives the signature without white space around it.
    pub(crate) checked: for<'s> fn(&'s str, &Version) -> Result<&'s str, FeedError>,
    /// Of an upload's files the one that it belongs to; `None`: there is no single such file.
    pub(crate) file: for<'f> fn(&[&'f FileName]) -> Option<&'f FileName>,
}
