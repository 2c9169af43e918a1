//! The configuration that a client or a pipeline needs.

use maud::Markup;
use spindrift_core::Updater;

/// Files to paste, and their purpose.
pub(super) struct Guide {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// The updater that the platform needs for this.
    pub(super) updater: Option<Updater>,
    pub(super) purpose: Markup,
    pub(super) snippets: Vec<Snippet>,
}

/// Text for one file.
pub(super) struct Snippet {
    /// The file to paste the text into.
    pub(super) file: &'static str,
    pub(super) text: String,
}

/// A text as a JSON literal, which is also valid in YAML and JavaScript and, for these names and
/// addresses, in C#, Rust and TOML.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
