//! Errors of signed metadata.

use std::borrow::Cow;
use std::fmt;

/// Why metadata is refused, or could not be made. The texts of the refusals are part of the interface; they have at
/// most 100 characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// Not JSON, or no role can be told.
    #[error("invalid metadata: {0}")]
    Metadata(What),
    /// A root that is never accepted.
    #[error("invalid root: {0}")]
    Root(What),
    /// Targets, or a channel's, that are never accepted.
    #[error("invalid targets: {0}")]
    Targets(What),
    /// A signature that does not verify, or of a key that the role does not have.
    #[error("invalid signature")]
    Signature,
    /// Metadata that may not wait for signatures, because none of its role's signers has signed it.
    #[error("invalid signature: none of the role's signers has signed")]
    Unsigned,
    /// Larger than metadata of its role may be.
    #[error("metadata too large")]
    TooLarge,
    /// The service's secret is missing or has a part that is too short. For the log.
    #[error("tuf_secret must have at least 32 bytes; several secrets are separated by one space")]
    WeakSecret,
    /// Writing or signing failed, which only a bug can cause. For the log.
    #[error("could not {0}")]
    Internal(&'static str),
}

/// The fault of metadata, in a few words. It repeats nothing that was sent, but for the name of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct What(Cow<'static, str>);

/// Longest text, in characters: with the longest of the introductions above it has less than 100.
const MAX_WHAT_LENGTH: usize = 80;

impl What {
    /// A fault of the target with this name (printable ASCII), which is cut where the text would be too long.
    pub(crate) fn of_target(fault: &'static str, name: &str) -> Self {
        Self(format!("{fault}: {name}").chars().take(MAX_WHAT_LENGTH).collect::<String>().into())
    }
}

impl From<&'static str> for What {
    fn from(fault: &'static str) -> Self {
        Self(fault.into())
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why metadata cannot be read, before it is said of which role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is not as it must be.
    Wrong(What),
    /// It has more of something than metadata may have.
    TooLarge,
}

impl From<&'static str> for Fault {
    fn from(fault: &'static str) -> Self {
        Self::Wrong(fault.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_short() {
        let error = TrustError::Targets(What::of_target("length", &"a/".repeat(400)));
        assert!(error.to_string().starts_with("invalid targets: length: a/a/"));
        assert!(error.to_string().len() <= 100, "{error}");
        assert_eq!(TrustError::Root("expires".into()).to_string(), "invalid root: expires");
    }
}
