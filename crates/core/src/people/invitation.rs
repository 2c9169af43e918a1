//! Invitations to an admin's team.

use crate::{Id, Permissions, Timestamp, UserName};

/// How long an invitation is open, in days.
pub const INVITATION_DAYS: i64 = 7;

/// How long an invitation is kept after its end, in days. Until then, its link says what became of it.
const KEPT_DAYS: i64 = 30;

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

/// An invitation. The secret of its link is shown once and stored only as a digest, so it is not
/// included here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Identifier.
    pub id: Id,
    /// The admin to whose team it invites.
    pub owner_id: Id,
    /// The admin's user name.
    pub owner: UserName,
    /// The name of the new user. `None`: the person chooses.
    pub name: Option<UserName>,
    /// The permissions of the new user.
    pub permissions: Permissions,
    /// When it was created.
    pub created_at: Timestamp,
    /// From then on it cannot be accepted.
    pub expires_at: Timestamp,
    /// When somebody accepted it.
    pub accepted_at: Option<Timestamp>,
    /// When the admin revoked it.
    pub revoked_at: Option<Timestamp>,
}

/// Why an invitation cannot be accepted any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvitationOver {
    /// Somebody accepted it.
    #[error("the invitation was used already: log in, or ask for another one")]
    Used,
    /// The admin revoked it.
    #[error("the invitation was revoked")]
    Revoked,
    /// Nobody accepted it in time.
    #[error("the invitation has expired: ask for another one")]
    Expired,
}

impl Invitation {
    /// The end of an invitation that is created now.
    pub fn expiry(now: Timestamp) -> Timestamp {
        now.plus_seconds(INVITATION_DAYS * SECONDS_PER_DAY)
    }

    /// Invitations that ended before this time are deleted.
    pub fn kept_since(now: Timestamp) -> Timestamp {
        now.plus_seconds(-KEPT_DAYS * SECONDS_PER_DAY)
    }

    /// Whether it can be accepted now.
    pub fn require_open(&self, now: Timestamp) -> Result<(), InvitationOver> {
        if self.accepted_at.is_some() {
            Err(InvitationOver::Used)
        } else if self.revoked_at.is_some() {
            Err(InvitationOver::Revoked)
        } else if self.expires_at <= now {
            Err(InvitationOver::Expired)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_open_for_seven_days() {
        let at = Timestamp::from_millis;
        let open = Invitation {
            id: Id::from_text("1"),
            owner_id: Id::from_text("2"),
            owner: "ada".parse().unwrap(),
            name: None,
            permissions: Permissions::default(),
            created_at: at(0),
            expires_at: Invitation::expiry(at(0)),
            accepted_at: None,
            revoked_at: None,
        };
        let week = 7 * 24 * 60 * 60 * 1000;
        assert_eq!(open.require_open(at(week - 1)), Ok(()));
        assert_eq!(open.require_open(at(week)), Err(InvitationOver::Expired));
        let used = Invitation { accepted_at: Some(at(1)), ..open.clone() };
        assert_eq!(used.require_open(at(week)), Err(InvitationOver::Used));
        let revoked = Invitation { revoked_at: Some(at(1)), ..open };
        assert_eq!(revoked.require_open(at(2)), Err(InvitationOver::Revoked));
    }
}
