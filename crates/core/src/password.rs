//! How long a password may be, and what its hash may cost. `spindrift-auth` hashes them.

/// Fewest characters of a new password.
pub const MIN_PASSWORD_CHARS: usize = 8;

/// Most characters of a password; longer ones would only cost time.
pub const MAX_PASSWORD_CHARS: usize = 1024;

/// The work of hashing a new password (`password_hash_cost`). Each hash says what its own work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordHashCost {
    /// `default`: as much as protects the passwords of a stolen database.
    Default,
    /// `test`: next to nothing. The passwords of a stolen database can be guessed.
    Test,
}

impl PasswordHashCost {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Default, Self::Test];

    /// The text of the setting.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Test => "test",
        }
    }
}
