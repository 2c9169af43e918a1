//! The common form of the answers to changes of applications, channels, platforms and architectures.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spindrift_core::Id;

/// A kind of item that an owner defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatalogKind {
    /// Applications.
    App,
    /// Channels.
    Channel,
    /// Platforms.
    Platform,
    /// Architectures.
    Arch,
}

impl CatalogKind {
    const fn word(self) -> &'static str {
        match self {
            Self::App => "App",
            Self::Channel => "Channel",
            Self::Platform => "Platform",
            Self::Arch => "Arch",
        }
    }
}

/// The answer to a change: one key, such as `createAppResult.Created`, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultBody<T> {
    key: String,
    /// The result: an id, `true` or a count.
    pub value: T,
}

impl ResultBody<Id> {
    /// The answer to a creation: the id of the new item.
    pub fn created(kind: CatalogKind, id: Id) -> Self {
        Self { key: format!("create{}Result.Created", kind.word()), value: id }
    }
}

impl ResultBody<bool> {
    /// The answer to a change of an item.
    pub fn updated(kind: CatalogKind) -> Self {
        Self { key: format!("update{}Result.Updated", kind.word()), value: true }
    }
}

impl ResultBody<u64> {
    /// The answer to a deletion of one item.
    pub fn deleted(kind: CatalogKind) -> Self {
        Self { key: format!("delete{}Result.DeletedCount", kind.word()), value: 1 }
    }
}

impl<T: Serialize> Serialize for ResultBody<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(&self.key, &self.value)?;
        map.end()
    }
}

/// Accepts any single key.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for ResultBody<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut entries = BTreeMap::<String, T>::deserialize(deserializer)?.into_iter();
        match (entries.next(), entries.next()) {
            (Some((key, value)), None) => Ok(Self { key, value }),
            _ => Err(D::Error::custom("expected one key")),
        }
    }
}

/// A boolean, written as a JSON boolean or as the text `true` or `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BoolOrText")]
pub struct Switch(pub bool);

#[derive(Deserialize)]
#[serde(untagged)]
enum BoolOrText {
    Bool(bool),
    Text(String),
}

impl TryFrom<BoolOrText> for Switch {
    type Error = &'static str;

    fn try_from(value: BoolOrText) -> Result<Self, Self::Error> {
        match value {
            BoolOrText::Bool(value) => Ok(Self(value)),
            BoolOrText::Text(text) => {
                text.parse().map(Self).map_err(|_| "expected a boolean or one of `true`, `false`")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches() {
        for (json, expected) in [
            ("true", Some(true)),
            ("\"true\"", Some(true)),
            ("\"false\"", Some(false)),
            ("1", None),
            ("\"yes\"", None),
        ] {
            assert_eq!(serde_json::from_str::<Switch>(json).ok(), expected.map(Switch), "{json}");
        }
    }

    #[test]
    fn a_result_has_one_key() {
        for bad in ["{}", r#"{"a":true,"b":true}"#, "[]", r#"{"a":1}"#] {
            assert!(serde_json::from_str::<ResultBody<bool>>(bad).is_err(), "{bad}");
        }
    }
}
