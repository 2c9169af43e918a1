//! Parses `releases.{channel}.json`.

use std::collections::{HashMap, HashSet};

use super::json::{AssetProperties, ParsedIndex};
use super::{FEED, VelopackAsset, VelopackAssetKind};
use crate::feeds::text::{LONG_NAME, decode, is_hex, is_too_long};
use crate::feeds::{FeedError, FeedPlace, MAX_FEED_ENTRIES};

/// A feed of Velopack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VelopackIndex {
    /// Its assets in their original order, each file name once.
    pub assets: Vec<VelopackAsset>,
}

impl VelopackIndex {
    /// Merges feeds; the same asset may appear in several.
    pub(in crate::feeds) fn merge<'a>(feeds: impl Iterator<Item = &'a Self>) -> Result<Self, FeedError> {
        unique(feeds.flat_map(|feed| feed.assets.iter().cloned())).map(|assets| Self { assets })
    }
}

/// Parses a feed. Unknown properties are ignored, `null` means absent, and assets of unknown types are
/// skipped.
pub(in crate::feeds) fn parse(bytes: &[u8]) -> Result<VelopackIndex, FeedError> {
    let not_a_feed = FeedError::whole(FEED, "not a JSON object with Assets");
    let Ok(ParsedIndex(Some(list))) = serde_json::from_str(decode(FEED, bytes)?) else {
        return Err(not_a_feed);
    };
    if list.len() > MAX_FEED_ENTRIES {
        return Err(FeedError::whole(FEED, "too many assets"));
    }
    let mut assets = Vec::with_capacity(list.len());
    for (position, asset) in list.iter().enumerate() {
        let fail = |problem| FeedError::new(FEED, FeedPlace::Entry("Assets", position), problem);
        assets.extend(parse_asset(asset).map_err(fail)?);
    }
    let mut seen = HashSet::with_capacity(assets.len());
    match assets.iter().find(|asset| !seen.insert(asset.file_name.as_str())) {
        Some(asset) => Err(FeedError::in_part(FEED, &asset.file_name, "listed twice")),
        None => Ok(VelopackIndex { assets }),
    }
}

fn unique(assets: impl Iterator<Item = VelopackAsset>) -> Result<Vec<VelopackAsset>, FeedError> {
    let mut by_name: HashMap<String, usize> = HashMap::new();
    let mut unique: Vec<VelopackAsset> = Vec::new();
    for asset in assets {
        match by_name.get(&asset.file_name).and_then(|at| unique.get(*at)) {
            Some(same) if *same == asset => {}
            Some(_) => return Err(FeedError::in_part(FEED, &asset.file_name, "listed twice")),
            None => {
                by_name.insert(asset.file_name.clone(), unique.len());
                unique.push(asset);
            }
        }
    }
    Ok(unique)
}

fn parse_asset(properties: &AssetProperties) -> Result<Option<VelopackAsset>, &'static str> {
    if properties.is_ambiguous {
        return Err("a property stands twice");
    }
    let kind = match properties.text("type").ok_or("missing Type")? {
        "Full" => VelopackAssetKind::Full,
        "Delta" => VelopackAssetKind::Delta,
        "Portable" => VelopackAssetKind::Portable,
        "Installer" => VelopackAssetKind::Installer,
        "Msi" => VelopackAssetKind::Msi,
        _ => return Ok(None),
    };
    let file_name = properties.text("filename").ok_or("missing FileName")?;
    if is_too_long(file_name) {
        return Err(LONG_NAME);
    }
    let sha1 = properties.text("sha1").ok_or("missing SHA1")?;
    let sha256 = properties.text("sha256");
    if !is_hex(sha1, 40) {
        return Err("SHA1 is not 40 hexadecimal digits");
    }
    if sha256.is_some_and(|digest| !is_hex(digest, 64)) {
        return Err("SHA256 is not 64 hexadecimal digits");
    }
    Ok(Some(VelopackAsset {
        package_id: properties.text("packageid").ok_or("missing PackageId")?.to_owned(),
        version: properties.text("version").ok_or("missing Version")?.to_owned(),
        kind,
        file_name: file_name.to_owned(),
        sha1: sha1.to_owned(),
        sha256: sha256.map(str::to_owned),
        size: properties.number("size").ok_or("Size is not a number")?,
        notes_markdown: properties.text("notesmarkdown").map(str::to_owned),
        notes_html: properties.text("noteshtml").map(str::to_owned),
    }))
}
