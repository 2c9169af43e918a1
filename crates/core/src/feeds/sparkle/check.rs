//! Comparing an appcast with the upload it comes with.

use std::collections::HashSet;

use super::{
    Appcast, AppcastItem, FEED, SignedAppcast, SparkleEnclosure, SparkleFeed, SparkleItem, SparkleItems,
};
use crate::feeds::facts::{KnownFile, KnownFiles};
use crate::feeds::text::is_http_url;
use crate::feeds::{FeedError, UploadFacts};

/// Packages that are uploaded for people to read and need no enclosure.
const NOT_ARCHIVES: [&str; 5] = ["html", "htm", "md", "txt", "json"];

/// Requires for every uploaded archive an enclosure with its length, in an item of the release's version
/// (`sparkle:shortVersionString` or `sparkle:version`). Items of other versions are history and ignored. An item whose
/// files are all unknown belongs to another architecture. An item with some known and some unknown files is refused.
///
/// The URLs of a signed appcast are served unchanged, so they must be absolute.
pub(in crate::feeds) fn check(feed: &Appcast, facts: &UploadFacts<'_>) -> Result<SparkleFeed, FeedError> {
    let known = facts.known_files();
    let of_release = |item: &&AppcastItem| {
        let mut versions = [&item.short_version, &item.version].into_iter().flatten();
        versions.any(|version| facts.is_version(version))
    };
    let mut items = Vec::new();
    let mut seen = HashSet::new();
    for item in feed.items.iter().filter(of_release) {
        let files: Vec<_> = item.enclosures.iter().map(|enclosure| known.find(&enclosure.url)).collect();
        if !files.is_empty() && files.iter().all(Option::is_none) {
            continue;
        }
        items.push(check_item(item, &known, feed.signed.is_some())?);
        seen.extend(files.into_iter().flatten().map(|file| file.name));
    }
    for entry in facts.files {
        let name = entry.name.as_str();
        if !NOT_ARCHIVES.contains(&entry.name.package().as_str()) && !seen.contains(name) {
            return Err(FeedError::named(
                FEED,
                name,
                "uploaded and without an enclosure in an item of the release",
            ));
        }
    }
    if items.is_empty() {
        return Err(FeedError::whole(FEED, "no item of the release"));
    }
    Ok(match &feed.signed {
        Some(source) => {
            let enclosures = items.into_iter().flat_map(|item| item.enclosures);
            let file_names = enclosures.map(|enclosure| enclosure.file_name).collect();
            SparkleFeed::Signed(SignedAppcast { source: source.clone(), file_names })
        }
        None => SparkleFeed::Items(SparkleItems { namespaces: feed.namespaces.clone(), items }),
    })
}

fn check_item(item: &AppcastItem, known: &KnownFiles<'_>, is_signed: bool) -> Result<SparkleItem, FeedError> {
    let mut enclosures = Vec::with_capacity(item.enclosures.len());
    for enclosure in &item.enclosures {
        let Some(file) = known.find(&enclosure.url) else {
            return Err(FeedError::named(FEED, &enclosure.url, "listed and not uploaded"));
        };
        if is_signed && !is_http_url(&enclosure.url) {
            return Err(FeedError::named(FEED, &enclosure.url, "not absolute in a signed appcast"));
        }
        check_length(&file, enclosure.length)?;
        enclosures.push(SparkleEnclosure { file_name: file.name.to_owned(), url_at: enclosure.url_at });
    }
    Ok(SparkleItem { xml: item.xml.clone(), enclosures })
}

fn check_length(file: &KnownFile<'_>, length: Option<u64>) -> Result<(), FeedError> {
    match length {
        Some(length) => file.check_size(FEED, length),
        None => Err(FeedError::named(FEED, file.name, "enclosure without length")),
    }
}
