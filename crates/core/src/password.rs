//! How long a password may be. `spindrift-auth` hashes them.

/// Fewest characters of a new password.
pub const MIN_PASSWORD_CHARS: usize = 8;

/// Most characters of a password; longer ones would only cost time.
pub const MAX_PASSWORD_CHARS: usize = 1024;
