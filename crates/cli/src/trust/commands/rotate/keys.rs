//! Which keys are added and removed.

use spindrift_trust::{KeyId, PublicKey, Role as _, RoleName, Signers};

use crate::error::CliError;
use crate::trust::key::new_passphrase;
use crate::trust::key_ring::RECOVERY;
use crate::trust::signing_session::SigningSession;
use crate::trust::view::View;

/// Minimum length of a prefix that identifies a key.
const MIN_PREFIX: usize = 6;

/// The keys with these ids, or prefixes of ids.
pub(super) fn find_keys(signers: Signers<'_>, given: &[String]) -> Result<Vec<KeyId>, CliError> {
    let find = |given: &String| {
        let mut found = signers.keyids().iter().filter(|id| id.as_str().starts_with(given.as_str()));
        match (found.next(), found.next()) {
            (Some(id), None) if given.len() >= MIN_PREFIX => Ok(id.clone()),
            (None, _) => {
                Err(CliError::NotFound(format!("the role has no key {given}: see `spindrift trust status`")))
            }
            _ => Err(CliError::usage(format!(
                "`{given}` is too short, or matches several keys: give more of the id"
            ))),
        }
    };
    given.iter().map(find).collect()
}

/// A new key on this machine, and the key that it replaces.
pub(super) fn new_key(
    session: &mut SigningSession,
    view: &View,
    role: &RoleName,
    no_passphrase: bool,
) -> Result<(Vec<KeyId>, PublicKey), CliError> {
    let root = view.root.role();
    let signers = if *role == RoleName::Root { root.root() } else { root.targets() };
    let old = key_to_replace(session, signers)?;
    let following = root.head().version.number() + 1;
    let mut passphrase = || if no_passphrase { Ok(None) } else { new_passphrase().map(Some) };
    // The name contains the version of the root that adds the key, so that a run after a crash
    // finds it again.
    let new = session.key_ring.create(&format!("{role}-{following}"), &mut passphrase)?;
    Ok((vec![old], new.public))
}

/// The role's only key, or its only key on this machine apart from the recovery key.
fn key_to_replace(session: &SigningSession, signers: Signers<'_>) -> Result<KeyId, CliError> {
    if let [only] = signers.keyids() {
        return Ok(only.clone());
    }
    let is_theirs = |path: &std::path::Path| path.file_stem().is_none_or(|stem| stem != RECOVERY);
    let own = session.key_ring.own()?;
    let mut own = own.iter().filter(|key| signers.key(key.public.id()).is_some() && is_theirs(&key.path));
    match (own.next(), own.next()) {
        (Some(key), None) => Ok(key.public.id().clone()),
        _ => Err(CliError::usage(
            "which key is to be replaced? Pass --add and --remove; see `spindrift trust status`",
        )),
    }
}
