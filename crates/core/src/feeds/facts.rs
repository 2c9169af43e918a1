//! The facts about an upload that its feeds are checked against.

use std::collections::{HashMap, HashSet};

use super::FeedError;
use super::text::candidates;
use crate::{BasisPoints, FileEntry, FileName, Package, Processor, Sha256Hex, Version};

/// The facts about one upload.
#[derive(Debug, Clone, Copy)]
pub struct UploadFacts<'a> {
    /// The version of the release.
    pub version: &'a Version,
    /// The files uploaded with the feeds. Unknown lengths and digests are not compared.
    pub files: &'a [FileEntry],
    /// Files that are already stored in the scope, of this release and of others.
    pub stored: &'a [FileName],
    /// Whether the application uses architectures. A feed may then list files of other
    /// architectures, which have uploads of their own.
    pub has_archs: bool,
    /// How far the release is rolled out.
    pub rollout: BasisPoints,
}

/// The files of an upload by name.
pub(super) struct KnownFiles<'a> {
    uploaded: HashMap<&'a str, &'a FileEntry>,
    stored: HashSet<&'a str>,
}

/// A file that a feed refers to.
#[derive(Clone, Copy)]
pub(super) struct KnownFile<'a> {
    pub(super) name: &'a str,
    /// Set if the file belongs to this upload.
    pub(super) entry: Option<&'a FileEntry>,
}

impl<'a> UploadFacts<'a> {
    pub(super) fn known_files(&self) -> KnownFiles<'a> {
        KnownFiles {
            uploaded: self.files.iter().map(|entry| (entry.name.as_str(), entry)).collect(),
            stored: self.stored.iter().map(FileName::as_str).collect(),
        }
    }

    /// Whether a version in a feed means the version of the release.
    pub(super) fn is_version(&self, text: &str) -> bool {
        text.parse::<Version>().is_ok_and(|version| version == *self.version)
    }

    /// Whether a listed file that is missing here belongs to another architecture of the release.
    /// It does if its name shows that, or if one of `here`, the listed files that are present, has
    /// the same package: an architecture has one file of each.
    pub(super) fn is_elsewhere(&self, reference: &str, here: &[&str]) -> bool {
        let Some(name) = candidates(reference).pop().filter(|_| self.has_archs) else { return false };
        let package = Package::from_file_name;
        let is_of_other = |own: &&str| Processor::of_file(own) != Processor::of_file(&name);
        !here.is_empty()
            && (here.iter().all(is_of_other) || here.iter().any(|own| package(own) == package(&name)))
    }

    /// The uploaded files of a package.
    pub(super) fn of_package(&self, package: &'static str) -> impl Iterator<Item = &'a FileEntry> {
        self.files.iter().filter(move |entry| entry.name.package().as_str() == package)
    }
}

impl<'a> KnownFiles<'a> {
    /// The file that a reference means: one of this upload, or else a stored one.
    pub(super) fn find(&self, reference: &str) -> Option<KnownFile<'a>> {
        let names = candidates(reference);
        let uploaded = names.iter().find_map(|name| self.uploaded.get_key_value(name.as_str()));
        match uploaded {
            Some((name, entry)) => Some(KnownFile { name, entry: Some(entry) }),
            None => names
                .iter()
                .find_map(|name| self.stored.get(name.as_str()))
                .map(|name| KnownFile { name, entry: None }),
        }
    }
}

impl KnownFile<'_> {
    /// Compares a size in a feed with the declared one.
    pub(super) fn check_size(&self, feed: &'static str, size: u64) -> Result<(), FeedError> {
        match self.entry.and_then(|entry| entry.length) {
            Some(length) if length != size => {
                let problem =
                    format!("size differs from the uploaded file: it has {length} bytes, not {size}");
                Err(FeedError::in_part(feed, self.name, problem))
            }
            _ => Ok(()),
        }
    }

    /// Compares a SHA-256 in a feed with the declared one, if the declared one is well-formed.
    pub(super) fn check_sha256(&self, feed: &'static str, digest: &str) -> Result<(), FeedError> {
        let declared = self.entry.and_then(|entry| entry.sha256.as_ref()?.parse::<Sha256Hex>().ok());
        match declared {
            Some(declared) if !declared.as_str().eq_ignore_ascii_case(digest) => {
                Err(FeedError::in_part(feed, self.name, "SHA256 differs from the uploaded file"))
            }
            _ => Ok(()),
        }
    }
}
