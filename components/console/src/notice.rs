//! The notice that confirms a change, at the top of the page after the form.

use spindrift_web::Query;

use crate::Address;

/// The query parameter with the notice. A script on every page removes it from the address, so that
/// a reload does not repeat the notice.
const PARAMETER: &str = "done";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notice {
    Saved,
    /// Clients are now offered something else.
    Offered,
    Planned,
    Paused,
    Halted,
    Published,
    Scheduled,
    Unpublished,
    Withdrawn,
    Restored,
    ShutOff,
    Lifted,
    Frozen,
    FreezeEnded,
    Created,
    Deleted,
    Revoked,
    Password,
    PasskeyAdded,
    PasskeyRemoved,
    /// The account is linked to one at the provider for single sign-on.
    Linked,
    LoginEnded,
    Resolved,
    Muted,
    Reopened,
    Delivered,
}

impl Notice {
    const ALL: [Self; 26] = [
        Self::Saved,
        Self::Offered,
        Self::Planned,
        Self::Paused,
        Self::Halted,
        Self::Published,
        Self::Scheduled,
        Self::Unpublished,
        Self::Withdrawn,
        Self::Restored,
        Self::ShutOff,
        Self::Lifted,
        Self::Frozen,
        Self::FreezeEnded,
        Self::Created,
        Self::Deleted,
        Self::Revoked,
        Self::Password,
        Self::PasskeyAdded,
        Self::PasskeyRemoved,
        Self::Linked,
        Self::LoginEnded,
        Self::Resolved,
        Self::Muted,
        Self::Reopened,
        Self::Delivered,
    ];

    /// The notice in a query. Unknown values are ignored.
    pub(crate) fn of(query: &Query) -> Option<Self> {
        let word = query.get(PARAMETER)?;
        Self::ALL.into_iter().find(|notice| notice.word() == word)
    }

    /// Adds the notice to a page's address.
    pub(crate) fn add_to(self, page: Address) -> Address {
        page.with(PARAMETER, self.word())
    }

    pub(crate) fn text(self) -> &'static str {
        self.word_and_text().1
    }

    fn word(self) -> &'static str {
        self.word_and_text().0
    }

    /// The value in addresses, and the text for people.
    fn word_and_text(self) -> (&'static str, &'static str) {
        match self {
            Self::Saved => ("saved", "Saved."),
            Self::Offered => ("offered", "Saved. The next check sees it."),
            Self::Planned => ("planned", "The plan is set."),
            Self::Paused => ("paused", "Paused."),
            Self::Halted => ("halted", "Halted. The next check sees it."),
            Self::Published => ("published", "Published. The next check sees it."),
            Self::Scheduled => ("scheduled", "Scheduled."),
            Self::Unpublished => ("unpublished", "It is a draft now."),
            Self::Withdrawn => ("withdrawn", "Withdrawn. The next check sees it."),
            Self::Restored => ("restored", "Restored: it is a draft now."),
            Self::ShutOff => ("shut-off", "Updates are shut off. The next check sees it."),
            Self::Lifted => ("lifted", "The shut-off is lifted. The next check sees it."),
            Self::Frozen => ("frozen", "Frozen."),
            Self::FreezeEnded => ("freeze-ended", "The freeze has ended. Releases that it held continue."),
            Self::Created => ("created", "Created."),
            Self::Deleted => ("deleted", "Deleted."),
            Self::Revoked => ("revoked", "Revoked."),
            Self::Password => ("password", "Your password is changed. Log in with the new one."),
            Self::PasskeyAdded => ("passkey-added", "The passkey is added."),
            Self::PasskeyRemoved => ("passkey-removed", "The passkey is removed."),
            Self::Linked => ("linked", "Your account is linked."),
            Self::LoginEnded => ("login-ended", "The login has ended."),
            Self::Resolved => ("resolved", "Resolved."),
            Self::Muted => ("muted", "Muted."),
            Self::Reopened => ("reopened", "Reopened."),
            Self::Delivered => ("delivered", "The receiver took the test message."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_comes_back_as_it_was_sent() {
        for notice in Notice::ALL {
            let address = notice.add_to(Address::page(["people"]).with("x", 1));
            let (_, query) = address.as_str().split_once('?').unwrap();
            assert_eq!(Notice::of(&Query::parse(query).unwrap()), Some(notice));
        }
        assert_eq!(Notice::of(&Query::parse("done=%3Cb%3E").unwrap()), None);
    }
}
