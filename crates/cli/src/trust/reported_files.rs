//! The files of an application, as the service reports them. They decide which files are dropped
//! from a list, but never which are added.

use std::collections::BTreeSet;
use std::str::FromStr;

use spindrift_api::TargetEntry;
use spindrift_core::{Sha256Hex, Sha512Hex};
use spindrift_trust::{
    KeepCount, RepositoryName, TargetCustom, TargetFile, TargetFiles, TargetName, TargetsRole,
};

use super::calls::{Artifacts, Calls};
use super::plan::{Retention, RevokedFiles};
use crate::error::CliError;

/// The service's files and its setting.
#[derive(Debug)]
pub(crate) struct ReportedFiles {
    keep: KeepCount,
    recorded: BTreeSet<TargetName>,
    needed: BTreeSet<TargetName>,
}

impl ReportedFiles {
    /// Reads the files of the current list. `there` contains everything that the service has marked
    /// as listed.
    pub(crate) async fn read(
        calls: &Calls,
        current: Option<&TargetsRole>,
        there: &Artifacts,
    ) -> Result<Self, CliError> {
        let keep = KeepCount::from_number(there.keep).unwrap_or(KeepCount::DEFAULT);
        let mut listing = Self { keep, recorded: BTreeSet::new(), needed: BTreeSet::new() };
        listing.add(&there.entries);
        // The service may not have marked all listed files yet.
        let files = current.into_iter().flat_map(TargetsRole::targets);
        let missing: BTreeSet<String> = files
            .filter(|(name, _)| !listing.recorded.contains(*name))
            .map(|(_, file)| file.custom().version.to_string())
            .collect();
        for version in missing {
            listing.add(&calls.artifacts(&[("version", &version)]).await?.entries);
        }
        Ok(listing)
    }

    fn add(&mut self, entries: &[TargetEntry]) {
        for entry in entries {
            let Ok(name) = entry.name.parse::<TargetName>() else { continue };
            if entry.needed {
                self.needed.insert(name.clone());
            }
            self.recorded.insert(name);
        }
    }

    /// The facts that decide which files of a list stay.
    pub(crate) const fn retention<'a>(&'a self, revoked: &'a RevokedFiles) -> Retention<'a> {
        Retention { keep: self.keep, recorded: &self.recorded, needed: &self.needed, revoked }
    }
}

/// The `custom` of an artifact, as the service reports it. `None`: it cannot be a target.
pub(crate) fn custom(repository: &RepositoryName, entry: &TargetEntry) -> Option<TargetCustom> {
    fn part<T: FromStr>(text: Option<&String>) -> Result<Option<T>, T::Err> {
        text.map(|text| text.parse()).transpose()
    }
    Some(TargetCustom {
        repository: repository.clone(),
        version: entry.version.parse().ok()?,
        channel: part(entry.channel.as_ref()).ok()?,
        platform: part(entry.platform.as_ref()).ok()?,
        arch: part(entry.arch.as_ref()).ok()?,
        package: entry.package.parse().ok()?,
    })
}

/// The length and digests of bytes that this machine has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SeenFile {
    pub(crate) length: u64,
    pub(crate) sha256: Sha256Hex,
    pub(crate) sha512: Sha512Hex,
}

impl SeenFile {
    /// Whether the service reports the same about an artifact. It may not know all digests.
    pub(crate) fn agrees_with(&self, entry: &TargetEntry) -> bool {
        let agrees = |kind: &str, ours: &str| {
            entry.hashes.get(kind).is_none_or(|theirs| theirs.eq_ignore_ascii_case(ours))
        };
        entry.length == self.length
            && agrees("sha256", self.sha256.as_str())
            && agrees("sha512", self.sha512.as_str())
    }

    /// These bytes as a target. `None`: they are too long for metadata.
    pub(crate) fn target(&self, custom: TargetCustom) -> Option<TargetFile> {
        TargetFile::new(self.length, self.sha256.clone(), self.sha512.clone(), custom)
    }
}

/// The artifacts whose digests the service all knows, as targets.
pub(crate) fn recorded_targets(repository: &RepositoryName, entries: &[TargetEntry]) -> TargetFiles {
    let file = |entry: &TargetEntry| {
        let digest = |kind: &str| entry.hashes.get(kind);
        let (sha256, sha512) = (digest("sha256")?.parse().ok()?, digest("sha512")?.parse().ok()?);
        let seen = SeenFile { length: entry.length, sha256, sha512 };
        Some((entry.name.parse().ok()?, seen.target(custom(repository, entry)?)?))
    };
    entries.iter().filter_map(file).collect()
}

pub(crate) fn names(entries: &[TargetEntry]) -> BTreeSet<TargetName> {
    entries.iter().filter_map(|entry| entry.name.parse().ok()).collect()
}
