//! Public links, which anyone may follow.

use spindrift_settings::{S3_PUBLIC_URL, SettingError, Variables, is_web_address};

use crate::ObjectKey;

/// Base URL of public links (`s3_public_url`): http or https, optionally with a path, without query, fragment
/// and user name. It may belong to a CDN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicBase(String);

impl PublicBase {
    /// Removes trailing slashes. `None` if the text is not such a URL.
    pub fn parse(base: &str) -> Option<Self> {
        is_web_address(base).then(|| Self(base.trim_end_matches('/').to_owned()))
    }

    /// Reads `s3_public_url`.
    pub fn read(variables: &impl Variables) -> Result<Self, SettingError> {
        Self::parse(&S3_PUBLIC_URL.read(variables)?).ok_or_else(|| S3_PUBLIC_URL.missing())
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
            assert!(PublicBase::parse(base).is_none(), "{base}");
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
