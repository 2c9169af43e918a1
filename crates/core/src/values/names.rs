//! The names of items: one validator for each kind, used by every endpoint.
//!
//! Comparison is exact (case-sensitive). Lengths are in characters; all allowed characters are ASCII.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Longest name of any kind, in characters.
pub const MAX_NAME_LENGTH: usize = 64;

/// The text is not a valid name of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid {kind}")]
pub struct InvalidName {
    /// The expected kind: `app_name`, `channel`, ...
    pub kind: &'static str,
}

fn has_shape(text: &str, inner: fn(u8) -> bool, first: fn(u8) -> bool, last: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    (1..=MAX_NAME_LENGTH).contains(&bytes.len())
        && bytes.iter().all(|&b| inner(b))
        && bytes.first().is_some_and(|&b| first(b))
        && bytes.last().is_some_and(|&b| last(b))
        // This takes a fraction of the time of a text search.
        && !bytes.windows(2).any(|pair| pair == b"..")
}

fn alphanumeric(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}

fn any(_: u8) -> bool {
    true
}

fn no_dot(b: u8) -> bool {
    b != b'.'
}

fn word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-')
}

fn word_or_space(b: u8) -> bool {
    word(b) || b == b' '
}

fn word_or_at(b: u8) -> bool {
    word(b) || b == b'@'
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $kind:literal, $inner:expr, $first:expr, $last:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $type(String);

        impl $type {
            /// The kind as written in requests and error texts.
            pub const KIND: &'static str = $kind;

            /// The name, as given.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $type {
            type Err = InvalidName;

            fn from_str(text: &str) -> Result<Self, InvalidName> {
                if has_shape(text, $inner, $first, $last) {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(InvalidName { kind: $kind })
                }
            }
        }

        impl TryFrom<String> for $type {
            type Error = InvalidName;

            fn try_from(text: String) -> Result<Self, InvalidName> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> Self {
                name.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name!(
    /// An application: letters, digits, space, `.`, `_`, `-`; first and last a letter or digit.
    AppName, "app_name", word_or_space, alphanumeric, alphanumeric
);
name!(
    /// A release channel: letters, digits, `.`, `_`, `-`; first a letter or digit.
    ChannelName, "channel", word, alphanumeric, any
);
name!(
    /// A platform (operating system): the alphabet of [`ChannelName`].
    PlatformName, "platform", word, alphanumeric, any
);
name!(
    /// A processor architecture: the alphabet of [`ChannelName`].
    ArchName, "arch", word, alphanumeric, any
);
name!(
    /// A group of devices: the alphabet of [`ChannelName`].
    DeviceGroupName, "group", word, alphanumeric, any
);
name!(
    /// A user. An admin's user name is the *owner* of everything that they publish. Letters, digits, `.`,
    /// `_`, `-`, `@`. It does not begin with `.`, because it becomes a segment of URLs and object keys.
    UserName, "owner", word_or_at, no_dot, any
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn app_names() {
        for good in ["a", "My App 2", "x.y_z-1", &"a".repeat(64)] {
            assert!(good.parse::<AppName>().is_ok(), "{good}");
        }
        for bad in ["", " a", "a ", "-a", "a.", "a/b", "a\\b", "a..b", "a\0b", "ä", "a\n", &"a".repeat(65)] {
            assert_eq!(bad.parse::<AppName>(), Err(InvalidName { kind: "app_name" }), "{bad:?}");
        }
    }

    #[test]
    fn channel_names() {
        for good in ["stable", "1.x", "a-", "win_x64"] {
            assert!(good.parse::<ChannelName>().is_ok(), "{good}");
        }
        for bad in ["", ".hidden", "-a", "two words", "a@b", "a..b"] {
            assert!(bad.parse::<ChannelName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn user_names() {
        for good in ["a@b.example", "_", "-x", "a.", "@.a"] {
            assert!(good.parse::<UserName>().is_ok(), "{good}");
        }
        for bad in ["", ".", "..", ".a", "a..b", "a b", "a/b"] {
            assert!(bad.parse::<UserName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn deserialising_validates() {
        assert!(serde_json::from_str::<ChannelName>("\"a/b\"").is_err());
    }
}
