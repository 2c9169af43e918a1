//! Identifiers: opaque, time-ordered.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Identifier of a stored thing: a UUID v7 ([RFC 9562](https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7)),
/// opaque to everyone. Parsing does not fail: a malformed id is treated as an unknown one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Id(String);

impl Id {
    /// A new identifier from the time and ten random bytes.
    pub fn generate(now: Timestamp, random: [u8; 10]) -> Self {
        let millis = u64::try_from(now.as_millis()).unwrap_or(0);
        Self(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid().to_string())
    }

    /// An identifier from a client or the database.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_ordered_by_time() {
        let early = Id::generate(Timestamp::from_millis(1_000), [255; 10]);
        let late = Id::generate(Timestamp::from_millis(1_001), [0; 10]);
        assert!(early < late);
        assert_eq!(early.as_str().len(), 36);
    }
}
