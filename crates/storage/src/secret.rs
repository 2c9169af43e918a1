//! The secret key.

use std::fmt;

/// A secret that is never printed: it has no `Display`, and its `Debug` shows `[redacted]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps `value`. An empty value means "not configured".
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The secret itself, for signing.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether no secret is configured.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn debug_does_not_show_it() {
        assert_eq!(format!("{:?}", Secret::new("hunter2")), "[redacted]");
    }
}
