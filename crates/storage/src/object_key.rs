//! Names of objects.

use std::fmt;
use std::str::FromStr;

use spindrift_core::encode_segments;

/// Maximum length of a key, in bytes of UTF-8 (a limit of S3).
pub const MAX_KEY_LENGTH: usize = 1024;

/// The name of an object in its bucket: 1 to [`MAX_KEY_LENGTH`] bytes of UTF-8 without control characters. It
/// consists of segments separated by `/`. No segment is empty, `.` or `..`, because URLs cannot name such
/// objects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey(String);

/// Why a text is not an [`ObjectKey`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidObjectKey {
    /// Empty, or longer than [`MAX_KEY_LENGTH`].
    #[error("a storage key has 1 to {MAX_KEY_LENGTH} bytes")]
    Length,
    /// It contains a control character.
    #[error("a storage key has no control characters")]
    Control,
    /// It starts or ends with `/`, or has a segment that is empty, `.` or `..`.
    #[error("a storage key has no empty, `.` or `..` segments")]
    Segment,
}

impl ObjectKey {
    /// Checks `key`.
    pub fn new(key: impl Into<String>) -> Result<Self, InvalidObjectKey> {
        let key = key.into();
        if key.is_empty() || key.len() > MAX_KEY_LENGTH {
            Err(InvalidObjectKey::Length)
        } else if key.chars().any(char::is_control) {
            Err(InvalidObjectKey::Control)
        } else if key.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            Err(InvalidObjectKey::Segment)
        } else {
            Ok(Self(key))
        }
    }

    /// The key as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last segment.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The key with every segment percent-encoded by [`encode_segments`].
    pub fn percent_encoded(&self) -> String {
        encode_segments(self.0.split('/'))
    }
}

impl FromStr for ObjectKey {
    type Err = InvalidObjectKey;

    fn from_str(key: &str) -> Result<Self, InvalidObjectKey> {
        Self::new(key)
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{InvalidObjectKey, ObjectKey};

    #[test]
    fn refuses_what_a_url_cannot_name() {
        for (key, error) in [
            ("", InvalidObjectKey::Length),
            (&*"é".repeat(513), InvalidObjectKey::Length),
            ("a\nb", InvalidObjectKey::Control),
            ("a\u{85}b", InvalidObjectKey::Control),
            ("/a", InvalidObjectKey::Segment),
            ("a/", InvalidObjectKey::Segment),
            ("a//b", InvalidObjectKey::Segment),
            ("a/../b", InvalidObjectKey::Segment),
            (".", InvalidObjectKey::Segment),
        ] {
            assert_eq!(ObjectKey::new(key), Err(error), "{key:?}");
        }
    }

    #[test]
    fn accepts_the_longest_and_odd_names() {
        for key in [&*"é".repeat(512), "a/.b/...c", "100%/..%2f", "a b+c?d#e\\f"] {
            assert_eq!(ObjectKey::new(key).map(|k| k.as_str().to_owned()), Ok(key.to_owned()));
        }
    }

    #[test]
    fn encodes_every_segment() {
        let key = ObjectKey::new("my app-é/1.0~x_y/a b+c%2F?#&.zip").unwrap();
        assert_eq!(key.percent_encoded(), "my%20app-%C3%A9/1.0~x_y/a%20b%2Bc%252F%3F%23%26.zip");
        assert_eq!(key.file_name(), "a b+c%2F?#&.zip");
    }
}
