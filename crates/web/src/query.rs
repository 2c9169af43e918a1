//! Query strings and urlencoded forms.
//!
//! `form_urlencoded` silently replaces invalid UTF-8, where this service answers 400, so it would need a
//! check of our own before it. This parser is a few lines over the standard library and `percent-encoding`,
//! and as fast.

use std::str::FromStr;

use spindrift_core::{TextRule, Version};

use crate::ApiError;

/// Decoded name-value pairs. If a name repeats, its first value is used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses `application/x-www-form-urlencoded` text. A pair that is not UTF-8 is a 400.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(name)?, decode(value)?))
        });
        pairs.collect::<Result<_, ApiError>>().map(Self)
    }

    /// All pairs in their original order.
    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }

    /// The value of `name`. An empty value counts as absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// The parsed value of `name`; 400 `invalid <name> parameter: <rule>` if it cannot be parsed.
    pub fn optional<T: FromStr + TextRule>(&self, name: &'static str) -> Result<Option<T>, ApiError> {
        self.get(name).map(|value| parse_parameter(name, value)).transpose()
    }

    /// Like [`Query::optional`], but 400 `missing <name>` if it is absent.
    pub fn required<T: FromStr + TextRule>(&self, name: &'static str) -> Result<T, ApiError> {
        self.optional(name)?.ok_or_else(|| ApiError::missing(name))
    }

    /// A value that never contains a space: a space in it is a `+` that the client did not encode.
    pub fn get_unspaced(&self, name: &str) -> Option<String> {
        self.get(name).map(|value| value.replace(' ', "+"))
    }

    /// The version in `name`; 400 as for [`Query::optional`].
    pub fn optional_version(&self, name: &'static str) -> Result<Option<Version>, ApiError> {
        self.get_unspaced(name).map(|value| parse_parameter(name, &value)).transpose()
    }

    /// Like [`Query::optional_version`], but 400 `missing <name>` if it is absent.
    pub fn required_version(&self, name: &'static str) -> Result<Version, ApiError> {
        self.optional_version(name)?.ok_or_else(|| ApiError::missing(name))
    }
}

/// Parses the value of the parameter or field `name`.
pub fn parse_parameter<T: FromStr + TextRule>(name: &'static str, value: &str) -> Result<T, ApiError> {
    value.parse().map_err(|_| ApiError::invalid(name, T::RULE, T::IS_SHOWN.then_some(value)))
}

/// A required text; 400 `missing <name>` if it is absent or empty.
pub fn required(value: Option<String>, name: &str) -> Result<String, ApiError> {
    value.filter(|text| !text.is_empty()).ok_or_else(|| ApiError::missing(name))
}

fn decode(text: &str) -> Result<String, ApiError> {
    if !text.bytes().any(|b| b == b'%' || b == b'+') {
        return Ok(text.to_owned());
    }
    let spaced = text.replace('+', " ");
    percent_encoding::percent_decode_str(&spaced)
        .decode_utf8()
        .map(std::borrow::Cow::into_owned)
        .map_err(|_| ApiError::bad_request("the query is not valid UTF-8"))
}

#[cfg(test)]
mod tests {
    use spindrift_core::DeviceId;

    use super::*;

    #[test]
    fn values_are_decoded_once() {
        let query = Query::parse("a=x+y%2Bz&b=%25&empty=&a=second&flag").unwrap();
        assert_eq!(query.get("a"), Some("x y+z"));
        assert_eq!(query.get("b"), Some("%"));
        assert_eq!(query.get("empty"), None);
        assert_eq!(query.get("flag"), None);
    }

    #[test]
    fn a_plus_in_a_version_is_one_however_it_was_sent() {
        for sent in ["1.0+5", "1.0%2B5", "1.0%205"] {
            let query = Query::parse(&format!("v={sent}")).unwrap();
            assert_eq!(query.required_version("v").unwrap().as_str(), "1.0+5", "{sent}");
        }
        let query = Query::parse("v=one").unwrap();
        assert_eq!(
            query.required_version("v").unwrap_err().to_string(),
            "invalid v parameter: a version like 1.4.0 or 2.0.0-beta.1 (docs/versions.md has all forms), not \"one\""
        );
        assert_eq!(query.required_version("w").unwrap_err().to_string(), "missing w");
        assert_eq!(query.optional_version("w"), Ok(None));
    }

    #[test]
    fn errors_name_the_parameter() {
        let query = Query::parse("n=x").unwrap();
        assert_eq!(
            query.required::<u8>("n").unwrap_err().to_string(),
            "invalid n parameter: a whole number, not \"x\""
        );
        let long = format!("n={}", "1".repeat(100));
        let told = Query::parse(&long).unwrap().required::<u8>("n").unwrap_err().to_string();
        assert_eq!(told, format!("invalid n parameter: a whole number, not \"{}...\"", "1".repeat(40)));
        let device = Query::parse("d=%C3%A4").unwrap().required::<DeviceId>("d").unwrap_err().to_string();
        assert_eq!(device, "invalid d parameter: 1 to 128 printable ASCII characters");
        assert_eq!(query.required::<u8>("m").unwrap_err().to_string(), "missing m");
        assert!(Query::parse("a=%ff").is_err());
    }
}
