//! The rules for texts that become values, in words: errors tell callers what would be accepted.

/// A value that is made from a text.
pub trait TextRule {
    /// The accepted texts, as a noun phrase.
    const RULE: &'static str;
    /// Whether errors repeat the text. Not if it may be a secret or belong to a device.
    const IS_SHOWN: bool = true;
}
