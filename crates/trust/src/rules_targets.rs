//! The rules for accepting targets.

use spindrift_core::{ChannelName, Timestamp};

use crate::delegation::{is_of_channel, may_be_of_channel};
use crate::error::FaultText;
use crate::role::Role;
use crate::rules_root::TargetsSigner;
use crate::{
    Delegations, Head, MetadataVersion, RoleName, ServiceKeyIds, TargetFile, TargetFiles, TargetName,
    TargetsRole, TrustError,
};

/// The current state that new targets are validated against.
#[derive(Debug, Clone, Copy)]
pub struct TargetsRules<'a> {
    pub signer: TargetsSigner,
    pub service: &'a ServiceKeyIds,
    /// The current version of the role. `None` if the role has no metadata yet.
    pub current: Option<MetadataVersion>,
    /// The recorded artifacts of the application: all that `targets` lists, or more.
    pub recorded: &'a TargetFiles,
    pub now: Timestamp,
}

/// Checks the files and delegations of `targets`.
pub fn check_targets(targets: &TargetsRole, rules: &TargetsRules<'_>) -> Result<(), TrustError> {
    check_all(targets, rules).map_err(TrustError::Targets)
}

fn check_all(targets: &TargetsRole, rules: &TargetsRules<'_>) -> Result<(), FaultText> {
    check_head(targets.head(), rules)?;
    targets.delegations().map_or(Ok(()), |delegations| check_delegations(delegations, rules))?;
    let has_signers = |channel: &ChannelName| {
        targets.delegations().is_some_and(|delegations| delegations.signers(channel).is_some())
    };
    check_files(targets, rules, |_, file| !file.custom().channel.as_ref().is_some_and(has_signers))
}

/// Checks the files of a channel that has signers of its own. `delegations` are those of the targets that
/// will be current with it. Refuses a name for which some client would ask another channel's role: for that
/// client the file would not exist, and a list with one such name can make it refuse the whole repository.
pub fn check_channel_targets(
    targets: &TargetsRole,
    channel: &ChannelName,
    delegations: &Delegations,
    rules: &TargetsRules<'_>,
) -> Result<(), TrustError> {
    check_channel(targets, channel, delegations, rules).map_err(TrustError::Targets)
}

fn check_channel(
    targets: &TargetsRole,
    channel: &ChannelName,
    delegations: &Delegations,
    rules: &TargetsRules<'_>,
) -> Result<(), FaultText> {
    check_head(targets.head(), rules)?;
    if targets.delegations().is_some() {
        return Err("delegations of a channel".into());
    }
    check_files(targets, rules, |name, file| {
        file.custom().channel.as_ref() == Some(channel)
            && is_of_channel(name, channel)
            && !delegations.channels().any(|other| other != channel && may_be_of_channel(name, other))
    })
}

fn check_head(head: &Head, rules: &TargetsRules<'_>) -> Result<(), FaultText> {
    if !RoleName::Targets.lifetimes().accept(head.expires.seconds_left(rules.now)) {
        return Err("expires".into());
    }
    let is_next = rules.current.is_none_or(|current| current < head.version);
    if is_next && !head.version.is_far_ahead(rules.now) { Ok(()) } else { Err("version".into()) }
}

/// The signers of channels are offline. Where the service signs targets, it could replace them with itself.
fn check_delegations(delegations: &Delegations, rules: &TargetsRules<'_>) -> Result<(), FaultText> {
    if rules.signer == TargetsSigner::Service {
        return Err("channels have signers only where the publisher signs".into());
    }
    if delegations.keys().keys().any(|id| rules.service.derivable.contains(id)) {
        return Err("a key of the service in delegations".into());
    }
    Ok(())
}

/// Checks that every file is recorded and belongs to the role. The fault names the first that does not.
fn check_files(
    targets: &TargetsRole,
    rules: &TargetsRules<'_>,
    is_of_role: impl Fn(&TargetName, &TargetFile) -> bool,
) -> Result<(), FaultText> {
    for (name, file) in targets.targets() {
        let fault = match rules.recorded.get(name) {
            None => Some("not recorded"),
            Some(recorded) if recorded.length() != file.length() => Some("length"),
            Some(recorded) if !recorded.has_digests_of(file) => Some("digests"),
            Some(recorded) if recorded.custom() != file.custom() => Some("custom"),
            Some(_) if !is_of_role(name, file) => Some("of another role"),
            Some(_) => None,
        };
        if let Some(fault) = fault {
            return Err(FaultText::of_target(fault, name.as_str()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
