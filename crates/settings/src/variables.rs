//! The source of settings.

use std::collections::BTreeMap;

/// A variable could not be read because its provider failed. This is different from "not granted".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the setting `{name}` could not be read: {reason}")]
pub struct VariableError {
    pub name: String,
    /// The provider's message.
    pub reason: String,
}

pub trait Variables {
    /// `Ok(None)`: the component is not granted the variable. An empty value is `Some("")`.
    fn variable(&self, name: &str) -> Result<Option<String>, VariableError>;
}

/// Values by name.
impl Variables for BTreeMap<String, String> {
    fn variable(&self, name: &str) -> Result<Option<String>, VariableError> {
        Ok(self.get(name).cloned())
    }
}
