//! Links in messages that halt a release.

use crate::{Id, Timestamp};

/// How long a halt link is valid, in seconds: 72 hours.
pub const HALT_LINK_SECONDS: i64 = 72 * 60 * 60;

/// The content of a halt link: one message of a webhook, and so the release and the channel that the message is
/// about. A link needs no row of its own, because the audit log has the message, and each halt after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HaltLink {
    /// The webhook whose message has the link.
    pub webhook: Id,
    /// The place of the message's entry in the audit log.
    pub seq: u64,
    /// The first moment at which the link is not valid any more, in whole seconds.
    pub expires_at: Timestamp,
}

/// Why a link of this service is not valid any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HaltLinkEnded {
    /// It was not used in time.
    #[error("this link has expired: it was valid for {} hours", HALT_LINK_SECONDS / 3600)]
    Expired,
    /// The webhook was deleted, or has lost its halt links.
    #[error("this link was revoked: its webhook was deleted, or no longer has halt links")]
    Revoked,
    /// The release was halted after the message, with the link or in another way.
    #[error(
        "this link has been used, or the release was halted in another way: newer messages have new links"
    )]
    Used,
}

impl HaltLink {
    /// The link in a message that is sent at `now`.
    pub fn new(webhook: Id, seq: u64, now: Timestamp) -> Self {
        let seconds = now.as_seconds().saturating_add(HALT_LINK_SECONDS);
        Self { webhook, seq, expires_at: Timestamp::from_millis(0).plus_seconds(seconds) }
    }

    /// Fails unless the link is valid at `now`. `first_seq`: the first entry whose message has a valid link; `None`
    /// if there is no such webhook, or if it has no halt links.
    ///
    /// # Errors
    /// The reason.
    pub fn check(&self, first_seq: Option<u64>, now: Timestamp) -> Result<(), HaltLinkEnded> {
        if first_seq.is_none_or(|first| self.seq < first) {
            return Err(HaltLinkEnded::Revoked);
        }
        if self.expires_at <= now { Err(HaltLinkEnded::Expired) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENT: Timestamp = Timestamp::from_millis(1_795_225_422_750);

    #[test]
    fn a_link_is_valid_for_72_hours() {
        let link = HaltLink::new(Id::from_text("w"), 7, SENT);
        assert_eq!(link.expires_at, Timestamp::from_millis(1_795_484_622_000));
        for (seconds, ended) in [(0, Ok(())), (259_199, Ok(())), (259_200, Err(HaltLinkEnded::Expired))] {
            assert_eq!(link.check(Some(1), SENT.plus_seconds(seconds)), ended, "{seconds}");
        }
        assert!(HaltLinkEnded::Expired.to_string().ends_with("valid for 72 hours"));
    }

    #[test]
    fn a_link_ends_with_its_webhook() {
        let link = HaltLink::new(Id::from_text("w"), 7, SENT);
        for (first, ended) in [
            (None, Err(HaltLinkEnded::Revoked)),
            (Some(1), Ok(())),
            (Some(7), Ok(())),
            (Some(8), Err(HaltLinkEnded::Revoked)),
        ] {
            assert_eq!(link.check(first, SENT), ended, "{first:?}");
        }
        let late = SENT.plus_seconds(HALT_LINK_SECONDS);
        assert_eq!(link.check(None, late), Err(HaltLinkEnded::Revoked));
    }
}
