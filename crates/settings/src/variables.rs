//! Where settings come from.

/// A variable could not be read: its provider failed, which is not the same as "not granted".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the setting `{name}` could not be read: {reason}")]
pub struct VariableError {
    /// The variable's name.
    pub name: String,
    /// The provider's message.
    pub reason: String,
}

/// The variables of a component.
pub trait Variables {
    /// `Ok(None)`: the component is not granted it. An empty value is `Some("")`.
    fn variable(&self, name: &str) -> Result<Option<String>, VariableError>;
}
