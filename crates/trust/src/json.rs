//! The JSON of metadata: a subset that every client reads and hashes in the same way.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::Serialize;
use serde_json::error::Category;

use crate::TrustError;

/// All numbers are below this one, 2^53. Readers that use floating point represent them exactly
/// ([RFC 8259, section 6](https://www.rfc-editor.org/rfc/rfc8259#section-6)).
pub(crate) const NUMBERS_BELOW: u64 = 1 << 53;

/// Maximum number of values in one document. 8,000 targets have 13 each. A value takes up to 32 bytes of
/// memory but only two of text, so 4 MiB of text could otherwise need 64 MiB.
const MAX_VALUES: u32 = 150_000;

/// A value in metadata. Strings are printable ASCII and line feeds, because clients differ in how they
/// normalise other characters. There are no floats, which have no canonical form, and no nulls.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum Json {
    /// `true` or `false`.
    Flag(bool),
    /// Below [`NUMBERS_BELOW`].
    Number(u64),
    /// Printable ASCII and line feeds.
    Text(String),
    List(Vec<Json>),
    /// Field names and values.
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// Reads a document. The error does not repeat any part of it.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, TrustError> {
        let left = Cell::new(MAX_VALUES);
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let value = ValueReader { left: &left }.deserialize(&mut reader);
        value.and_then(|value| reader.end().map(|()| value)).map_err(|error| match error.classify() {
            _ if left.get() == 0 => TrustError::TooLarge,
            // This includes documents nested deeper than the 127 levels that serde_json follows.
            Category::Syntax | Category::Eof | Category::Io => TrustError::Metadata("not JSON".into()),
            Category::Data => TrustError::Metadata("a value that metadata cannot have".into()),
        })
    }

    pub(crate) fn object(fields: impl IntoIterator<Item = (&'static str, Self)>) -> Self {
        Self::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    pub(crate) fn text(text: impl fmt::Display) -> Self {
        Self::Text(text.to_string())
    }

    pub(crate) fn texts(texts: impl IntoIterator<Item = impl fmt::Display>) -> Self {
        Self::List(texts.into_iter().map(Self::text).collect())
    }

    /// Writes the value with `formatter`.
    pub(crate) fn write(&self, formatter: impl serde_json::ser::Formatter) -> Result<Vec<u8>, TrustError> {
        let mut bytes = Vec::new();
        let mut writer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        self.serialize(&mut writer).map_err(|_| TrustError::Internal("write metadata"))?;
        Ok(bytes)
    }
}

fn is_text(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b' '..=b'~' | b'\n'))
}

/// Reads one value, and counts it against [`MAX_VALUES`].
#[derive(Clone, Copy)]
struct ValueReader<'a> {
    left: &'a Cell<u32>,
}

impl<'de> DeserializeSeed<'de> for ValueReader<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let left = self.left.get().checked_sub(1).ok_or_else(|| D::Error::custom("too many values"))?;
        self.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueReader<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of metadata")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Json, E> {
        Ok(Json::Flag(flag))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Json, E> {
        if number < NUMBERS_BELOW { Ok(Json::Number(number)) } else { Err(E::custom("a number too large")) }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        if is_text(text) { Ok(Json::Text(text.to_owned())) } else { Err(E::custom("a text not in ASCII")) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
        let mut object = BTreeMap::new();
        while let Some(name) = fields.next_key::<String>()? {
            if !is_text(&name) {
                return Err(A::Error::custom("a name not in ASCII"));
            }
            let value = fields.next_value_seed(self)?;
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a name twice"));
            }
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subset_is_read() {
        let json = Json::parse(br#" {"b": [1, true, "x\ny"], "a": {"n": 9007199254740991}} "#).unwrap();
        let a = Json::object([("n", Json::Number(NUMBERS_BELOW - 1))]);
        let b = Json::List(vec![Json::Number(1), Json::Flag(true), Json::text("x\ny")]);
        assert_eq!(json, Json::object([("a", a), ("b", b)]));
    }

    #[test]
    fn nothing_else_is_read() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let deep_objects = r#"{"a":"#.repeat(10_000);
        for (text, fault) in [
            ("", "not JSON"),
            ("{", "not JSON"),
            ("{} {}", "not JSON"),
            ("\u{feff}{}", "not JSON"),
            ("{'a':1}", "not JSON"),
            ("[1,]", "not JSON"),
            ("[01]", "not JSON"),
            ("[NaN]", "not JSON"),
            ("\"a\nb\"", "not JSON"),
            (&deep, "not JSON"),
            (&deep_objects, "not JSON"),
            ("null", "a value that metadata cannot have"),
            ("[1.0]", "a value that metadata cannot have"),
            ("[1e2]", "a value that metadata cannot have"),
            ("[-1]", "a value that metadata cannot have"),
            ("[-0]", "a value that metadata cannot have"),
            ("[9007199254740992]", "a value that metadata cannot have"),
            ("[18446744073709551616]", "a value that metadata cannot have"),
            (r#"{"a":1,"a":1}"#, "a value that metadata cannot have"),
            (r#"{"a":1,"\u0061":1}"#, "a value that metadata cannot have"),
            (r#"{"ä":1}"#, "a value that metadata cannot have"),
            (r#"["ä"]"#, "a value that metadata cannot have"),
            (r#"["\u0000"]"#, "a value that metadata cannot have"),
            (r#"["\t"]"#, "a value that metadata cannot have"),
        ] {
            let shown = text.get(..20).unwrap_or(text);
            assert_eq!(Json::parse(text.as_bytes()), Err(TrustError::Metadata(fault.into())), "{shown}");
        }
        assert!(Json::parse(b"[\"\xff\"]").is_err());
    }

    #[test]
    fn a_document_has_so_many_values() {
        let list = |items: usize| format!("[{}0]", "0,".repeat(items - 1));
        assert!(Json::parse(list(149_999).as_bytes()).is_ok());
        assert_eq!(Json::parse(list(150_000).as_bytes()), Err(TrustError::TooLarge));
    }
}
