//! The first root and the first list.

use std::collections::BTreeSet;

use spindrift_api::{BootstrapState, KeyEntry};
use spindrift_trust::{
    Expires, Head, Lifetime, MetadataVersion, NewSigners, PublicKey, RootRole, Signed, Signers, TargetsRole,
};

use super::options::FirstRootOptions;
use crate::error::CliError;
use crate::trust::change::{NextList, next_version};
use crate::trust::key::{new_passphrase, of_entry, read_public};
use crate::trust::key_ring::{KeyRing, RECOVERY};
use crate::trust::signing_session::now;

/// The keys from the arguments.
#[derive(Debug)]
pub(super) struct FirstRoot {
    root: Vec<PublicKey>,
    targets: Vec<PublicKey>,
    thresholds: (usize, usize),
}

impl FirstRoot {
    pub(super) fn given(choices: &FirstRootOptions) -> Result<Self, CliError> {
        let keys = |given: &[String]| given.iter().map(|key| read_public(key)).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            root: keys(&choices.root_keys)?,
            targets: keys(&choices.targets_keys)?,
            thresholds: (choices.threshold, choices.targets_threshold),
        })
    }

    /// Whether a root has the given keys. Generated keys are not among them.
    pub(super) fn agrees_with(&self, root: &RootRole) -> bool {
        let has = |signers: Signers<'_>, keys: &[PublicKey], threshold| {
            let ids: BTreeSet<_> = keys.iter().map(PublicKey::id).collect();
            (ids.is_empty() || ids == signers.keyids().iter().collect()) && signers.threshold() == threshold
        };
        has(root.root(), &self.root, self.thresholds.0)
            && has(root.targets(), &self.targets, self.thresholds.1)
    }
}

/// Generates the keys that were not given, and makes root 1, signed with the available keys.
pub(super) fn make_root(
    choices: &FirstRootOptions,
    state: &BootstrapState,
    key_ring: &mut KeyRing,
) -> Result<Signed<RootRole>, CliError> {
    let FirstRoot { mut root, mut targets, thresholds } = FirstRoot::given(choices)?;
    let mut passphrase = None;
    // One passphrase for all keys, asked for once.
    let mut passphrase = || {
        if choices.no_passphrase {
            return Ok(None);
        }
        if passphrase.is_none() {
            passphrase = Some(new_passphrase()?);
        }
        Ok(passphrase.clone())
    };
    if root.is_empty() {
        for name in ["root", RECOVERY] {
            root.push(key_ring.create(name, &mut passphrase)?.public);
        }
    }
    if choices.online {
        targets.push(service_key(&state.targets_key)?);
    } else if targets.is_empty() {
        targets.push(key_ring.create("targets", &mut passphrase)?.public);
    }
    let head =
        Head { version: MetadataVersion::FIRST, expires: Expires::after(days(choices.root_days)?, now()) };
    let online = service_key(&state.online_key)?;
    let (root, targets) = (NewSigners::new(root, thresholds.0), NewSigners::new(targets, thresholds.1));
    let role = RootRole::new(head, root, targets, online).ok_or_else(|| {
        CliError::usage("a role has 1 to 16 keys, no two the same, and a threshold that they can reach")
    })?;
    let mut signed = Signed::unsigned(role.clone());
    key_ring.sign(&mut signed, &[role.root()], &[])?;
    Ok(signed)
}

/// An empty list, signed with the available keys. `None`: no key is available.
pub(super) fn first_list(
    root: &RootRole,
    lifetime: u16,
    key_ring: &mut KeyRing,
) -> Result<Option<Signed<TargetsRole>>, CliError> {
    let next = NextList { files: [].into(), delegations: None };
    let mut signed = Signed::unsigned(next_version(None, next, days(lifetime)?)?);
    let used = key_ring.sign(&mut signed, &[root.targets()], &[])?;
    Ok(if used.is_empty() { None } else { Some(signed) })
}

fn days(days: u16) -> Result<Lifetime, CliError> {
    Lifetime::from_days(days).ok_or_else(|| CliError::usage("a lifetime has 1 to 3650 days"))
}

fn service_key(entry: &KeyEntry) -> Result<PublicKey, CliError> {
    of_entry(entry).ok_or_else(|| CliError::Untrusted("the service names an invalid key".to_owned()))
}
