//! Computes the next root.

use spindrift_core::Timestamp;
use spindrift_trust::{Expires, Head, KeyId, Lifetime, NewSigners, PublicKey, Role as _, RootRole, Signers};

use crate::error::CliError;

/// A change of the keys of a role.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KeyChange {
    pub(crate) add: Vec<PublicKey>,
    pub(crate) remove: Vec<KeyId>,
    /// The new threshold. `None`: unchanged.
    pub(crate) threshold: Option<usize>,
}

/// The changes of the next root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RootPlan {
    pub(crate) root: KeyChange,
    pub(crate) targets: KeyChange,
    /// The new key for snapshot and timestamp. `None`: unchanged.
    pub(crate) online: Option<PublicKey>,
    pub(crate) lifetime: Lifetime,
}

impl RootPlan {
    /// Only extends the lifetime.
    pub(crate) fn renewal(lifetime: Lifetime) -> Self {
        Self { root: KeyChange::default(), targets: KeyChange::default(), online: None, lifetime }
    }
}

/// The root that follows `current`.
pub(crate) fn next_root(current: &RootRole, plan: &RootPlan, now: Timestamp) -> Result<RootRole, CliError> {
    let version = current.head().version.following();
    let version = version.ok_or_else(|| CliError::Other("root has no further versions".to_owned()))?;
    let head = Head { version, expires: Expires::after(plan.lifetime, now) };
    let root = change_signers(current.root(), &plan.root, "root")?;
    let targets = change_signers(current.targets(), &plan.targets, "targets")?;
    let online = match &plan.online {
        Some(key) => key.clone(),
        None => keys(current.online())
            .into_iter()
            .next()
            .ok_or_else(|| CliError::Untrusted("root has no key for snapshot and timestamp".to_owned()))?,
    };
    RootRole::new(head, root, targets, online).ok_or_else(|| {
        CliError::usage("a role has 1 to 16 keys, no two the same, and a threshold that they can reach")
    })
}

pub(crate) fn keys(signers: Signers<'_>) -> Vec<PublicKey> {
    signers.keyids().iter().filter_map(|id| signers.key(id).cloned()).collect()
}

fn change_signers(signers: Signers<'_>, change: &KeyChange, role: &str) -> Result<NewSigners, CliError> {
    if let Some(stranger) = change.remove.iter().find(|id| signers.key(id).is_none()) {
        return Err(CliError::usage(format!("{stranger} is not a {role} key: see `spindrift trust status`")));
    }
    let mut keys = keys(signers);
    keys.retain(|key| !change.remove.contains(key.id()));
    for key in &change.add {
        if keys.iter().any(|there| there.id() == key.id()) {
            return Err(CliError::usage(format!("{} is already a {role} key", key.id())));
        }
        keys.push(key.clone());
    }
    let threshold = change.threshold.unwrap_or_else(|| signers.threshold());
    if threshold == 0 || threshold > keys.len() {
        return Err(CliError::usage(format!(
            "{role} would have {} keys, and {threshold} would have to sign: add keys, or pass --threshold",
            keys.len()
        )));
    }
    Ok(NewSigners { keys, threshold })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::test_world::{NOW, online, public, root};

    fn ids(signers: Signers<'_>) -> Vec<String> {
        signers.keyids().iter().map(ToString::to_string).collect()
    }

    fn of(numbers: &[u8]) -> Vec<String> {
        numbers.iter().map(|number| public(*number).id().to_string()).collect()
    }

    fn plan(root: KeyChange, targets: KeyChange) -> RootPlan {
        RootPlan { root, targets, ..RootPlan::renewal(Lifetime::from_days(30).unwrap()) }
    }

    fn change(add: &[u8], remove: &[u8], threshold: Option<usize>) -> KeyChange {
        KeyChange {
            add: add.iter().map(|number| public(*number)).collect(),
            remove: remove.iter().map(|number| public(*number).id().clone()).collect(),
            threshold,
        }
    }

    #[test]
    fn a_renewal_changes_only_version_and_end() {
        let current = root(1);
        let next = next_root(&current, &RootPlan::renewal(Lifetime::from_days(30).unwrap()), NOW).unwrap();
        assert_eq!(next.head().version.number(), 2);
        assert_eq!(next.head().expires, Expires::after(Lifetime::from_days(30).unwrap(), NOW));
        assert_eq!(ids(next.root()), ids(current.root()));
        assert_eq!(ids(next.targets()), ids(current.targets()));
        assert_eq!(ids(next.online()), ids(current.online()));
        assert_eq!(next.root().threshold(), 1);
    }

    /// The root in these tests has root keys 1 and 2, and targets key 3.
    #[test]
    fn keys_come_and_go() {
        for (root_change, root_keys, threshold) in [
            (change(&[], &[], None), &[1, 2][..], 1),
            (change(&[4], &[], None), &[1, 2, 4], 1),
            (change(&[4], &[1], None), &[2, 4], 1),
            (change(&[], &[2], None), &[1], 1),
            (change(&[4, 5], &[1, 2], Some(2)), &[4, 5], 2),
            (change(&[], &[], Some(2)), &[1, 2], 2),
        ] {
            let next = next_root(&root(7), &plan(root_change.clone(), KeyChange::default()), NOW).unwrap();
            assert_eq!(ids(next.root()), of(root_keys), "{root_change:?}");
            assert_eq!(next.root().threshold(), threshold, "{root_change:?}");
            assert_eq!(next.head().version.number(), 8);
        }
        let next = next_root(&root(1), &plan(KeyChange::default(), change(&[4], &[3], None)), NOW).unwrap();
        assert_eq!(ids(next.targets()), of(&[4]));
    }

    #[test]
    fn the_online_key_moves() {
        let moved = RootPlan { online: Some(online(2)), ..plan(KeyChange::default(), KeyChange::default()) };
        let next = next_root(&root(1), &moved, NOW).unwrap();
        assert_eq!(ids(next.online()), [online(2).id().to_string()]);
    }

    #[test]
    fn what_no_role_can_have_is_refused() {
        for (root_change, told) in [
            (change(&[], &[1, 2], None), "would have 0 keys"),
            (change(&[], &[1], Some(2)), "would have 1 keys"),
            (change(&[], &[], Some(0)), "0 would have to sign"),
            (change(&[], &[9], None), "is not a root key"),
            (change(&[1], &[], None), "already"),
            (change(&[4, 4], &[], None), "already"),
            (change(&(4..19).collect::<Vec<_>>(), &[], None), "1 to 16 keys"),
        ] {
            let error = next_root(&root(1), &plan(root_change.clone(), KeyChange::default()), NOW);
            let error = error.unwrap_err().to_string();
            assert!(error.contains(told), "{root_change:?}: {error}");
        }
    }
}
