//! Reading `*.yml`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::yaml::{self, Node};
use super::{ElectronFile, ElectronInfo, ElectronNote, ElectronNotes, ElectronPackage, ElectronYml, FEED};
use crate::feeds::text::{LONG_NAME, decode, is_hex, is_too_long};
use crate::feeds::{FeedError, MAX_FEED_ENTRIES, Place};

/// Bytes of a SHA-512.
const SHA512_BYTES: usize = 64;

/// Most packages of a web installer: one for each architecture, of which electron-builder knows five.
const MAX_PACKAGES: usize = 32;

/// Parses a feed. Ignores unknown keys, and `stagingPercentage`: the rollout is set with the release. Feeds of old
/// builders have `path` and `sha512` instead of `files`. Newer ones may have both, with `path` repeating one of the
/// files.
pub(in crate::feeds) fn parse(bytes: &[u8]) -> Result<ElectronYml, FeedError> {
    let root = yaml::parse(decode(FEED, bytes)?)?;
    if !matches!(root, Node::Map(_)) {
        return Err(FeedError::whole(FEED, "not a map"));
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
        Some(_) => Err(FeedError::named(FEED, key, "not a text")),
    }
}

fn files(root: &Node) -> Result<Vec<ElectronFile>, FeedError> {
    let mut files = Vec::new();
    match root.get("files") {
        None => {}
        Some(Node::List(list)) if list.len() > MAX_FEED_ENTRIES => {
            return Err(FeedError::whole(FEED, "too many files"));
        }
        Some(Node::List(list)) => {
            for (position, node) in list.iter().enumerate() {
                let fail = |problem| FeedError::new(FEED, Place::Entry("files", position), problem);
                files.push(file(node, "url").map_err(fail)?);
            }
        }
        Some(_) => return Err(FeedError::named(FEED, "files", "not a list")),
    }
    if files.is_empty() && root.get("path").is_some() {
        files.push(file(root, "path").map_err(|problem| FeedError::named(FEED, "path", problem))?);
    }
    if files.is_empty() { Err(FeedError::named(FEED, "files", "missing")) } else { Ok(files) }
}

fn packages(root: &Node) -> Result<Vec<ElectronPackage>, FeedError> {
    let Some(node) = root.get("packages") else { return Ok(Vec::new()) };
    let Node::Map(entries) = node else { return Err(FeedError::named(FEED, "packages", "not a map")) };
    if entries.len() > MAX_PACKAGES {
        return Err(FeedError::whole(FEED, "too many packages"));
    }
    let package = |(arch, node): &(String, Node)| {
        let file = file(node, "path").map_err(|problem| FeedError::named(FEED, arch, problem))?;
        Ok(ElectronPackage { arch: arch.clone(), file })
    };
    entries.iter().map(package).collect()
}

fn file(node: &Node, name: &str) -> Result<ElectronFile, &'static str> {
    let file_name = node.get(name).and_then(Node::as_text).filter(|t| !t.is_empty()).ok_or("no address")?;
    if is_too_long(file_name) {
        return Err(LONG_NAME);
    }
    let sha512 = node.get("sha512").and_then(Node::as_text).ok_or("missing sha512")?;
    let flag = match node.get("isAdminRightsRequired").map(Node::as_text) {
        None => None,
        Some(Some("true")) => Some(true),
        Some(Some("false")) => Some(false),
        Some(_) => return Err("isAdminRightsRequired is not a boolean"),
    };
    Ok(ElectronFile {
        file_name: file_name.to_owned(),
        sha512: normal_sha512(sha512).ok_or("sha512 is not a digest")?,
        size: number(node, "size").map_err(|()| "size is not a number")?,
        block_map_size: number(node, "blockMapSize").map_err(|()| "blockMapSize is not a number")?,
        is_admin_rights_required: flag,
    })
}

/// The number under `key`. Fails if there is a value that is not a number.
fn number(node: &Node, key: &str) -> Result<Option<u64>, ()> {
    let number = |node: &Node| node.as_text().and_then(|text| text.parse().ok()).ok_or(());
    node.get(key).map(number).transpose()
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
    let fail = || FeedError::named(FEED, "releaseNotes", "neither a text nor a list of notes");
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
