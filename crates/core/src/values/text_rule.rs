//! Describes which texts a type accepts, for errors.

/// A value that is parsed from text.
pub trait TextRule {
    /// The accepted texts, as a noun phrase.
    const RULE: &'static str;
    /// Whether errors repeat the text. `false` if it may be a secret or identify a device.
    const IS_SHOWN: bool = true;
}
