//! The rules for accepting roots.

use spindrift_core::Timestamp;

use crate::error::FaultText;
use crate::role::Role;
use crate::{MetadataVersion, RoleName, RootRole, ServiceKeyIds, Signed, Signing, TrustError};

/// The signer of targets, by root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetsSigner {
    /// The publisher, whose keys the service never has.
    Publisher,
    /// The service.
    Service,
}

impl TargetsSigner {
    /// The signer of targets according to an accepted root.
    pub fn of(root: &RootRole, service: &ServiceKeyIds) -> Self {
        let is_service = root.targets().keyids().iter().any(|id| service.derivable.contains(id));
        if is_service { Self::Service } else { Self::Publisher }
    }
}

/// Checks a root that should follow `trusted`, or be the first one
/// ([TUF 1.0, section 5.3](https://theupdateframework.github.io/specification/latest/#update-root)): it has
/// the next version, and is signed with the root keys that it names and with those of `trusted`. It may have
/// no other signatures. With too few signatures it may wait for more.
pub fn check_root(
    root: &Signed<RootRole>,
    trusted: Option<&RootRole>,
    service: &ServiceKeyIds,
    now: Timestamp,
) -> Result<Signing, TrustError> {
    let role = root.role();
    check_version(role, trusted)?;
    if !RoleName::Root.lifetimes().accept(role.head().expires.seconds_left(now)) {
        return Err(TrustError::Root("expires".into()));
    }
    check_keys(role, service).map_err(TrustError::Root)?;
    let signers: Vec<_> = [Some(role), trusted].into_iter().flatten().map(RootRole::root).collect();
    root.check(&signers, &[])
}

fn check_version(root: &RootRole, trusted: Option<&RootRole>) -> Result<(), TrustError> {
    let next = trusted.map_or(Some(MetadataVersion::FIRST), |trusted| trusted.head().version.following());
    if next == Some(root.head().version) { Ok(()) } else { Err(TrustError::Root("version".into())) }
}

/// The service signs snapshot and timestamp, possibly targets, and never root.
fn check_keys(root: &RootRole, service: &ServiceKeyIds) -> Result<(), FaultText> {
    let is_ours = |id| service.derivable.contains(id);
    if root.root().keyids().iter().any(is_ours) {
        return Err("a key of the service in root".into());
    }
    if !root.online().keyids().iter().all(|id| service.online.contains(id)) {
        return Err("snapshot and timestamp need the online key".into());
    }
    match root.targets().keyids() {
        [only] if service.targets.contains(only) => Ok(()),
        keys if keys.iter().any(is_ours) => Err("a key of the service in targets".into()),
        _ => Ok(()),
    }
}

/// Checks roots that were accepted elsewhere: those that follow `trusted`, or, for a repository that moves
/// here, those from version 1 on. Each is signed with its own root keys and those of its predecessor. They
/// may have expired, and may name any keys.
pub fn check_root_history<'a>(
    mut trusted: Option<&'a RootRole>,
    roots: &'a [Signed<RootRole>],
) -> Result<(), TrustError> {
    for root in roots {
        let role = root.role();
        check_version(role, trusted)?;
        for signer in [Some(role), trusted].into_iter().flatten() {
            if !root.is_signed_by(signer.root())? {
                return Err(TrustError::Signature);
            }
        }
        trusted = Some(role);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
