//! JSON objects from callers, parsed field by field so that errors can name the field.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::shortened;
use crate::{InvalidValue, TextRule};

/// The rule for plain text fields.
const TEXT: &str = "a text";

/// The problem with one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FieldError {
    Missing(&'static str),
    Invalid(InvalidValue),
}

impl FieldError {
    fn invalid(name: &'static str, rule: &'static str, sent: &Value) -> Self {
        Self::Invalid(InvalidValue::of_json(name, rule, sent))
    }
}

/// The fields of a JSON object, in their original order. `null` counts as missing.
pub(super) struct JsonFields(Vec<(String, Value)>);

impl JsonFields {
    /// The first name that occurs twice, truncated for an error.
    pub(super) fn duplicate(&self) -> Option<String> {
        let mut seen = HashSet::with_capacity(self.0.len());
        let (name, _) = self.0.iter().find(|(name, _)| !seen.insert(name.as_str()))?;
        Some(shortened(name))
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value).filter(|value| !value.is_null())
    }

    /// An optional string.
    pub(super) fn text(&self, name: &'static str) -> Result<Option<&str>, FieldError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(FieldError::invalid(name, TEXT, other)),
        }
    }

    /// The value if it is a string, else `None`.
    pub(super) fn text_unchecked(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::as_str)
    }

    /// An optional string, parsed. The empty string counts as missing.
    pub(super) fn parsed<T: std::str::FromStr + TextRule>(
        &self,
        name: &'static str,
    ) -> Result<Option<T>, FieldError> {
        if self.get(name).is_some_and(|value| value == "") {
            return Ok(None);
        }
        self.read(name, T::RULE, |value| value.as_str()?.parse().ok())
    }

    /// Like [`Self::parsed`], for a required field.
    pub(super) fn required<T: std::str::FromStr + TextRule>(
        &self,
        name: &'static str,
    ) -> Result<T, FieldError> {
        self.parsed(name)?.ok_or(FieldError::Missing(name))
    }

    /// A boolean, or the string `true` or `false`. Missing means false.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, FieldError> {
        let flag = |value: &Value| value.as_bool().or_else(|| value.as_str()?.parse().ok());
        Ok(self.read(name, bool::RULE, flag)?.unwrap_or_default())
    }

    /// An optional value of any type.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }

    /// An optional value of any type, parsed by `read`. If that returns `None`, the value violates
    /// the rule.
    pub(super) fn read<T>(
        &self,
        name: &'static str,
        rule: &'static str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, FieldError> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| FieldError::invalid(name, rule, value)),
        }
    }
}

impl<'de> Deserialize<'de> for JsonFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = JsonFields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonFields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(JsonFields(fields))
            }
        }

        deserializer.deserialize_map(Object)
    }
}
