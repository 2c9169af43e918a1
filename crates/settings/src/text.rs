//! Settings that are texts, and the rules for them.

use http::Uri;

use crate::SettingValue;

/// Shortest secret from which keys are derived, in bytes: as long as the keys.
const MIN_SECRET_BYTES: usize = 32;

/// Which texts a setting accepts.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// The accepted values in words. Follows "must be".
    description: &'static str,
    /// Whether a text is accepted, the empty one included.
    accepts: fn(&str) -> bool,
}

impl Text {
    /// Accepts every text. The description is for people.
    pub(crate) const fn any(description: &'static str) -> Self {
        Self { description, accepts: |_| true }
    }

    /// Accepts what `accepts` does.
    pub(crate) const fn of(description: &'static str, accepts: fn(&str) -> bool) -> Self {
        Self { description, accepts }
    }
}

/// The accepted URLs.
pub(crate) const ADDRESS: Text = Text::of("an http or https address without a query", is_web_address);
/// The same, or nothing.
pub(crate) const OPTIONAL_ADDRESS: Text =
    Text::of("an http or https address without a query", |text| text.is_empty() || is_web_address(text));

/// The table decides whether an empty text is a value. It is never replaced by the default here.
impl SettingValue for String {
    type Range = Text;
    const TAKES_EMPTY: bool = true;

    fn parse(text: String, range: &Text) -> Option<Self> {
        (range.accepts)(&text).then_some(text)
    }

    fn describe(range: &Text) -> String {
        range.description.to_owned()
    }
}

/// Whether this is an http or https URL in ASCII without a user name, a query and a fragment.
///
/// Each update check does this, so it does without `Url`, whose tables of Unicode names are 100 KB of each
/// instance's memory.
pub fn is_web_address(text: &str) -> bool {
    let Ok(uri) = text.parse::<Uri>() else { return false };
    let is_web = uri
        .scheme_str()
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"));
    let Some(authority) = uri.authority().filter(|authority| is_web && !authority.host().is_empty()) else {
        return false;
    };
    let has_valid_port = uri.port_u16().is_some() || authority.as_str() == authority.host();
    // `Uri` drops fragments.
    has_valid_port && !authority.as_str().contains('@') && uri.query().is_none() && !text.contains('#')
}

/// Empty, or one secret or more of sufficient length, separated by one space.
pub(crate) fn are_secrets(text: &str) -> bool {
    text.is_empty() || text.split(' ').all(|secret| secret.len() >= MIN_SECRET_BYTES)
}

/// Empty, or a secret of sufficient length.
pub(crate) fn is_secret(text: &str) -> bool {
    text.is_empty() || text.len() >= MIN_SECRET_BYTES
}

/// Empty, or `*` and origins, separated by commas: an origin is a web address without a path.
pub(crate) fn are_origins(text: &str) -> bool {
    let is_origin = |entry: &str| {
        let authority = entry.split_once("://").map_or("", |(_, authority)| authority);
        entry == "*" || (is_web_address(entry) && !authority.contains('/'))
    };
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).all(is_origin)
}

/// A bucket's name by S3's rules, with the capitals and underscores of older buckets.
pub(crate) fn is_bucket_name(name: &str) -> bool {
    (3..=63).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
        && name.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

/// The region becomes part of the signature's scope, which uses `/` as separator.
pub(crate) fn is_region(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// A bearer token, or empty: what a client can send after `Bearer `.
pub(crate) fn is_bearer(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts, and whether they are accepted.
    fn assert_all(accepts: fn(&str) -> bool, texts: &[(&str, bool)]) {
        for (text, expected) in texts {
            assert_eq!(accepts(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn secrets_are_long() {
        let long = "a".repeat(MIN_SECRET_BYTES);
        let two = format!("{long} {long}");
        assert_all(is_secret, &[("", true), (&long, true), (&long[1..], false), ("short", false)]);
        let uneven = format!("{long} short");
        assert_all(are_secrets, &[("", true), (&long, true), (&two, true), (&uneven, false), (" ", false)]);
    }

    #[test]
    fn origins_have_no_path() {
        assert_all(
            are_origins,
            &[
                ("", true),
                ("*", true),
                ("https://a.example, https://b.example:8443", true),
                ("a.example", false),
                ("https://a.example/", false),
                ("https://a.example;https://b.example", false),
            ],
        );
    }

    #[test]
    fn names_of_the_storage() {
        assert_all(
            is_bucket_name,
            &[("a-b.C_1", true), ("", false), ("ab", false), ("...", false), ("a/b", false)],
        );
        assert_all(is_region, &[("", true), ("eu-central_1", true), ("eu/west", false)]);
    }

    #[test]
    fn a_token_fits_into_a_header() {
        assert_all(is_bearer, &[("", true), ("s3cret", true), ("two words", false), ("t\u{f6}ken", false)]);
    }
}
