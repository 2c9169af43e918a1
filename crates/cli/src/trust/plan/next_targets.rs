//! Computes the next list.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use spindrift_core::{ArchName, ChannelName, PlatformName, Version};
use spindrift_trust::{KeepCount, TargetFile, TargetFiles, TargetName};

use super::revoked::RevokedFiles;

/// The facts that decide about files which are not explicitly added or removed.
#[derive(Debug)]
pub(crate) struct Retention<'a> {
    /// How many of the newest releases to keep.
    pub(crate) keep: KeepCount,
    /// Names that the service still has. Others cannot be signed again.
    pub(crate) recorded: &'a BTreeSet<TargetName>,
    /// Names that a check could return.
    pub(crate) needed: &'a BTreeSet<TargetName>,
    /// Files that must never be signed again.
    pub(crate) revoked: &'a RevokedFiles,
}

/// Why a file is removed from the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DropReason {
    /// Enough newer releases are kept, and no check returns the file.
    Old,
    /// The file was deleted from the service.
    Deleted,
    Revoked,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NextFiles {
    pub(crate) files: TargetFiles,
    /// Files of the current list that the next one drops.
    pub(crate) dropped: BTreeMap<TargetName, DropReason>,
}

/// Computes the files of the list that follows `current` and adds `added`.
///
/// # Errors
///
/// The first added file that is revoked.
pub(crate) fn next_targets(
    current: &TargetFiles,
    added: &TargetFiles,
    retention: &Retention<'_>,
) -> Result<NextFiles, TargetName> {
    if let Some((name, _)) = added.iter().find(|(_, file)| retention.revoked.has(file)) {
        return Err(name.clone());
    }
    let mut all = current.clone();
    all.extend(added.clone());
    let kept = newest_files(&all, retention.keep);
    let mut dropped = BTreeMap::new();
    for (name, file) in &all {
        let reason = if added.contains_key(name) {
            None
        } else if retention.revoked.has(file) {
            Some(DropReason::Revoked)
        } else if !retention.recorded.contains(name) {
            Some(DropReason::Deleted)
        } else if kept.contains(name) || retention.needed.contains(name) {
            None
        } else {
            Some(DropReason::Old)
        };
        dropped.extend(reason.map(|reason| (name.clone(), reason)));
    }
    all.retain(|name, _| !dropped.contains_key(name));
    Ok(NextFiles { files: all, dropped })
}

type TargetScope<'a> = (Option<&'a ChannelName>, Option<&'a PlatformName>, Option<&'a ArchName>);

fn scope(file: &TargetFile) -> TargetScope<'_> {
    let custom = file.custom();
    (custom.channel.as_ref(), custom.platform.as_ref(), custom.arch.as_ref())
}

/// The files of the newest releases of each channel, platform and architecture.
fn newest_files(files: &TargetFiles, keep: KeepCount) -> BTreeSet<&TargetName> {
    let mut versions: BTreeMap<TargetScope<'_>, BTreeSet<Reverse<&Version>>> = BTreeMap::new();
    for file in files.values() {
        versions.entry(scope(file)).or_default().insert(Reverse(&file.custom().version));
    }
    let is_kept = |file: &TargetFile| {
        let newer = versions.get(&scope(file)).map_or(0, |versions| {
            versions.iter().take_while(|version| version.0 > &file.custom().version).count()
        });
        keep.keeps(newer)
    };
    files.iter().filter(|(_, file)| is_kept(file)).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests;
