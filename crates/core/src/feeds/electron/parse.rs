//! Parses `*.yml`.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::yaml::{self, Node};
use super::{ElectronFile, ElectronInfo, ElectronNote, ElectronNotes, ElectronPackage, ElectronYml, FEED};
use crate::feeds::text::{LONG_NAME, decode, is_hex, is_too_long};
use crate::feeds::{FeedError, FeedPlace, MAX_FEED_ENTRIES};
use crate::{InvalidValue, TextRule as _};

/// The rules for digests and packages.
const SHA512: &str = "a SHA-512 in base64 or hexadecimal";
const PACKAGES: &str = "a map with a package for each architecture";
/// Length of a SHA-512, in bytes.
const SHA512_BYTES: usize = 64;

/// Maximum number of packages of a web installer: one for each architecture, of which
/// electron-builder supports five.
const MAX_PACKAGES: usize = 32;

/// Parses a feed. Ignores unknown keys, and `stagingPercentage`: the rollout is set with the release. Feeds
/// of old builders have `path` and `sha512` instead of `files`. Newer ones may have both, with `path`
/// repeating one of the files.
pub(in crate::feeds) fn parse(bytes: &[u8]) -> Result<ElectronYml, FeedError> {
    let root = yaml::parse(decode(FEED, bytes)?)?;
    if !matches!(root, Node::Map(_)) {
        return Err(FeedError::whole(FEED, "not a map of keys, as electron-builder writes it"));
    }
    let no_feed = || "is not a feed of electron-builder, because it has no version: leave it out".to_owned();
    let version = text(&root, "version")?.ok_or_else(|| FeedError::about(FEED, no_feed()))?;
    Ok(ElectronYml(ElectronInfo {
        version,
        files: files(&root)?,
        packages: packages(&root)?,
        release_date: text(&root, "releaseDate")?,
        release_name: text(&root, "releaseName")?,
        release_notes: notes(&root)?,
        minimum_system_version: text(&root, "minimumSystemVersion")?,
    }))
}

fn text(map: &Node, key: &'static str) -> Result<Option<String>, FeedError> {
    match map.get(key) {
        None => Ok(None),
        Some(Node::Text(text)) => Ok(Some(text.clone())),
        Some(_) => Err(FeedError::in_part(FEED, key, "a text, not a list or a map")),
    }
}

fn files(root: &Node) -> Result<Vec<ElectronFile>, FeedError> {
    let mut files = Vec::new();
    match root.get("files") {
        None => {}
        Some(Node::List(list)) if list.len() > MAX_FEED_ENTRIES => {
            return Err(FeedError::whole(FEED, format!("more than {MAX_FEED_ENTRIES} files")));
        }
        Some(Node::List(list)) => {
            for (position, node) in list.iter().enumerate() {
                let fail = |problem: Cow<'static, str>| {
                    FeedError::new(FEED, FeedPlace::Entry("files", position), problem)
                };
                files.push(file(node, "url").map_err(fail)?);
            }
        }
        Some(_) => {
            return Err(FeedError::in_part(FEED, "files", "a list of files, each with url and sha512"));
        }
    }
    if files.is_empty() && root.get("path").is_some() {
        files.push(file(root, "path").map_err(|problem| FeedError::in_part(FEED, "path", problem))?);
    }
    if files.is_empty() {
        Err(FeedError::in_part(FEED, "files", "missing: it lists each file with url and sha512"))
    } else {
        Ok(files)
    }
}

fn packages(root: &Node) -> Result<Vec<ElectronPackage>, FeedError> {
    let Some(node) = root.get("packages") else { return Ok(Vec::new()) };
    let Node::Map(entries) = node else { return Err(FeedError::in_part(FEED, "packages", PACKAGES)) };
    if entries.len() > MAX_PACKAGES {
        return Err(FeedError::whole(FEED, format!("more than {MAX_PACKAGES} packages")));
    }
    let package = |(arch, node): &(String, Node)| {
        let file = file(node, "path").map_err(|problem| FeedError::in_part(FEED, arch, problem))?;
        Ok(ElectronPackage { arch: arch.clone(), file })
    };
    entries.iter().map(package).collect()
}

fn file(node: &Node, name: &str) -> Result<ElectronFile, Cow<'static, str>> {
    let file_name = node.get(name).and_then(Node::as_text).filter(|t| !t.is_empty());
    let file_name = file_name.ok_or_else(|| format!("missing {name}, the name of the file"))?;
    if is_too_long(file_name) {
        return Err(LONG_NAME.into());
    }
    Ok(ElectronFile {
        file_name: file_name.to_owned(),
        sha512: read(node, "sha512", SHA512, normal_sha512)?.ok_or("missing sha512")?,
        size: read(node, "size", u64::RULE, |text| text.parse().ok())?,
        block_map_size: read(node, "blockMapSize", u64::RULE, |text| text.parse().ok())?,
        is_admin_rights_required: read(node, "isAdminRightsRequired", bool::RULE, |text| text.parse().ok())?,
    })
}

/// The value under `key`. The error has the key, the rule and the value.
fn read<T>(
    node: &Node,
    key: &'static str,
    rule: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, String> {
    let Some(node) = node.get(key) else { return Ok(None) };
    let Some(text) = node.as_text() else { return Err(format!("{key}: {rule}, not a list or a map")) };
    read(text).map(Some).ok_or_else(|| InvalidValue::of_text(key, rule, text).to_string())
}

/// The digest as base64. Old builders write hexadecimal, which clients also read.
fn normal_sha512(text: &str) -> Option<String> {
    let text = text.trim();
    if is_hex(text, 2 * SHA512_BYTES) {
        return hex_to_base64(text);
    }
    let bytes = STANDARD.decode(text).ok()?;
    (bytes.len() == SHA512_BYTES).then(|| text.to_owned())
}

/// Hexadecimal digits as base64.
pub(super) fn hex_to_base64(hex: &str) -> Option<String> {
    let pair = |at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(pair).collect();
    Some(STANDARD.encode(bytes?))
}

fn notes(root: &Node) -> Result<Option<ElectronNotes>, FeedError> {
    let fail = || FeedError::in_part(FEED, "releaseNotes", "neither a text nor a list of notes");
    let note = |node: &Node| {
        let version = node.get("version").and_then(Node::as_text)?.to_owned();
        Some(ElectronNote { version, note: node.get("note").and_then(Node::as_text).map(str::to_owned) })
    };
    match root.get("releaseNotes") {
        None => Ok(None),
        Some(Node::Text(text)) => Ok(Some(ElectronNotes::Text(text.clone()))),
        Some(Node::List(list)) => {
            let list: Option<Vec<_>> = list.iter().map(note).collect();
            list.map(ElectronNotes::List).map(Some).ok_or_else(fail)
        }
        Some(_) => Err(fail()),
    }
}
