//! Passkeys of users, and what a login proves.

use crate::{Id, Timestamp};

/// Most characters of a passkey's name.
pub const MAX_PASSKEY_NAME_CHARS: usize = 64;
/// Most passkeys of a user.
pub const MAX_PASSKEYS: usize = 20;

/// A passkey of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    /// Identifier.
    pub id: Id,
    /// Its user.
    pub user_id: Id,
    /// Given by the user.
    pub name: String,
    /// The key that verifies it.
    pub key: PasskeyKey,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was last used. `None`: never.
    pub last_used_at: Option<Timestamp>,
}

/// The public part of a passkey. All fields are base64url without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyKey {
    /// The name by which its authenticator knows it, unique in the whole service.
    pub credential_id: String,
    /// The public key.
    pub public_key: String,
    /// The counter of its signatures, and other facts that may change with each use.
    pub state: String,
}

/// The proof that a login gives of its user, and the proof that is demanded of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginProof {
    /// Whether the user has a passkey.
    pub has_passkey: bool,
    /// Whether the owner demands passkeys of the team.
    pub needs_passkey: bool,
    /// When the user last proved who they are, with this login. `None`: the login is not known.
    pub proved_at: Option<Timestamp>,
}

impl LoginProof {
    /// For callers of whom no passkey is demanded: CI tokens.
    pub const OF_TOKEN: Self = Self { has_passkey: false, needs_passkey: false, proved_at: None };

    /// Whether the user may do nothing but add a passkey.
    pub const fn lacks_passkey(self) -> bool {
        self.needs_passkey && !self.has_passkey
    }

    /// Whether the proof is recent enough, at most `seconds` old, for what cannot be taken back or lets others in.
    /// Users without passkeys have nothing better to prove themselves with than their login.
    pub fn is_fresh(self, now: Timestamp, seconds: i64) -> bool {
        !self.has_passkey || self.is_recent(now, seconds)
    }

    /// Whether the proof is at most `seconds` old.
    pub fn is_recent(self, now: Timestamp, seconds: i64) -> bool {
        self.proved_at.is_some_and(|proved| now < proved.plus_seconds(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_users_with_passkeys_prove_themselves_again() {
        let now = Timestamp::from_millis(10_000_000);
        let at = |seconds: i64| Some(now.plus_seconds(-seconds));
        for (has_passkey, proved_at, expected) in [
            (false, None, true),
            (false, at(9_999), true),
            (true, at(0), true),
            (true, at(899), true),
            (true, at(900), false),
            (true, None, false),
        ] {
            let proof = LoginProof { has_passkey, needs_passkey: false, proved_at };
            assert_eq!(proof.is_fresh(now, 900), expected, "{proof:?}");
        }
    }

    #[test]
    fn a_demand_concerns_those_without_a_passkey() {
        for (needs_passkey, has_passkey, expected) in
            [(false, false, false), (false, true, false), (true, true, false), (true, false, true)]
        {
            let proof = LoginProof { has_passkey, needs_passkey, proved_at: None };
            assert_eq!(proof.lacks_passkey(), expected, "{proof:?}");
        }
    }
}
