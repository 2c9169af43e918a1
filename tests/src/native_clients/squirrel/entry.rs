//! The lines of `RELEASES`.

use std::sync::LazyLock;

use percent_encoding::percent_decode_str;
use regex::Regex;
use url::Url;

use super::version::PackageVersion;

/// A non-blank line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// 40 hexadecimal digits.
    pub sha1: String,
    /// File name of the package. It is decoded if the line has a URL.
    pub file_name: String,
    /// The URL without the file name, if the line has a URL.
    pub base_url: Option<String>,
    /// Query of that URL with its `?`, or empty.
    pub query: String,
    /// Size in bytes.
    pub size: u64,
    /// Percentage of installations that may have it. `None`: all, including setups.
    pub staging_percent: Option<u8>,
    /// Version in the file name.
    pub version: PackageVersion,
    /// Whether it is a delta from the previous version.
    pub is_delta: bool,
}

macro_rules! expression {
    ($name:ident, $text:literal) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("an expression"));
    };
}

expression!(COMMENT, r"\s*#.*$");
expression!(LINE, r"^([0-9a-fA-F]{40})\s+(\S+)\s+([0-9]+)\r*$");
// Matched on the unchanged line: with CR LF line ends there is no staging.
expression!(STAGING, r"#\s+([0-9]{1,3})%$");
expression!(SUFFIX, r"(-full|-delta)?\.nupkg$");
expression!(VERSION, r"[0-9]+(\.[0-9]+){0,3}(-[A-Za-z][0-9A-Za-z-]*)?$");

/// Reads a `RELEASES` file.
pub fn parse(bytes: &[u8]) -> Result<Vec<Entry>, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.split('\n').filter(|line| !line.trim().is_empty());
    lines.filter_map(|line| entry(line).transpose()).collect()
}

fn entry(line: &str) -> Result<Option<Entry>, String> {
    let without_comment = COMMENT.replace(line, "");
    if without_comment.trim().is_empty() {
        return Ok(None);
    }
    let invalid = || format!("Invalid release entry: {line}");
    let parts = LINE.captures(&without_comment).ok_or_else(invalid)?;
    let location = Location::of(&parts[2])?;
    let staging_percent =
        STAGING.captures(line).map(|parts| parts[1].parse()).transpose().map_err(|_| invalid())?;
    Ok(Some(Entry {
        sha1: parts[1].to_owned(),
        size: parts[3].parse().map_err(|_| invalid())?,
        staging_percent,
        version: version_of(&location.file_name)?,
        is_delta: location.file_name.to_ascii_lowercase().ends_with("-delta.nupkg"),
        file_name: location.file_name,
        base_url: location.base_url,
        query: location.query,
    }))
}

fn version_of(file_name: &str) -> Result<PackageVersion, String> {
    let stem = SUFFIX.replace(file_name, "");
    let version = VERSION.find(&stem).ok_or_else(|| format!("{file_name}: no version in the name"))?;
    PackageVersion::parse(version.as_str())
}

struct Location {
    base_url: Option<String>,
    file_name: String,
    query: String,
}

impl Location {
    /// Parses a file name or an absolute URL.
    fn of(text: &str) -> Result<Self, String> {
        let location = if text.starts_with("http://") || text.starts_with("https://") {
            Self::of_url(text)?
        } else {
            Self { base_url: None, file_name: text.to_owned(), query: String::new() }
        };
        let invalid = |letter: char| letter.is_control() || "\"<>|:*?\\/".contains(letter);
        if location.file_name.is_empty() || location.file_name.contains(invalid) {
            return Err(format!("Filename can either be an absolute HTTP[s] URL, *or* a file name: {text}"));
        }
        Ok(location)
    }

    fn of_url(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| format!("{text}: {error}"))?;
        let path =
            percent_decode_str(url.path()).decode_utf8().map_err(|error| format!("{text}: {error}"))?;
        let (folder, file_name) = path.rsplit_once('/').unwrap_or(("", &path));
        let base_url = format!("{}{folder}/", url.origin().ascii_serialization());
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        Ok(Self { base_url: Some(base_url), file_name: file_name.to_owned(), query })
    }
}
