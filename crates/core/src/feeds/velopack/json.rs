//! Streaming JSON parser for Velopack feeds. It skips unused values without storing them, so that memory
//! stays within the size of the feed.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::feeds::MAX_FEED_ENTRIES;

/// The asset properties that are used, in lower case.
const USED: [&str; 9] =
    ["packageid", "version", "type", "filename", "sha1", "sha256", "size", "notesmarkdown", "noteshtml"];

/// `{"Assets": [...]}`. Parsing stops after one entry more than the limit, which shows that there
/// are too many.
pub(super) struct ParsedIndex(pub(super) Option<Vec<AssetProperties>>);

/// An asset with its properties by lower-case name.
pub(super) struct AssetProperties {
    properties: HashMap<String, Property>,
    /// Whether a property occurs twice with different values, in one spelling or two. The same
    /// value twice is fine: feeds for both kinds of client have that.
    pub(super) is_ambiguous: bool,
}

#[derive(PartialEq)]
enum Property {
    Text(String),
    Number(u64),
    Other,
}

impl AssetProperties {
    /// A text that is neither missing nor empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.properties.get(name) {
            Some(Property::Text(text)) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// A non-negative integer, if present.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        if let Some(Property::Number(number)) = self.properties.get(name) { Some(*number) } else { None }
    }
}

struct AssetList(Vec<AssetProperties>);

struct IndexVisitor;
struct ListVisitor;
struct AssetVisitor;
struct PropertyVisitor;

impl<'de> Visitor<'de> for IndexVisitor {
    type Value = ParsedIndex;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ParsedIndex, A::Error> {
        let mut assets = None;
        while let Some(name) = map.next_key::<String>()? {
            if !name.eq_ignore_ascii_case("assets") {
                map.next_value::<IgnoredAny>()?;
            } else if assets.replace(map.next_value::<AssetList>()?.0).is_some() {
                return Err(serde::de::Error::custom("two lists"));
            }
        }
        Ok(ParsedIndex(assets))
    }
}

impl<'de> Visitor<'de> for ListVisitor {
    type Value = AssetList;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<AssetList, A::Error> {
        let mut list = Vec::new();
        while list.len() <= MAX_FEED_ENTRIES {
            let Some(asset) = seq.next_element()? else { return Ok(AssetList(list)) };
            list.push(asset);
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(AssetList(list))
    }
}

impl<'de> Visitor<'de> for AssetVisitor {
    type Value = AssetProperties;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AssetProperties, A::Error> {
        let mut asset = AssetProperties { properties: HashMap::new(), is_ambiguous: false };
        while let Some(name) = map.next_key::<String>()? {
            let name = name.to_ascii_lowercase();
            if !USED.contains(&name.as_str()) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value: Property = map.next_value()?;
            asset.is_ambiguous |= asset.properties.get(&name).is_some_and(|known| *known != value);
            asset.properties.insert(name, value);
        }
        Ok(asset)
    }
}

impl<'de> Visitor<'de> for PropertyVisitor {
    type Value = Property;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Property, E> {
        Ok(Property::Text(text.to_owned()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Property, E> {
        Ok(Property::Number(number))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Property, E> {
        Ok(Property::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Property, E> {
        Ok(Property::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Property, E> {
        Ok(Property::Other)
    }

    fn visit_unit<E>(self) -> Result<Property, E> {
        Ok(Property::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Property, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Property::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Property, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Property::Other)
    }
}

impl<'de> Deserialize<'de> for ParsedIndex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(IndexVisitor)
    }
}

impl<'de> Deserialize<'de> for AssetList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor)
    }
}

impl<'de> Deserialize<'de> for AssetProperties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(AssetVisitor)
    }
}

impl<'de> Deserialize<'de> for Property {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PropertyVisitor)
    }
}
