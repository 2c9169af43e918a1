//! `appcast*.xml` of Sparkle: RSS 2.0 with additional elements.
//!
//! See [Publishing an update](https://sparkle-project.org/documentation/publishing/). Items are
//! stored byte for byte: marks such as `sparkle:criticalUpdate`, `sparkle:phasedRolloutInterval`,
//! `sparkle:channel` and the signatures of enclosures belong to the publisher, and the service
//! neither adds nor changes any.

mod check;
mod demands;
mod edit;
mod element;
mod format;
mod parse;
mod render;
mod signed;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

pub(super) use format::{Sparkle, StoredForm};

use super::FeedError;

/// The name of the feed in errors.
const FEED: &str = "appcast*.xml";

/// The namespace of Sparkle's elements and attributes.
const SPARKLE: &[u8] = b"http://www.andymatuschak.org/xml-namespaces/sparkle";

/// An appcast as its tool wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Appcast {
    /// The namespaces that the items use.
    pub namespaces: Vec<Namespace>,
    /// The items in the order written.
    pub items: Vec<AppcastItem>,
    /// The whole source, including a byte order mark, if the appcast is signed as a whole
    /// (`SURequireSignedFeed`).
    pub signed: Option<String>,
}

/// A namespace prefix declared outside the items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespace {
    /// Without `xmlns:`.
    pub prefix: String,
    /// The namespace URI.
    pub uri: String,
}

/// An item as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AppcastItem {
    /// From `<item` to `</item>`, byte for byte.
    pub xml: String,
    /// `sparkle:version`: the version that Sparkle compares, often a build number.
    pub version: Option<String>,
    /// `sparkle:shortVersionString`: the version that users see.
    pub short_version: Option<String>,
    /// The enclosures of the item and of its deltas.
    pub enclosures: Vec<AppcastEnclosure>,
}

/// An enclosure as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AppcastEnclosure {
    /// Its URL, relative or absolute, without XML escapes.
    pub url: String,
    /// In bytes, if it is a number.
    pub length: Option<u64>,
    /// Start and end of the length as written, as byte offsets in the item's `xml`, like the next
    /// two fields.
    pub length_at: Option<(usize, usize)>,
    /// The position of the URL as written.
    pub url_at: (usize, usize),
    /// The position of the whole element.
    pub element_at: (usize, usize),
}

/// The stored form of an appcast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SparkleFeed {
    /// The items of the release. Appcasts are rendered from them.
    Items(SparkleItems),
    /// An appcast that is signed as a whole. Its bytes are served unchanged, because any change breaks the
    /// signature.
    Signed(SignedAppcast),
}

/// An appcast that is signed as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedAppcast {
    /// All of it, byte for byte.
    pub source: String,
    /// The names of the release's files that it links to.
    pub file_names: Vec<String>,
}

/// The items of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SparkleItems {
    /// The namespaces that they use.
    pub namespaces: Vec<Namespace>,
    /// At least one.
    pub items: Vec<SparkleItem>,
}

/// An item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SparkleItem {
    /// From `<item` to `</item>`, byte for byte.
    pub xml: String,
    /// Its enclosures in the order written.
    pub enclosures: Vec<SparkleEnclosure>,
}

/// A file that an item links to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SparkleEnclosure {
    /// The name of the file.
    pub file_name: String,
    /// Start and end of its URL, as byte offsets in the item's `xml`.
    pub url_at: (usize, usize),
}

impl Appcast {
    /// Merges appcasts; the same item may appear in several. A signed appcast cannot be merged with others.
    pub(super) fn merge<'a>(feeds: impl Iterator<Item = &'a Self>) -> Result<Self, FeedError> {
        let mut merged: Option<Self> = None;
        let mut known: HashSet<&'a str> = HashSet::new();
        for feed in feeds {
            let Some(merged) = merged.as_mut() else {
                known.extend(feed.items.iter().map(|item| item.xml.as_str()));
                merged = Some(feed.clone());
                continue;
            };
            if merged.signed.is_some() || feed.signed.is_some() {
                return Err(FeedError::whole(FEED, "a signed appcast cannot come with another one"));
            }
            if !add_namespaces(&mut merged.namespaces, &feed.namespaces) {
                return Err(FeedError::whole(FEED, "a prefix stands for different namespaces"));
            }
            merged.items.extend(feed.items.iter().filter(|item| known.insert(&item.xml)).cloned());
        }
        merged.ok_or(FeedError::whole(FEED, "missing"))
    }
}

/// Adds namespaces. `false`, with nothing added: a prefix is already bound to another URI.
fn add_namespaces(to: &mut Vec<Namespace>, more: &[Namespace]) -> bool {
    let clashes = |new: &Namespace| to.iter().any(|old| old.prefix == new.prefix && old.uri != new.uri);
    if more.iter().any(clashes) {
        return false;
    }
    for namespace in more {
        if !to.contains(namespace) {
            to.push(namespace.clone());
        }
    }
    true
}
