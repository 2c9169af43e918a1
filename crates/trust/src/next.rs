//! The next files that the service writes and signs.

use std::collections::BTreeMap;

use spindrift_core::{ChannelName, Timestamp};

use crate::role::Role;
use crate::{
    FileMeta, Head, Lifetime, MetadataFile, MetadataVersion, Renewal, RoleName, RootRole, ServiceLifetimes,
    Signed, SigningKey, SnapshotRole, TargetFiles, TargetsRole, TimestampRole, TrustError,
};

/// A file that has to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    pub role: RoleName,
    /// Its version and expiry.
    pub head: Head,
    pub bytes: Vec<u8>,
}

impl NewFile {
    /// The file of signed metadata.
    pub fn of<R: Role>(role: RoleName, signed: &Signed<R>) -> Result<Self, TrustError> {
        Ok(Self { role, head: *signed.role().head(), bytes: signed.to_bytes()? })
    }

    pub fn file(&self) -> MetadataFile {
        MetadataFile::new(self.role.clone(), self.head.version)
    }

    fn meta(&self) -> Result<FileMeta, TrustError> {
        FileMeta::of(self.head.version, &self.bytes)
    }
}

/// Lists that become current.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewLists {
    pub targets: Option<Signed<TargetsRole>>,
    /// The lists of channels with signers of their own.
    pub channels: BTreeMap<ChannelName, Signed<TargetsRole>>,
}

/// The metadata, keys and time from which the service makes and signs the next files.
#[derive(Debug, Clone, Copy)]
pub struct SigningContext<'a> {
    /// The root that will be current.
    pub root: &'a RootRole,
    /// The root that is current now, if it is a different one.
    pub replaced_root: Option<&'a RootRole>,
    pub snapshot: Option<&'a SnapshotRole>,
    pub timestamp: Option<&'a TimestampRole>,
    /// The key for snapshot and timestamp that root names, and the one that the replaced root names,
    /// if it is available, for clients that do not know the new root yet.
    pub online: &'a [SigningKey],
    /// The lifetimes of what the service signs.
    pub lifetimes: &'a ServiceLifetimes,
    pub now: Timestamp,
}

impl SigningContext<'_> {
    /// Whether clients forget snapshot and timestamp, because a different key signs them.
    fn restarts(&self) -> bool {
        self.replaced_root.is_some_and(|replaced| replaced.online().keyids() != self.root.online().keyids())
    }

    /// Signs targets in the name of the service, as the successor of version `previous`. `keys` are chosen
    /// like [`SigningContext::online`].
    pub fn sign_targets(
        &self,
        previous: Option<MetadataVersion>,
        targets: TargetFiles,
        keys: &[SigningKey],
    ) -> Result<Signed<TargetsRole>, TrustError> {
        let head = self.head(previous, self.lifetimes.targets)?;
        let mut signed = Signed::unsigned(TargetsRole::new(head, targets, None)?);
        signed.sign(keys)?;
        Ok(signed)
    }

    fn head(&self, previous: Option<MetadataVersion>, lifetime: Lifetime) -> Result<Head, TrustError> {
        // Numbers that were made up to block later ones are then forgotten too.
        let previous = previous.filter(|version| !self.restarts() || !version.is_far_ahead(self.now));
        Head::to_sign(previous, lifetime, self.now)
    }

    fn sign<R: Role>(&self, role: R) -> Result<Signed<R>, TrustError> {
        let mut signed = Signed::unsigned(role);
        signed.sign(self.online)?;
        Ok(signed)
    }
}

/// The new lists, and the snapshot and timestamp that they, a new key or `renewal` require, in the order in
/// which they have to be written. Empty without targets, because a snapshot would have nothing to name.
pub fn next_files(
    context: &SigningContext<'_>,
    lists: &NewLists,
    renewal: Renewal,
) -> Result<Vec<NewFile>, TrustError> {
    let channels = lists.channels.iter().map(|(channel, list)| {
        let file = NewFile::of(RoleName::Channel(channel.clone()), list)?;
        Ok((channel.clone(), file))
    });
    let channels = channels.collect::<Result<BTreeMap<_, _>, TrustError>>()?;
    let targets = lists.targets.as_ref().map(|list| NewFile::of(RoleName::Targets, list)).transpose()?;
    let targets_meta = match &targets {
        Some(file) => Some(file.meta()?),
        None => context.snapshot.map(|snapshot| snapshot.targets().clone()),
    };
    let Some(targets_meta) = targets_meta else { return Ok(Vec::new()) };
    let metas = channels.iter().map(|(channel, file)| Ok((channel.clone(), file.meta()?)));
    let metas = metas.collect::<Result<BTreeMap<_, _>, TrustError>>()?;
    let mut files: Vec<NewFile> = channels.into_values().chain(targets).collect();

    let snapshot_meta = match context.timestamp {
        Some(timestamp) if files.is_empty() && !context.restarts() && renewal < Renewal::Snapshot => {
            timestamp.snapshot.clone()
        }
        _ => {
            let head =
                context.head(context.snapshot.map(|role| role.head().version), context.lifetimes.snapshot)?;
            let snapshot = SnapshotRole::after(context.snapshot, head, targets_meta, metas);
            let file = NewFile::of(RoleName::Snapshot, &context.sign(snapshot)?)?;
            let meta = file.meta()?;
            files.push(file);
            meta
        }
    };
    if !files.is_empty() || renewal >= Renewal::Timestamp {
        let head =
            context.head(context.timestamp.map(|role| role.head.version), context.lifetimes.timestamp)?;
        let timestamp = context.sign(TimestampRole { head, snapshot: snapshot_meta })?;
        files.push(NewFile::of(RoleName::Timestamp, &timestamp)?);
    }
    Ok(files)
}

#[cfg(test)]
mod tests;
