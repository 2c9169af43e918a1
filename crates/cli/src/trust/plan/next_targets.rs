//! Computes the next list.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use spindrift_core::{ArchName, ChannelName, PlatformName, Version};
use spindrift_trust::{Keep, TargetFile, TargetName};

use super::revoked::Revoked;

pub(crate) type Files = BTreeMap<TargetName, TargetFile>;

/// The facts that decide about files which are not explicitly added or removed.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    /// How many of the newest releases to keep.
    pub(crate) keep: Keep,
    /// Names that the service still has. Others cannot be signed again.
    pub(crate) recorded: &'a BTreeSet<TargetName>,
    /// Names that a check could return.
    pub(crate) needed: &'a BTreeSet<TargetName>,
    /// Files that must never be signed again.
    pub(crate) revoked: &'a Revoked,
}

/// Why a file is removed from the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    /// Enough newer releases are kept, and no check returns the file.
    Old,
    /// The file was deleted from the service.
    Deleted,
    Revoked,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Next {
    pub(crate) files: Files,
    /// Files of the current list that the next one drops.
    pub(crate) dropped: BTreeMap<TargetName, Why>,
}

/// Computes the files of the list that follows `current` and adds `added`.
///
/// # Errors
///
/// The first added file that is revoked.
pub(crate) fn next_targets(current: &Files, added: &Files, facts: &Facts<'_>) -> Result<Next, TargetName> {
    if let Some((name, _)) = added.iter().find(|(_, file)| facts.revoked.has(file)) {
        return Err(name.clone());
    }
    let mut all = current.clone();
    all.extend(added.clone());
    let kept = kept(&all, facts.keep);
    let mut dropped = BTreeMap::new();
    for (name, file) in &all {
        let why = if added.contains_key(name) {
            None
        } else if facts.revoked.has(file) {
            Some(Why::Revoked)
        } else if !facts.recorded.contains(name) {
            Some(Why::Deleted)
        } else if kept.contains(name) || facts.needed.contains(name) {
            None
        } else {
            Some(Why::Old)
        };
        dropped.extend(why.map(|why| (name.clone(), why)));
    }
    all.retain(|name, _| !dropped.contains_key(name));
    Ok(Next { files: all, dropped })
}

type Scope<'a> = (Option<&'a ChannelName>, Option<&'a PlatformName>, Option<&'a ArchName>);

fn scope(file: &TargetFile) -> Scope<'_> {
    let custom = file.custom();
    (custom.channel.as_ref(), custom.platform.as_ref(), custom.arch.as_ref())
}

/// The files of the newest releases of each channel, platform and architecture.
fn kept(files: &Files, keep: Keep) -> BTreeSet<&TargetName> {
    let mut versions: BTreeMap<Scope<'_>, BTreeSet<Reverse<&Version>>> = BTreeMap::new();
    for file in files.values() {
        versions.entry(scope(file)).or_default().insert(Reverse(&file.custom().version));
    }
    let is_kept = |file: &TargetFile| {
        let newer = versions.get(&scope(file)).map_or(0, |versions| {
            versions.iter().take_while(|version| version.0 > &file.custom().version).count()
        });
        keep.number() == 0 || newer < usize::from(keep.number())
    };
    files.iter().filter(|(_, file)| is_kept(file)).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests;
