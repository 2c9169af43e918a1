//! Compares an appcast with the upload that it belongs to.

use std::collections::HashSet;

use super::edit::{KeptEnclosure, edited};
use super::{Appcast, AppcastItem, FEED, SignedAppcast, SparkleFeed, SparkleItem, SparkleItems};
use crate::feeds::facts::KnownFiles;
use crate::feeds::text::is_http_url;
use crate::feeds::{FeedError, UploadFacts};

/// Packages that are uploaded for people to read, and need no enclosure.
const NOT_ARCHIVES: [&str; 5] = ["html", "htm", "md", "txt", "json"];

/// Requires, for every uploaded archive, an enclosure in an item of the release's version
/// (`sparkle:shortVersionString` or `sparkle:version`). Items of other versions are history and
/// ignored. An item whose files are all unknown belongs to another architecture. In an item with an
/// enclosure for each processor, only those of this architecture are kept: its copies must not be
/// offered a file that they cannot run. An item without files, which informs people of an update,
/// is kept.
///
/// An enclosure with a missing or zero length gets the length of its file. The bytes of a signed
/// appcast are served unchanged, so its URLs must be absolute.
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
        items.push(check_item(item, &known, facts, feed.signed.is_some())?);
        seen.extend(files.into_iter().flatten().map(|file| file.name));
    }
    for entry in facts.files {
        let name = entry.name.as_str();
        if !NOT_ARCHIVES.contains(&entry.name.package().as_str()) && !seen.contains(name) {
            return Err(FeedError::in_part(
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

fn check_item(
    item: &AppcastItem,
    known: &KnownFiles<'_>,
    facts: &UploadFacts<'_>,
    is_signed: bool,
) -> Result<SparkleItem, FeedError> {
    let here = item.enclosures.iter().filter_map(|enclosure| known.find(&enclosure.url));
    let here: Vec<&str> = here.map(|file| file.name).collect();
    let mut kept = Vec::with_capacity(item.enclosures.len());
    for enclosure in &item.enclosures {
        let Some(file) = known.find(&enclosure.url) else {
            if facts.is_elsewhere(&enclosure.url, &here) {
                continue;
            }
            return Err(FeedError::in_part(FEED, &enclosure.url, "listed and not uploaded"));
        };
        if is_signed && !is_http_url(&enclosure.url) {
            return Err(FeedError::in_part(FEED, &enclosure.url, "not absolute in a signed appcast"));
        }
        let given = enclosure.length.filter(|length| *length > 0);
        if let Some(length) = given {
            file.check_size(FEED, length)?;
        }
        let length = if given.is_none() { file.entry.and_then(|entry| entry.length) } else { None };
        kept.push(KeptEnclosure { enclosure, file_name: file.name, length });
    }
    Ok(edited(&item.xml, &item.enclosures, &kept))
}
