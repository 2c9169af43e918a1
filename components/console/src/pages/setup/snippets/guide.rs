//! The configuration that a client or a pipeline needs.

use maud::Markup;
use spindrift_core::Updater;

/// Files to paste, and their purpose.
pub(super) struct Guide {
    /// Of the section.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// The updater that the platform needs for it.
    pub(super) updater: Option<Updater>,
    /// Advice.
    pub(super) what: Markup,
    pub(super) snippets: Vec<Snippet>,
}

/// Text for one file.
pub(super) struct Snippet {
    /// The file that it belongs in.
    pub(super) file: &'static str,
    pub(super) text: String,
}

/// A text as a literal of JSON, which YAML, JavaScript and, for these names and addresses, C#, Rust and TOML
/// also read.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
