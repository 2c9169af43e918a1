//! Edits an item before it is stored: removes enclosures of other architectures, and adds lengths.

use super::{AppcastEnclosure, SparkleEnclosure, SparkleItem};

/// An enclosure to keep, with its file name and the length to insert.
pub(super) struct KeptEnclosure<'a> {
    pub(super) enclosure: &'a AppcastEnclosure,
    pub(super) file_name: &'a str,
    pub(super) length: Option<u64>,
}

/// The item with these enclosures and without the others. Everything else stays byte for byte.
pub(super) fn edited(xml: &str, enclosures: &[AppcastEnclosure], kept: &[KeptEnclosure<'_>]) -> SparkleItem {
    let is_kept =
        |one: &&AppcastEnclosure| kept.iter().any(|kept| kept.enclosure.element_at == one.element_at);
    let gone = enclosures.iter().filter(|one| !is_kept(one)).map(|one| (one.element_at, String::new()));
    let lengths = kept.iter().filter_map(|kept| Some(length(kept.enclosure, kept.length?)));
    let mut changes: Vec<((usize, usize), String)> = gone.chain(lengths).collect();
    changes.sort_by_key(|(at, _)| *at);
    let (mut edited, mut copied) = (String::with_capacity(xml.len()), 0);
    for ((start, end), text) in &changes {
        edited.push_str(xml.get(copied..*start).unwrap_or_default());
        edited.push_str(text);
        copied = *end;
    }
    edited.push_str(xml.get(copied..).unwrap_or_default());
    let moved = |at: usize| {
        let before = changes.iter().filter(|((_, end), _)| *end <= at);
        before.fold(at, |at, ((start, end), text)| at + text.len() - (end - start))
    };
    let enclosure = |kept: &KeptEnclosure<'_>| {
        let (start, end) = kept.enclosure.url_at;
        SparkleEnclosure { file_name: kept.file_name.to_owned(), url_at: (moved(start), moved(end)) }
    };
    SparkleItem { xml: edited, enclosures: kept.iter().map(enclosure).collect() }
}

/// The edit that sets an enclosure's length. A missing attribute is inserted after the quote of the
/// URL.
fn length(enclosure: &AppcastEnclosure, length: u64) -> ((usize, usize), String) {
    if let Some(at) = enclosure.length_at {
        return (at, length.to_string());
    }
    let after = enclosure.url_at.1 + 1;
    ((after, after), format!(" length=\"{length}\""))
}
