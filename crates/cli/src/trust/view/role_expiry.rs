//! When metadata expires.

use spindrift_core::Timestamp;
use spindrift_trust::{Expires, RoleName};

const DAY_SECONDS: i64 = 86_400;
/// How many days before an offline role expires warnings begin.
const WARN_DAYS: i64 = 30;
/// How many days before root expires warnings begin: enough for applications with a new root to
/// reach users.
const WARN_ROOT_DAYS: i64 = 180;

/// When the metadata of a role expires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RoleExpiry {
    pub(crate) role: RoleName,
    pub(crate) expires: Expires,
}

impl RoleExpiry {
    /// Whole days left. Negative after the expiry.
    pub(crate) const fn days_left(&self, now: Timestamp) -> i64 {
        (self.expires.time().as_seconds() - now.as_seconds()).div_euclid(DAY_SECONDS)
    }

    /// The advice, in one line. `None`: nothing needs to be done yet.
    pub(crate) fn problem(&self, now: Timestamp) -> Option<String> {
        let Self { role, expires } = self;
        let (limit, remedy) = match role {
            RoleName::Root => (WARN_ROOT_DAYS, "run `spindrift trust renew root`"),
            RoleName::Targets => (WARN_DAYS, "run `spindrift trust renew targets`, or publish something"),
            RoleName::Channel(_) => (WARN_DAYS, "have its signers publish something"),
            // The service renews these long before they expire.
            RoleName::Snapshot | RoleName::Timestamp => (0, "the service should have signed it: see its log"),
        };
        if expires.is_expired(now) {
            Some(format!("{role} expired at {expires}: {remedy}"))
        } else if self.days_left(now) < limit {
            Some(format!("{role} expires in {} days, at {expires}: {remedy}", self.days_left(now)))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_come_in_time() {
        let now = Timestamp::from_rfc3339("2026-11-22T00:00:00Z").unwrap();
        let problem = |role: &str, expires: &str| {
            RoleExpiry { role: role.parse().unwrap(), expires: expires.parse().unwrap() }.problem(now)
        };
        for (role, expires, told) in [
            ("root", "2027-05-21T00:00:00Z", None),
            ("root", "2027-05-20T23:59:59Z", Some("expires in 179 days")),
            ("targets", "2026-12-22T00:00:00Z", None),
            ("targets", "2026-12-21T23:59:59Z", Some("expires in 29 days")),
            ("channel-beta", "2026-11-22T00:00:01Z", Some("expires in 0 days")),
            ("targets", "2026-11-22T00:00:00Z", Some("expired at")),
            ("timestamp", "2026-11-22T00:00:01Z", None),
            ("timestamp", "2026-11-21T00:00:00Z", Some("expired at")),
        ] {
            let problem = problem(role, expires);
            assert_eq!(problem.is_some(), told.is_some(), "{role} {expires}: {problem:?}");
            assert!(problem.is_none_or(|text| text.contains(told.unwrap())), "{role} {expires}");
        }
    }
}
