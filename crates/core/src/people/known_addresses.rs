//! The addresses from which a user has recently logged in.

use crate::{ClientAddress, Timestamp, subject_of};

/// Maximum number of addresses for a user name. A new address replaces the one that was used
/// longest ago.
const MAX_ADDRESSES: usize = 8;
/// For how many seconds an address is known after a login: 30 days.
const KNOWN_SECONDS: i64 = 30 * 24 * 60 * 60;
/// After how many seconds another login from a known address is recorded: a day. This saves a write
/// for each login.
const RENEWED_SECONDS: i64 = 24 * 60 * 60;

/// Digest of an address together with a user name, so that no address is stored. Also the subject
/// of the counter for this address.
pub fn address_of_user(user_name: &str, address: ClientAddress) -> String {
    subject_of(&format!("{}\n{user_name}", address.subject()))
}

/// Addresses by digest, each with the time of a login from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownAddresses(Vec<(String, Timestamp)>);

impl KnownAddresses {
    /// Reads the output of [`Self::to_text`]. Other lines are ignored.
    pub fn from_text(text: &str) -> Self {
        let line = |line: &str| {
            let (digest, millis) = line.split_once(' ')?;
            Some((digest.to_owned(), Timestamp::from_millis(millis.parse().ok()?)))
        };
        Self(text.lines().filter_map(line).take(MAX_ADDRESSES).collect())
    }

    /// One line for each address.
    pub fn to_text(&self) -> String {
        let lines: Vec<_> =
            self.0.iter().map(|(digest, at)| format!("{digest} {}", at.as_millis())).collect();
        lines.join("\n")
    }

    /// Whether there was a recent login from this address.
    pub fn contain(&self, digest: &str, now: Timestamp) -> bool {
        self.0.iter().any(|(known, at)| known == digest && at.is_within(now, KNOWN_SECONDS))
    }

    /// Records a login from this address. `false`: nothing has changed, because a login was
    /// recorded recently.
    pub fn note(&mut self, digest: &str, now: Timestamp) -> bool {
        if self.0.iter().any(|(known, at)| known == digest && at.is_within(now, RENEWED_SECONDS)) {
            return false;
        }
        self.0.retain(|(known, at)| known != digest && at.is_within(now, KNOWN_SECONDS));
        let surplus = (self.0.len() + 1).saturating_sub(MAX_ADDRESSES);
        self.0.sort_by_key(|(_, at)| *at);
        self.0.drain(..surplus);
        self.0.push((digest.to_owned(), now));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TrustedProxies;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_795_225_422_000).plus_seconds(seconds)
    }

    #[test]
    fn an_address_is_known_for_thirty_days() {
        let mut known = KnownAddresses::default();
        assert!(!known.contain("a", at(0)));
        assert!(known.note("a", at(0)));
        for (seconds, expected) in [(0, true), (KNOWN_SECONDS, true), (KNOWN_SECONDS + 1, false), (-1, false)]
        {
            assert_eq!(known.contain("a", at(seconds)), expected, "{seconds}");
        }
        assert!(!known.contain("b", at(0)));
    }

    #[test]
    fn a_login_is_noted_once_a_day() {
        let mut known = KnownAddresses::default();
        assert!(known.note("a", at(0)));
        assert!(!known.note("a", at(RENEWED_SECONDS)));
        assert!(known.note("b", at(10)));
        assert!(known.note("a", at(RENEWED_SECONDS + 1)));
        assert_eq!(known, KnownAddresses(vec![("b".into(), at(10)), ("a".into(), at(RENEWED_SECONDS + 1))]));
    }

    #[test]
    fn memory_is_bounded() {
        let mut known = KnownAddresses::default();
        for n in 0..100 {
            assert!(known.note(&n.to_string(), at(n)));
        }
        assert_eq!(known.0.len(), MAX_ADDRESSES);
        assert!(known.contain("99", at(99)) && known.contain("92", at(99)) && !known.contain("91", at(99)));
        assert!(known.note("late", at(99 + KNOWN_SECONDS + 1)));
        assert_eq!(known.0.len(), 1, "expired addresses are removed");
        let long = (0..100).map(|n| format!("{n} {n}")).collect::<Vec<_>>().join("\n");
        assert_eq!(KnownAddresses::from_text(&long).0.len(), MAX_ADDRESSES);
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let mut known = KnownAddresses::default();
        known.note("a", at(0));
        known.note("b", at(1));
        assert_eq!(KnownAddresses::from_text(&known.to_text()), known);
        for text in ["", "x", "a b", "\n\n", "\u{0}"] {
            assert_eq!(KnownAddresses::from_text(text), KnownAddresses::default(), "{text:?}");
        }
    }

    #[test]
    fn the_digest_is_of_both() {
        let address =
            |text: &str| TrustedProxies::default().client(text.parse().unwrap(), std::iter::empty());
        let digest = address_of_user("ada", address("203.0.113.1"));
        assert_eq!(digest.len(), 32);
        assert_ne!(digest, address_of_user("bob", address("203.0.113.1")));
        assert_ne!(digest, address_of_user("ada", address("203.0.113.2")));
    }
}
