//! Reading `releases.{channel}.json`.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::{FEED, VelopackAsset, VelopackAssetKind};
use crate::feeds::text::{decode, is_hex};
use crate::feeds::{FeedError, MAX_FEED_ENTRIES, Place};

/// A feed of Velopack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VelopackIndex {
    /// Its assets in the order written, each file name once.
    pub assets: Vec<VelopackAsset>,
}

impl VelopackIndex {
    /// Several feeds as one; an asset may stand in more than one of them.
    pub(in crate::feeds) fn merge<'a>(feeds: impl Iterator<Item = &'a Self>) -> Result<Self, FeedError> {
        unique(feeds.flat_map(|feed| feed.assets.iter().cloned())).map(|assets| Self { assets })
    }
}

/// An object by lower-case names. The same name in two spellings is fine when both have the same value, as in feeds
/// that serve both kinds of client.
struct Properties(HashMap<String, Value>);

/// Reads a feed. Unknown properties are ignored, `null` is the same as absent, assets of kinds that do not exist yet
/// are skipped.
pub(in crate::feeds) fn parse(bytes: &[u8]) -> Result<VelopackIndex, FeedError> {
    let not_a_feed = |_| FeedError::whole(FEED, "not a JSON object with Assets");
    let text = decode(FEED, bytes)?;
    let Properties(mut properties) = serde_json::from_str(text).map_err(not_a_feed)?;
    let Some(Value::Array(list)) = properties.remove("assets") else {
        return Err(FeedError::whole(FEED, "not a JSON object with Assets"));
    };
    if list.len() > MAX_FEED_ENTRIES {
        return Err(FeedError::whole(FEED, "too many assets"));
    }
    let mut assets = Vec::with_capacity(list.len());
    for (position, value) in list.into_iter().enumerate() {
        let fail = |problem| FeedError::new(FEED, Place::Entry("Assets", position), problem);
        let properties =
            Properties::deserialize(value).map_err(|_| fail("not an object, or a property stands twice"))?;
        assets.extend(parse_asset(&properties).map_err(fail)?);
    }
    unique(assets.into_iter()).map(|assets| VelopackIndex { assets })
}

fn unique(assets: impl Iterator<Item = VelopackAsset>) -> Result<Vec<VelopackAsset>, FeedError> {
    let mut by_name: HashMap<String, usize> = HashMap::new();
    let mut unique: Vec<VelopackAsset> = Vec::new();
    for asset in assets {
        match by_name.get(&asset.file_name).and_then(|at| unique.get(*at)) {
            Some(same) if *same == asset => {}
            Some(_) => return Err(FeedError::named(FEED, &asset.file_name, "listed twice")),
            None => {
                by_name.insert(asset.file_name.clone(), unique.len());
                unique.push(asset);
            }
        }
    }
    Ok(unique)
}

fn parse_asset(properties: &Properties) -> Result<Option<VelopackAsset>, &'static str> {
    let kind = match properties.text("type").ok_or("missing Type")? {
        "Full" => VelopackAssetKind::Full,
        "Delta" => VelopackAssetKind::Delta,
        "Portable" => VelopackAssetKind::Portable,
        "Installer" => VelopackAssetKind::Installer,
        "Msi" => VelopackAssetKind::Msi,
        _ => return Ok(None),
    };
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
        file_name: properties.text("filename").ok_or("missing FileName")?.to_owned(),
        sha1: sha1.to_owned(),
        sha256: sha256.map(str::to_owned),
        size: properties.0.get("size").and_then(Value::as_u64).ok_or("Size is not a number")?,
        notes_markdown: properties.text("notesmarkdown").map(str::to_owned),
        notes_html: properties.text("noteshtml").map(str::to_owned),
    }))
}

impl Properties {
    /// A text that is there and not empty.
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }
}

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Properties;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties, A::Error> {
                let mut properties = HashMap::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    let name = name.to_ascii_lowercase();
                    if properties.get(&name).is_some_and(|known| *known != value) {
                        return Err(serde::de::Error::custom("property stands twice"));
                    }
                    properties.insert(name, value);
                }
                Ok(Properties(properties))
            }
        }

        deserializer.deserialize_map(Object)
    }
}
