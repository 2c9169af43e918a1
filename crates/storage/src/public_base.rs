//! Public links, which anyone may follow.

use spindrift_settings::{S3_PUBLIC_URL, SettingError, Variables};
use url::Url;

use crate::ObjectKey;

/// Base URL of public links (`s3_public_url`): http or https, optionally with a path, without query, fragment and user
/// name. It may belong to a CDN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicBase(String);

impl PublicBase {
    /// Checks `base` and removes trailing slashes. The error text does not repeat `base`.
    pub fn parse(base: &str) -> Result<Self, String> {
        web_address(base)?;
        Ok(Self(base.trim_end_matches('/').to_owned()))
    }

    /// Reads `s3_public_url`.
    pub fn read(variables: &impl Variables) -> Result<Self, SettingError> {
        Self::parse(&S3_PUBLIC_URL.read(variables)?).map_err(|reason| S3_PUBLIC_URL.invalid(reason))
    }

    /// The URL `{base}/{key}`, with every segment of the key percent-encoded.
    pub fn link(&self, key: &ObjectKey) -> String {
        format!("{}/{}", self.0, key.percent_encoded())
    }

    /// The base URL without a trailing slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Parses an http or https URL without user name, query and fragment.
pub(crate) fn web_address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err("not an http or https address".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a user name does not belong here".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("a query or fragment does not belong here".to_owned());
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::PublicBase;
    use crate::ObjectKey;

    #[test]
    fn links_are_base_and_encoded_key() {
        let base = PublicBase::parse("https://cdn.example.com/files/").unwrap();
        let key = ObjectKey::new("acme/notes/stable/a b.zip").unwrap();
        assert_eq!(base.link(&key), "https://cdn.example.com/files/acme/notes/stable/a%20b.zip");
    }

    #[test]
    fn refuses_what_a_key_cannot_follow() {
        for base in
            ["", "cdn.example.com", "ftp://e.com", "http://e.com/?a=b", "http://e.com/#f", "http://u:p@e.com"]
        {
            assert!(PublicBase::parse(base).is_err(), "{base}");
        }
    }
}
