//! Reading the fields of an object of metadata.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use crate::error::Fault;
use crate::json::Json;

/// The fields of an object that have not been read yet. A fault is named after the field that contains it.
pub struct FieldReader(BTreeMap<String, Json>);

impl FieldReader {
    /// The fields of `json`, which faults call `name`.
    pub(crate) fn of(json: Json, name: &'static str) -> Result<Self, Fault> {
        match json {
            Json::Object(fields) => Ok(Self(fields)),
            _ => Err(name.into()),
        }
    }

    /// A field that may be absent.
    pub(crate) fn optional(&mut self, name: &str) -> Option<Json> {
        self.0.remove(name)
    }

    fn take(&mut self, name: &'static str) -> Result<Json, Fault> {
        self.optional(name).ok_or_else(|| name.into())
    }

    pub(crate) fn object(&mut self, name: &'static str) -> Result<Self, Fault> {
        Self::of(self.take(name)?, name)
    }

    pub(crate) fn list(&mut self, name: &'static str) -> Result<Vec<Json>, Fault> {
        match self.take(name)? {
            Json::List(items) => Ok(items),
            _ => Err(name.into()),
        }
    }

    pub(crate) fn number(&mut self, name: &'static str) -> Result<u64, Fault> {
        match self.take(name)? {
            Json::Number(number) => Ok(number),
            _ => Err(name.into()),
        }
    }

    /// A text, see [`exact`].
    pub(crate) fn text<T: FromStr + fmt::Display>(&mut self, name: &'static str) -> Result<T, Fault> {
        exact_json(&self.take(name)?).ok_or_else(|| name.into())
    }

    /// A text that may be absent.
    pub(crate) fn optional_text<T: FromStr + fmt::Display>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T>, Fault> {
        self.optional(name).map(|json| exact_json(&json).ok_or_else(|| name.into())).transpose()
    }

    /// A list of texts.
    pub(crate) fn texts<T: FromStr + fmt::Display>(&mut self, name: &'static str) -> Result<Vec<T>, Fault> {
        let items = self.list(name)?;
        items.iter().map(|item| exact_json(item).ok_or_else(|| name.into())).collect()
    }

    /// Fails unless the field has this value.
    pub(crate) fn require(&mut self, name: &'static str, value: &Json) -> Result<(), Fault> {
        if self.take(name)? == *value { Ok(()) } else { Err(name.into()) }
    }

    /// Fails if fields are left.
    pub(crate) fn done(self) -> Result<(), Fault> {
        if self.0.is_empty() { Ok(()) } else { Err("unknown field".into()) }
    }
}

/// Iterates over the remaining fields, for objects whose field names are content.
impl IntoIterator for FieldReader {
    type Item = (String, Json);
    type IntoIter = std::collections::btree_map::IntoIter<String, Json>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// A text in exactly the form that we would write. Rewriting another form would invalidate the signatures.
pub(crate) fn exact<T: FromStr + fmt::Display>(text: &str) -> Option<T> {
    text.parse().ok().filter(|value: &T| value.to_string() == text)
}

fn exact_json<T: FromStr + fmt::Display>(json: &Json) -> Option<T> {
    match json {
        Json::Text(text) => exact(text),
        _ => None,
    }
}

/// Whether no two items are equal.
pub(crate) fn are_distinct<T: Ord>(items: impl IntoIterator<Item = T>) -> bool {
    let mut seen = BTreeSet::new();
    items.into_iter().all(|item| seen.insert(item))
}

#[cfg(test)]
mod tests {
    use spindrift_core::{Sha256Hex, Version};

    use super::*;

    #[test]
    fn only_the_normal_form_is_read() {
        assert!(exact::<Version>("1.2.3").is_some());
        assert!(exact::<Version>("v1.2.3").is_none());
        assert!(exact::<Sha256Hex>(&"ab".repeat(32)).is_some());
        assert!(exact::<Sha256Hex>(&"AB".repeat(32)).is_none());
    }

    #[test]
    fn faults_name_the_field() {
        let fields = || {
            FieldReader::of(Json::object([("n", Json::Number(1)), ("t", Json::text("x"))]), "all").unwrap()
        };
        assert_eq!(fields().number("n"), Ok(1));
        assert_eq!(fields().number("t"), Err("t".into()));
        assert_eq!(fields().number("missing"), Err("missing".into()));
        assert_eq!(fields().text::<String>("t"), Ok("x".to_owned()));
        assert_eq!(fields().optional_text::<String>("missing"), Ok(None));
        assert_eq!(fields().require("n", &Json::Number(2)), Err("n".into()));
        assert_eq!(fields().done(), Err("unknown field".into()));
        assert_eq!(FieldReader::of(Json::Flag(true), "all").err(), Some("all".into()));
    }
}
