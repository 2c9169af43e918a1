//! JSON that is passed on.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// JSON as it was written. Two are equal if they are the same text.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawJson(pub Box<RawValue>);

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for RawJson {}

impl RawJson {
    /// The text.
    pub fn get(&self) -> &str {
        self.0.get()
    }
}
