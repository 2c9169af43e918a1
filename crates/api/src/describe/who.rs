//! The callers that may make a call.

use crate::ErrorCode;

/// The callers that may make a call, and the credentials for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Everybody.
    Anyone,
    /// Readers of a file or a repository: everybody, or holders of a download token or a login.
    Reader,
    /// Admins and team users, by login.
    User,
    /// Admins, by login.
    Admin,
    /// Users by login, and CI tokens.
    UserOrToken,
    /// An admin by login, or the maintenance token.
    Maintainer,
    /// Holders of the metrics token.
    Monitor,
    /// Installed copies, with a report key.
    Reporter,
    /// Holders of a halt link, with the token in it.
    LinkHolder,
    /// People who are invited, with the secret of their link.
    Invited,
}

impl Who {
    /// The names of the security schemes, one of which the request needs. Empty: none. `None` among them: it
    /// may also do without.
    pub fn schemes(self) -> &'static [Option<&'static str>] {
        match self {
            Self::Anyone => &[],
            Self::Reader => {
                &[None, Some("login"), Some("ciToken"), Some("downloadToken"), Some("downloadTokenInQuery")]
            }
            Self::User | Self::Admin => &[Some("login")],
            Self::UserOrToken => &[Some("login"), Some("ciToken")],
            Self::Maintainer => &[Some("login"), Some("maintenanceToken")],
            Self::Monitor => &[Some("metricsToken")],
            Self::Reporter => &[Some("reportKey")],
            Self::LinkHolder => &[Some("haltLink")],
            Self::Invited => &[Some("invitation")],
        }
    }

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Anyone => "Anyone",
            Self::Reader => "Anyone, or holders of a download token or a login: the application decides",
            Self::User => "Users",
            Self::Admin => "Admins",
            Self::UserOrToken => "Users and CI tokens",
            Self::Maintainer => "Admins, and holders of the maintenance token",
            Self::Monitor => "Holders of the metrics token",
            Self::Reporter => "Installed copies, with a report key",
            Self::LinkHolder => "Holders of a halt link, with the token in it",
            Self::Invited => "People who are invited, with the secret of their link",
        }
    }

    /// The refusals of other callers, with statuses.
    pub(crate) fn refusals(self) -> &'static [(u16, ErrorCode)] {
        const UNKNOWN: (u16, ErrorCode) = (401, ErrorCode::Unauthorized);
        const TOO_LATE: (u16, ErrorCode) = (401, ErrorCode::TokenExpired);
        const NOT_ALLOWED: (u16, ErrorCode) = (403, ErrorCode::Forbidden);
        const NO_PASSKEY: (u16, ErrorCode) = (403, ErrorCode::PasskeyRequired);
        const NO_PERSON: (u16, ErrorCode) = (403, ErrorCode::NotForCiTokens);
        match self {
            Self::Monitor | Self::LinkHolder | Self::Invited => const { &[UNKNOWN] },
            // The errors that reporters get have no codes.
            Self::Anyone | Self::Reporter => &[],
            Self::Maintainer | Self::User | Self::Admin => {
                const { &[UNKNOWN, TOO_LATE, NOT_ALLOWED, NO_PASSKEY, NO_PERSON] }
            }
            Self::Reader | Self::UserOrToken => const { &[UNKNOWN, TOO_LATE, NOT_ALLOWED, NO_PASSKEY] },
        }
    }
}
