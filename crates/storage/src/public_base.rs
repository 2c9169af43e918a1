//! Public links, which anyone may follow.

use http::Uri;
use http::uri::InvalidUri;
use spindrift_settings::{S3_PUBLIC_URL, SettingError, Variables};

use crate::ObjectKey;

/// Base URL of public links (`s3_public_url`): http or https, optionally with a path, without query, fragment and user
/// name. It may belong to a CDN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicBase(String);

impl PublicBase {
    /// Checks `base` and removes trailing slashes. The error text does not repeat `base`.
    pub fn parse(base: &str) -> Result<Self, String> {
        check_web_address(base)?;
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

/// Checks that this is an http or https URL without user name, query and fragment, in ASCII.
///
/// Each update check does this, so it does without `Url`, whose tables of Unicode names are 100 KB of each instance's memory.
pub(crate) fn check_web_address(text: &str) -> Result<(), String> {
    let uri: Uri = text.parse().map_err(|error: InvalidUri| error.to_string())?;
    let is_web = uri
        .scheme_str()
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"));
    let Some(authority) = uri.authority().filter(|authority| is_web && !authority.host().is_empty()) else {
        return Err("not an http or https address".to_owned());
    };
    if authority.as_str().contains('@') {
        return Err("a user name does not belong here".to_owned());
    }
    if uri.port_u16().is_none() && authority.as_str() != authority.host() {
        return Err("not a port".to_owned());
    }
    // `Uri` drops fragments.
    if uri.query().is_some() || text.contains('#') {
        return Err("a query or fragment does not belong here".to_owned());
    }
    Ok(())
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
        for base in [
            "",
            "/",
            "cdn.example.com",
            "cdn.example.com:80",
            "ftp://e.com",
            "http://",
            "http:///a",
            "http://:80",
            "http://e.com/?a=b",
            "http://e.com?",
            "http://e.com/#f",
            "http://e.com#",
            "http://u:p@e.com",
            "http://u@e.com",
            "http://e.com:x",
            "http://e.com:",
            "http://e.com:65536",
            "http://e.com/a b",
            "http://\u{e9}.com",
            "http://e.com\n",
            "http://[::1",
            "http://a:b:80",
        ] {
            assert!(PublicBase::parse(base).is_err(), "{base}");
        }
    }

    #[test]
    fn accepts_addresses_of_the_web() {
        for base in [
            "http://e.com",
            "HTTPS://E.com/",
            "https://e.com:8443/a/b",
            "http://127.0.0.1:9000/spindrift-public",
            "http://[::1]:9000",
            "http://localhost",
            "https://e.com/a%20b",
            "https://xn--bcher-kva.example",
        ] {
            assert_eq!(PublicBase::parse(base).unwrap().as_str(), base.trim_end_matches('/'));
        }
    }
}
