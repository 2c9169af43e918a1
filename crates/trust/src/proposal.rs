//! Metadata that users send, and the rules for making it current.

use std::collections::BTreeMap;

use spindrift_core::{ChannelName, Timestamp};

use crate::role::Role;
use crate::{
    MetadataVersion, RoleName, RootRole, ServiceKeyIds, Signature, Signed, Signers, Signing, TargetFiles,
    TargetsRole, TargetsRules, TargetsSigner, TrustError, check_channel_targets, check_root, check_targets,
};

/// Files that become current together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposal {
    pub root: Option<Signed<RootRole>>,
    pub targets: Option<Signed<TargetsRole>>,
    /// The next lists of channels with signers of their own.
    pub channels: BTreeMap<ChannelName, Signed<TargetsRole>>,
}

impl Proposal {
    /// Reads files by their roles. Refuses roles that only the service signs.
    pub fn read<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<Self, TrustError> {
        let mut proposal = Self::default();
        for (role, bytes) in files {
            match role.parse() {
                Ok(RoleName::Root) => proposal.root = Some(Signed::read(bytes)?),
                Ok(RoleName::Targets) => proposal.targets = Some(Signed::read(bytes)?),
                Ok(RoleName::Channel(channel)) => {
                    proposal.channels.insert(channel, Signed::read(bytes)?);
                }
                Ok(RoleName::Snapshot | RoleName::Timestamp) => {
                    return Err(TrustError::Metadata("snapshot and timestamp are the service's".into()));
                }
                Err(_) => return Err(TrustError::Metadata("no such role".into())),
            }
        }
        Ok(proposal)
    }

    pub fn roles(&self) -> impl Iterator<Item = RoleName> {
        let root = self.root.as_ref().map(|_| RoleName::Root);
        let targets = self.targets.as_ref().map(|_| RoleName::Targets);
        root.into_iter().chain(targets).chain(self.channels.keys().cloned().map(RoleName::Channel))
    }

    /// The roles with the versions and contents of their files.
    pub fn files(&self) -> Result<Vec<(RoleName, MetadataVersion, Vec<u8>)>, TrustError> {
        let mut files = Vec::new();
        if let Some(root) = &self.root {
            files.push((RoleName::Root, root.role().head().version, root.to_bytes()?));
        }
        let targets = self.targets.iter().map(|list| (RoleName::Targets, list));
        let channels = self.channels.iter().map(|(name, list)| (RoleName::Channel(name.clone()), list));
        for (role, list) in targets.chain(channels) {
            files.push((role, list.role().head().version, list.to_bytes()?));
        }
        Ok(files)
    }

    /// Adds a signature to the file of a role. `false` if the proposal has no such file.
    pub fn add(&mut self, role: &RoleName, signature: Signature) -> bool {
        match role {
            RoleName::Root => self.root.as_mut().map(|file| file.add(signature)),
            RoleName::Targets => self.targets.as_mut().map(|file| file.add(signature)),
            RoleName::Channel(channel) => self.channels.get_mut(channel).map(|file| file.add(signature)),
            RoleName::Snapshot | RoleName::Timestamp => None,
        }
        .is_some()
    }

    /// Adds the signatures of `other`, which must have the same files. `false` if its files differ: then
    /// nothing is added.
    pub fn merge(&mut self, other: &Self) -> bool {
        if !self.has_same_files(other) {
            return false;
        }
        for (role, signature) in other.signatures() {
            self.add(&role, signature.clone());
        }
        true
    }

    fn has_same_files(&self, other: &Self) -> bool {
        self.root.as_ref().map(Signed::role) == other.root.as_ref().map(Signed::role)
            && self.targets.as_ref().map(Signed::role) == other.targets.as_ref().map(Signed::role)
            && self.channel_roles().eq(other.channel_roles())
    }

    fn channel_roles(&self) -> impl Iterator<Item = (&ChannelName, &TargetsRole)> {
        self.channels.iter().map(|(channel, list)| (channel, list.role()))
    }

    fn signatures(&self) -> impl Iterator<Item = (RoleName, &Signature)> {
        let root = self.root.iter().flat_map(Signed::signatures).map(|one| (RoleName::Root, one));
        let targets = self.targets.iter().flat_map(Signed::signatures).map(|one| (RoleName::Targets, one));
        let channels = self.channels.iter().flat_map(|(channel, list)| {
            list.signatures().iter().map(|one| (RoleName::Channel(channel.clone()), one))
        });
        root.chain(targets).chain(channels)
    }

    /// Whether this may replace `waiting`, which lacks signatures. A list may not replace a root, nor a
    /// channel's list targets: otherwise a stolen key could prevent its own removal.
    pub fn may_replace(&self, waiting: &Self) -> bool {
        self.rank() <= waiting.rank()
    }

    /// 0 if it decides about the keys of all roles, 1 if about those of channels, 2 if about none.
    fn rank(&self) -> u8 {
        match (&self.root, &self.targets) {
            (Some(_), _) => 0,
            (None, Some(_)) => 1,
            (None, None) => 2,
        }
    }
}

/// The metadata that is trusted now, and the records, against which a proposal is validated.
#[derive(Debug, Clone, Copy)]
pub struct TrustedMetadata<'a> {
    /// The current root. `None` if the repository starts with the root of the proposal.
    pub root: Option<&'a RootRole>,
    /// The root before the current one.
    pub previous_root: Option<&'a RootRole>,
    pub targets: Option<&'a Signed<TargetsRole>>,
    /// The current lists of channels, including channels that no longer have signers of their own.
    pub channels: &'a BTreeMap<ChannelName, Signed<TargetsRole>>,
    pub service: &'a ServiceKeyIds,
    /// The recorded artifacts of the application: all that the proposal lists, or more.
    pub recorded: &'a TargetFiles,
    pub now: Timestamp,
}

/// The roles of the proposal that lack signatures. Empty if it may become current. Fails if it never may.
///
/// A proposal waits for signatures only if a signer has vouched for it. Root names the signers of targets,
/// and targets name those of channels. So one of its signers must have signed the highest role of the
/// proposal, while the roles below it may lack all signatures. The first root may lack all of them too: only
/// an admin can send it, and no other proposal can be waiting yet.
pub fn validate_proposal(
    proposal: &Proposal,
    trusted: &TrustedMetadata<'_>,
) -> Result<Vec<RoleName>, TrustError> {
    let mut lacking = MissingSignatures { roles: Vec::new(), is_vouched_for: trusted.root.is_none() };
    if let Some(root) = &proposal.root {
        lacking.add(RoleName::Root, check_root(root, trusted.root, trusted.service, trusted.now)?)?;
        lacking.is_vouched_for = true;
    }
    let root = proposal.root.as_ref().map(Signed::role).or(trusted.root);
    let root = root.ok_or(TrustError::Root("it lacks signatures".into()))?;
    let rules = Rules { trusted, root, signer: TargetsSigner::of(root, trusted.service) };
    if rules.signer == TargetsSigner::Service {
        let has_lists = proposal.targets.is_some() || !proposal.channels.is_empty();
        return if has_lists {
            Err(TrustError::Targets("the service signs targets".into()))
        } else {
            Ok(lacking.roles)
        };
    }
    rules.check_targets(proposal, &mut lacking)?;
    rules.check_channels(proposal, &mut lacking)?;
    Ok(lacking.roles)
}

/// The roles that lack signatures.
struct MissingSignatures {
    roles: Vec<RoleName>,
    /// Whether the next role may lack all its signatures.
    is_vouched_for: bool,
}

impl MissingSignatures {
    fn add(&mut self, role: RoleName, signing: Signing) -> Result<(), TrustError> {
        match signing {
            Signing::Complete => {}
            Signing::Unsigned if !self.is_vouched_for => return Err(TrustError::Unsigned),
            Signing::Pending | Signing::Unsigned => self.roles.push(role),
        }
        Ok(())
    }
}

/// The rules for lists that publishers sign.
struct Rules<'a> {
    trusted: &'a TrustedMetadata<'a>,
    /// The root that will be current.
    root: &'a RootRole,
    signer: TargetsSigner,
}

impl Rules<'_> {
    /// The version that the next list has to exceed. With a new key for snapshot and timestamp, clients
    /// forget the versions of lists, so numbers that were made up to block later ones need not be exceeded.
    fn to_exceed(&self, list: Option<&Signed<TargetsRole>>) -> Option<MetadataVersion> {
        let version = list?.role().head().version;
        let is_forgotten =
            self.trusted.root.is_some_and(|now| now.online().keyids() != self.root.online().keyids());
        (!is_forgotten || !version.is_far_ahead(self.trusted.now)).then_some(version)
    }

    fn of_list(&self, current: Option<&Signed<TargetsRole>>) -> TargetsRules<'_> {
        TargetsRules {
            signer: self.signer,
            service: self.trusted.service,
            current: self.to_exceed(current),
            recorded: self.trusted.recorded,
            now: self.trusted.now,
        }
    }

    /// Targets may additionally be signed with keys of the previous root, for clients that do not know the
    /// new root yet.
    fn check_targets(&self, proposal: &Proposal, lacking: &mut MissingSignatures) -> Result<(), TrustError> {
        let Some(targets) = &proposal.targets else { return self.check_kept_targets(proposal) };
        check_targets(targets.role(), &self.of_list(self.trusted.targets))?;
        let before = if proposal.root.is_some() { self.trusted.root } else { self.trusted.previous_root };
        let before: Vec<Signers<'_>> = before.map(RootRole::targets).into_iter().collect();
        lacking.add(RoleName::Targets, targets.check(&[self.root.targets()], &before)?)?;
        lacking.is_vouched_for = true;
        Ok(())
    }

    /// A root is refused if its keys have not signed the current targets: they would become invalid.
    fn check_kept_targets(&self, proposal: &Proposal) -> Result<(), TrustError> {
        match self.trusted.targets {
            Some(targets) if proposal.root.is_some() && !targets.is_signed_by(self.root.targets())? => {
                Err(TrustError::Root("its keys have not signed the targets".into()))
            }
            _ => Ok(()),
        }
    }

    fn check_channels(&self, proposal: &Proposal, lacking: &mut MissingSignatures) -> Result<(), TrustError> {
        let current = self.trusted.targets.map(Signed::role);
        let before = current.and_then(TargetsRole::delegations);
        let delegations = match &proposal.targets {
            Some(targets) => targets.role().delegations(),
            None => before,
        };
        for (channel, list) in &proposal.channels {
            let own = delegations.and_then(|all| Some((all, all.signers(channel)?)));
            let (all, signers) = own.ok_or(TrustError::Targets("a channel without signers".into()))?;
            let rules = self.of_list(self.trusted.channels.get(channel));
            check_channel_targets(list.role(), channel, all, &rules)?;
            let before: Vec<_> = before.and_then(|before| before.signers(channel)).into_iter().collect();
            lacking.add(RoleName::Channel(channel.clone()), list.check(&[signers], &before)?)?;
        }
        let Some(delegations) = delegations.filter(|_| proposal.targets.is_some()) else {
            return Ok(());
        };
        for channel in delegations.channels().filter(|channel| !proposal.channels.contains_key(channel)) {
            self.check_kept_channel(channel, delegations.signers(channel))?;
        }
        Ok(())
    }

    /// Every channel with signers needs a list signed by them: some clients load the lists of all channels.
    fn check_kept_channel(
        &self,
        channel: &ChannelName,
        signers: Option<Signers<'_>>,
    ) -> Result<(), TrustError> {
        let list = self.trusted.channels.get(channel);
        match list.zip(signers) {
            Some((list, signers)) if list.is_signed_by(signers)? => Ok(()),
            _ => Err(TrustError::Targets("a channel's signers have signed no list".into())),
        }
    }
}

#[cfg(test)]
mod tests;
