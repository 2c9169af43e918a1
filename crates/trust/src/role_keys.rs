//! The keys of a role, and how many of them must sign.

use std::collections::BTreeSet;

use crate::error::Fault;
use crate::field_reader::{FieldReader, are_distinct};
use crate::json::Json;
use crate::{KeyId, PublicKey, PublicKeys};

/// Maximum number of keys of a role.
const MAX_KEYS: usize = 16;

/// The 1 to 16 distinct keys of a role, and how many of them must sign: at least 1, at most all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleKeys {
    keyids: Vec<KeyId>,
    threshold: usize,
}

impl RoleKeys {
    /// `None` if there are no keys, too many, or one twice, or if they cannot reach the threshold.
    pub fn new(keyids: Vec<KeyId>, threshold: usize) -> Option<Self> {
        let is_valid = (1..=MAX_KEYS).contains(&keyids.len())
            && (1..=keyids.len()).contains(&threshold)
            && are_distinct(&keyids);
        is_valid.then_some(Self { keyids, threshold })
    }

    /// A single key, which must sign.
    pub(crate) fn only(keyid: KeyId) -> Self {
        Self { keyids: vec![keyid], threshold: 1 }
    }

    /// The key, if there is only one.
    pub(crate) fn only_key(&self) -> Option<&KeyId> {
        match self.keyids.as_slice() {
            [keyid] => Some(keyid),
            _ => None,
        }
    }

    /// Reads `keyids` and `threshold`. Every key id must occur in `keys`.
    pub(crate) fn read(fields: &mut FieldReader, keys: &PublicKeys) -> Result<Self, Fault> {
        let keyids: Vec<KeyId> = fields.texts("keyids")?;
        if !keyids.iter().all(|id| keys.contains_key(id)) {
            return Err("keyids".into());
        }
        let threshold = usize::try_from(fields.number("threshold")?).map_err(|_| "threshold")?;
        Self::new(keyids, threshold).ok_or_else(|| "keyids or threshold".into())
    }

    /// `keyids` and `threshold`.
    pub(crate) fn fields(&self) -> [(&'static str, Json); 2] {
        let threshold = u64::try_from(self.threshold).unwrap_or_default();
        [("keyids", Json::texts(&self.keyids)), ("threshold", Json::Number(threshold))]
    }
}

/// The keys that a role is to have, and how many of them must sign.
#[derive(Debug, Clone)]
pub struct NewSigners {
    pub keys: Vec<PublicKey>,
    /// How many of them must sign.
    pub threshold: usize,
}

impl NewSigners {
    pub const fn new(keys: Vec<PublicKey>, threshold: usize) -> Self {
        Self { keys, threshold }
    }

    /// `None` if a role cannot have such keys.
    pub(crate) fn role_keys(&self) -> Option<RoleKeys> {
        RoleKeys::new(self.keys.iter().map(|key| key.id().clone()).collect(), self.threshold)
    }
}

/// The signers of a role, as a root or a delegation names them.
#[derive(Debug, Clone, Copy)]
pub struct Signers<'a> {
    keys: &'a PublicKeys,
    keyids: &'a [KeyId],
    threshold: usize,
}

impl<'a> Signers<'a> {
    /// The signers that `role` names, with their keys from `keys`.
    pub(crate) fn of(keys: &'a PublicKeys, role: &'a RoleKeys) -> Self {
        Self { keys, keyids: &role.keyids, threshold: role.threshold }
    }

    /// A single signer, whose key is in `keys`.
    pub(crate) const fn one(keys: &'a PublicKeys, keyid: &'a KeyId) -> Self {
        Self { keys, keyids: std::slice::from_ref(keyid), threshold: 1 }
    }

    /// The ids of their keys.
    pub const fn keyids(self) -> &'a [KeyId] {
        self.keyids
    }

    /// The key with this id, if it belongs to one of them.
    pub fn key(self, id: &KeyId) -> Option<&'a PublicKey> {
        if self.keyids.contains(id) { self.keys.get(id) } else { None }
    }

    /// How many must sign.
    pub const fn threshold(self) -> usize {
        self.threshold
    }

    /// Whether enough of them are among the keys that have signed. Keys are compared by themselves, not by
    /// their ids.
    pub(crate) fn are_enough(self, signed: &[&PublicKey]) -> bool {
        let theirs = signed.iter().filter(|key| self.key(key.id()).is_some());
        theirs.map(|key| key.public()).collect::<BTreeSet<_>>().len() >= self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_can_be_reached() {
        let id = |n: usize| format!("{n:064x}").parse::<KeyId>().unwrap();
        for (count, threshold, is_valid) in [
            (0, 0, false),
            (0, 1, false),
            (1, 0, false),
            (1, 1, true),
            (1, 2, false),
            (16, 16, true),
            (17, 1, false),
        ] {
            let keys = RoleKeys::new((0..count).map(id).collect(), threshold);
            assert_eq!(keys.is_some(), is_valid, "{threshold} of {count}");
        }
        assert_eq!(RoleKeys::new(vec![id(1), id(2), id(1)], 1), None);
    }
}
