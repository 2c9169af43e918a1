//! Errors of signed metadata.

use std::borrow::Cow;
use std::fmt;

/// The reasons why metadata is refused, or could not be made. The texts of refusals are part of the
/// interface; they have at most 100 characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// Not JSON, or the role cannot be determined.
    #[error("invalid metadata: {0}")]
    Metadata(FaultText),
    /// A root that can never be accepted.
    #[error("invalid root: {0}")]
    Root(FaultText),
    /// Targets, of the top-level role or of a channel, that can never be accepted.
    #[error("invalid targets: {0}")]
    Targets(FaultText),
    /// A signature that does not verify, or whose key does not belong to the role.
    #[error("invalid signature")]
    Signature,
    /// Metadata that may not wait for signatures, because none of the role's signers has signed it.
    #[error("invalid signature: none of the role's signers has signed")]
    Unsigned,
    /// Larger than metadata of the role may be.
    #[error("metadata too large")]
    TooLarge,
    /// The service's secret is missing, or a part of it is too short. For the log.
    #[error("tuf_secret must have at least 32 bytes; several secrets are separated by one space")]
    WeakSecret,
    /// Writing or signing failed, which only a bug can cause. For the log.
    #[error("could not {0}")]
    Internal(&'static str),
}

/// The fault in metadata, in a few words. Repeats nothing that was sent except the name of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultText(Cow<'static, str>);

/// Longest text, in characters: together with the longest of the introductions above it stays below 100.
const MAX_FAULT_LENGTH: usize = 80;

impl FaultText {
    /// A fault of the target with this name, which is printable ASCII. The name is truncated where the text
    /// would be too long.
    pub(crate) fn of_target(fault: &'static str, name: &str) -> Self {
        Self(format!("{fault}: {name}").chars().take(MAX_FAULT_LENGTH).collect::<String>().into())
    }
}

impl From<&'static str> for FaultText {
    fn from(fault: &'static str) -> Self {
        Self(fault.into())
    }
}

impl fmt::Display for FaultText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why metadata cannot be read, before the role is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is malformed.
    Wrong(FaultText),
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
        let error = TrustError::Targets(FaultText::of_target("length", &"a/".repeat(400)));
        assert!(error.to_string().starts_with("invalid targets: length: a/a/"));
        assert!(error.to_string().len() <= 100, "{error}");
        assert_eq!(TrustError::Root("expires".into()).to_string(), "invalid root: expires");
    }
}
