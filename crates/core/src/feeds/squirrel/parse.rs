//! Parses `RELEASES`.

use std::collections::HashSet;

use super::FEED;
use crate::feeds::text::{LONG_NAME, candidates, decode, is_hex, is_http_url, is_too_long};
use crate::feeds::{FeedError, FeedPlace, MAX_FEED_ENTRIES};

/// Maximum length of a line, in bytes: enough for the longest URL that browsers accept.
const MAX_LINE_BYTES: usize = 4096;

/// A `RELEASES` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Releases {
    /// Its packages in their original order, each name once.
    pub lines: Vec<ReleasesLine>,
}

/// One package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReleasesLine {
    /// 40 hexadecimal digits, in the case written.
    pub sha1: String,
    /// A file name or an absolute URL, as written.
    pub reference: String,
    /// Bytes.
    pub size: u64,
    /// Percentage of clients that the line is for, 0-100, if given. It must equal the release's
    /// rollout, which is set with the release.
    pub staging: Option<u8>,
}

impl Releases {
    /// Returns the only file, because an upload cannot contain two with this name.
    pub(in crate::feeds) fn merge<'a>(feeds: impl Iterator<Item = &'a Self>) -> Result<Self, FeedError> {
        let lines: Vec<_> = feeds.flat_map(|feed| feed.lines.iter().cloned()).collect();
        refuse_duplicates(&lines).map(|()| Self { lines })
    }
}

impl ReleasesLine {
    /// The file name: percent-decoded if the reference is a URL, as clients do.
    pub(super) fn file_name(&self) -> String {
        let names = candidates(&self.reference);
        let name = if is_http_url(&self.reference) { names.last() } else { names.first() };
        name.cloned().unwrap_or_default()
    }
}

/// Parses `RELEASES`. Accepts a byte order mark, CRLF, blank lines and comments. Also accepts names
/// with spaces, which clients do not understand: they are served as encoded URLs.
pub(in crate::feeds) fn parse(bytes: &[u8]) -> Result<Releases, FeedError> {
    let mut lines = Vec::new();
    for (position, raw) in decode(FEED, bytes)?.split('\n').enumerate() {
        let fail = |problem| FeedError::new(FEED, FeedPlace::Line(position + 1), problem);
        if raw.len() > MAX_LINE_BYTES {
            return Err(fail("too long"));
        }
        if let Some(line) = parse_line(raw.trim_end_matches('\r')).map_err(fail)? {
            if lines.len() == MAX_FEED_ENTRIES {
                return Err(fail("too many packages"));
            }
            lines.push(line);
        }
    }
    refuse_duplicates(&lines).map(|()| Releases { lines })
}

fn refuse_duplicates(lines: &[ReleasesLine]) -> Result<(), FeedError> {
    let mut seen = HashSet::with_capacity(lines.len());
    match lines.iter().map(ReleasesLine::file_name).find(|name| !seen.insert(name.clone())) {
        Some(name) => Err(FeedError::in_part(FEED, &name, "listed twice")),
        None => Ok(()),
    }
}

/// Parses `SHA1 name size` with an optional comment that may hold the staging. `None`: a line without a
/// package.
fn parse_line(line: &str) -> Result<Option<ReleasesLine>, &'static str> {
    let (package, comment) = line.split_once('#').map_or((line, None), |(p, c)| (p, Some(c)));
    let package = package.trim();
    if package.is_empty() {
        return Ok(None);
    }
    let (sha1, rest) = package.split_once(char::is_whitespace).ok_or("not a package")?;
    let (reference, size) = rest.rsplit_once(char::is_whitespace).ok_or("not a package")?;
    let reference = reference.trim();
    if !is_hex(sha1, 40) {
        return Err("SHA1 is not 40 hexadecimal digits");
    }
    if size.is_empty() || !size.bytes().all(|b| b.is_ascii_digit()) {
        return Err("size is not a number");
    }
    let size = size.parse().map_err(|_| "size is not a number")?;
    // Clients reject relative paths. A URL must end with a file name.
    if reference.contains('\\') || (reference.contains('/') && !is_http_url(reference)) {
        return Err("neither a file name nor an absolute address");
    }
    let line = ReleasesLine {
        sha1: sha1.to_owned(),
        reference: reference.to_owned(),
        size,
        staging: comment.map(staging).transpose()?.flatten(),
    };
    let name = line.file_name();
    if name.is_empty() || name.contains(['/', '\\']) {
        return Err("neither a file name nor an absolute address");
    }
    if is_too_long(&line.reference) { Err(LONG_NAME) } else { Ok(Some(line)) }
}

/// The percentage in a comment like ` 10%`. `None`: another comment.
fn staging(comment: &str) -> Result<Option<u8>, &'static str> {
    let Some(digits) = comment.trim().strip_suffix('%') else { return Ok(None) };
    if digits.is_empty() || digits.len() > 3 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(None);
    }
    match digits.parse() {
        Ok(percent @ 0..=100) => Ok(Some(percent)),
        _ => Err("staging is above 100 percent"),
    }
}
