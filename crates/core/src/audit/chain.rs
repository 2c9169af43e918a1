//! The chain of hashes: each one covers the text of its entry and the previous hash.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

const HASH_BYTES: usize = 32;

/// SHA-256 of the previous hash and the entry's text. Before the first entry it is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditHash([u8; HASH_BYTES]);

impl AuditHash {
    /// The hash before the first entry.
    pub const START: Self = Self([0; HASH_BYTES]);

    /// The hash from its 32 stored bytes. `None`: another number of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; HASH_BYTES] {
        &self.0
    }

    /// The hash of the following entry.
    #[must_use]
    pub fn followed_by(&self, text: &str) -> Self {
        Self(Sha256::new().chain_update(self.0).chain_update(text).finalize().into())
    }
}

impl fmt::Display for AuditHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&base16ct::lower::encode_string(&self.0))
    }
}

/// The text is not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid hash")]
pub struct InvalidHash;

impl FromStr for AuditHash {
    type Err = InvalidHash;

    fn from_str(text: &str) -> Result<Self, InvalidHash> {
        let mut bytes = [0; HASH_BYTES];
        match base16ct::mixed::decode(text, &mut bytes) {
            Ok(decoded) if decoded.len() == HASH_BYTES => Ok(Self(bytes)),
            _ => Err(InvalidHash),
        }
    }
}

/// Why a chain is broken. Every variant names the first entry from which on the log cannot be
/// trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokenChain {
    /// The entry, or one before it, was altered.
    #[error(
        "entry {seq} does not have the hash that it was written with: it, or the entry before it, was changed"
    )]
    Changed {
        /// The place of the entry.
        seq: u64,
    },
    /// Entries are missing, or their order was changed.
    #[error("entry {expected} is missing: entry {found} follows instead")]
    Gap {
        /// The place of the expected entry.
        expected: u64,
        /// The place of the actual entry.
        found: u64,
    },
    /// The text is not an entry.
    #[error("the text after entry {after} is not an entry")]
    NoEntry {
        /// The place of the last entry that can be read.
        after: u64,
    },
    /// The log ends before the head that was stored elsewhere.
    #[error("the end is missing: the log has {found} of at least {expected} entries")]
    Truncated {
        /// The place of the head.
        expected: u64,
        /// The place of the last entry.
        found: u64,
    },
}

/// Verifies the entries of a log one by one, from the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditChain {
    seq: u64,
    hash: AuditHash,
    /// A place and a hash that were stored elsewhere.
    head: Option<(u64, AuditHash)>,
}

#[derive(serde::Deserialize)]
struct ChainPosition {
    seq: u64,
}

impl AuditChain {
    /// An empty chain. `head`: the place and the hash of an entry, stored where whoever controls
    /// the log cannot change them.
    pub const fn new(head: Option<(u64, AuditHash)>) -> Self {
        Self { seq: 0, hash: AuditHash::START, head }
    }

    /// The number of entries so far.
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// The hash of the last entry so far.
    pub const fn hash(&self) -> AuditHash {
        self.hash
    }

    /// Checks the next entry.
    pub fn add(&mut self, text: &str, hash: AuditHash) -> Result<(), BrokenChain> {
        let place: ChainPosition =
            serde_json::from_str(text).map_err(|_| BrokenChain::NoEntry { after: self.seq })?;
        let (expected, found) = (self.seq + 1, place.seq);
        if found != expected {
            return Err(BrokenChain::Gap { expected, found });
        }
        let is_kept = |head: &(u64, AuditHash)| head.0 != found || head.1 == hash;
        if self.hash.followed_by(text) != hash || !self.head.as_ref().is_none_or(is_kept) {
            return Err(BrokenChain::Changed { seq: found });
        }
        (self.seq, self.hash) = (found, hash);
        Ok(())
    }

    /// Checks that the log has not ended before the head.
    pub fn end(&self) -> Result<(), BrokenChain> {
        match self.head {
            Some((expected, _)) if self.seq < expected => {
                Err(BrokenChain::Truncated { expected, found: self.seq })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts and hashes of `count` entries.
    fn log(count: u64) -> Vec<(String, AuditHash)> {
        let mut hash = AuditHash::START;
        let next = |seq| {
            let text = format!(r#"{{"seq":{seq}}}"#);
            hash = hash.followed_by(&text);
            (text, hash)
        };
        (1..=count).map(next).collect()
    }

    fn check(log: &[(String, AuditHash)], head: Option<(u64, AuditHash)>) -> Result<u64, BrokenChain> {
        let mut chain = AuditChain::new(head);
        log.iter().try_for_each(|(text, hash)| chain.add(text, *hash))?;
        chain.end().map(|()| chain.seq())
    }

    #[test]
    fn the_first_hash_covers_zeros_and_the_text() {
        let (_, hash) = log(1).remove(0);
        let expected = "ff44e121014845ba9f060b9dd529b57e3706d9dcbf47ce18d6a7e50bea6c7e46";
        assert_eq!(hash.to_string(), expected);
        assert_eq!(expected.parse(), Ok(hash));
        assert_eq!("ff".parse::<AuditHash>(), Err(InvalidHash));
    }

    #[test]
    fn a_whole_log_holds() {
        let log = log(4);
        assert_eq!(check(&log, None), Ok(4));
        assert_eq!(check(&log, Some((4, log[3].1))), Ok(4));
        assert_eq!(check(&log, Some((2, log[1].1))), Ok(4), "the log has grown since the head was kept");
        assert_eq!(check(&[], None), Ok(0));
    }

    #[test]
    fn a_changed_log_names_the_entry() {
        let whole = log(4);
        let mut changed = whole.clone();
        changed[1].0 = r#"{"seq":2,"x":1}"#.to_owned();
        assert_eq!(check(&changed, None), Err(BrokenChain::Changed { seq: 2 }));
        changed[1].1 = changed[0].1.followed_by(&changed[1].0);
        assert_eq!(check(&changed, None), Err(BrokenChain::Changed { seq: 3 }), "its hash was changed too");
        let without = [&whole[..1], &whole[2..]].concat();
        assert_eq!(check(&without, None), Err(BrokenChain::Gap { expected: 2, found: 3 }));
        let no_entry = [("{}".to_owned(), AuditHash::START)];
        assert_eq!(check(&no_entry, None), Err(BrokenChain::NoEntry { after: 0 }));
    }

    #[test]
    fn only_a_head_that_was_kept_shows_a_new_or_shortened_log() {
        let whole = log(4);
        let head = (4, whole[3].1);
        assert_eq!(check(&whole[..3], None), Ok(3));
        assert_eq!(check(&whole[..3], Some(head)), Err(BrokenChain::Truncated { expected: 4, found: 3 }));
        let mut rewritten = AuditHash::START;
        let rewritten: Vec<_> = (1..=4)
            .map(|seq| {
                let text = format!(r#"{{"seq":{seq},"x":1}}"#);
                rewritten = rewritten.followed_by(&text);
                (text, rewritten)
            })
            .collect();
        assert_eq!(check(&rewritten, None), Ok(4));
        assert_eq!(check(&rewritten, Some(head)), Err(BrokenChain::Changed { seq: 4 }));
    }
}
