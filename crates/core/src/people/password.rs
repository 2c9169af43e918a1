//! Limits on the length of passwords, and the cost of their hashes. `spindrift-auth` hashes them.

/// Minimum length of a new password, in characters.
pub const MIN_PASSWORD_CHARS: usize = 8;

/// Maximum length of a password, in characters; longer ones would only take time.
pub const MAX_PASSWORD_CHARS: usize = 1024;

/// The cost of hashing a new password (`password_hash_cost`). Each hash states its own cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordHashCost {
    /// `default`: enough to protect the passwords in a stolen database.
    Default,
    /// `test`: almost nothing. The passwords in a stolen database could be guessed.
    Test,
}

impl PasswordHashCost {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::Default, Self::Test];

    /// The text of the setting.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Test => "test",
        }
    }
}
