//! Compares `RELEASES` with the upload that it belongs to.

use super::parse::{Releases, ReleasesLine};
use super::{FEED, PackageKind, SquirrelFeed, SquirrelPackage, name};
use crate::BasisPoints;
use crate::feeds::{FeedError, UploadFacts};

/// Requires a line for every uploaded package, with its size and a name that Squirrel parses to the release's
/// version. All packages must belong to one application. The release must have a full package, because
/// clients fail without one.
///
/// Lines of other versions are history and may name missing files. Lines of this version that name
/// unknown files are omitted. A staging percentage in a line of this version must equal the
/// release's rollout, because it is not stored.
pub(in crate::feeds) fn check(feed: &Releases, facts: &UploadFacts<'_>) -> Result<SquirrelFeed, FeedError> {
    let known = facts.known_files();
    let mut packages: Vec<SquirrelPackage> = Vec::new();
    for line in &feed.lines {
        check_staging(line, facts)?;
        let Some(file) = known.find(&line.reference) else { continue };
        if !name::is_of(file.name, facts.version) {
            if file.entry.is_some() {
                return Err(FeedError::in_part(
                    FEED,
                    file.name,
                    "the version in the name is not the release's",
                ));
            }
            continue;
        }
        file.check_size(FEED, line.size)?;
        if packages.iter().any(|package| package.file_name == file.name) {
            return Err(FeedError::in_part(FEED, file.name, "listed twice"));
        }
        packages.push(SquirrelPackage {
            file_name: file.name.to_owned(),
            sha1: line.sha1.clone(),
            size: line.size,
            kind: name::kind(file.name),
            package_id: name::package_id(file.name).to_owned(),
        });
    }
    for entry in facts.of_package("nupkg") {
        if !packages.iter().any(|package| package.file_name == entry.name.as_str()) {
            return Err(FeedError::in_part(FEED, entry.name.as_str(), "uploaded and not listed"));
        }
    }
    if packages.windows(2).any(|pair| matches!(pair, [a, b] if a.package_id != b.package_id)) {
        return Err(FeedError::whole(FEED, "packages of several applications"));
    }
    let feed = SquirrelFeed { packages, delta_base: delta_base(feed, facts) };
    match feed.package(PackageKind::Full) {
        Some(_) => Ok(feed),
        None => Err(FeedError::whole(FEED, "no full package of the release")),
    }
}

fn check_staging(line: &ReleasesLine, facts: &UploadFacts<'_>) -> Result<(), FeedError> {
    if line.staging.is_none_or(|percent| BasisPoints::from_percent(percent) == facts.rollout) {
        return Ok(());
    }
    let name = line.file_name();
    if name::is_of(&name, facts.version) {
        return Err(FeedError::in_part(FEED, &name, "staging differs from the rollout of the release"));
    }
    Ok(())
}

fn delta_base(feed: &Releases, facts: &UploadFacts<'_>) -> Option<crate::Version> {
    let names = feed.lines.iter().map(ReleasesLine::file_name);
    let full = names.filter(|file_name| name::kind(file_name) == PackageKind::Full);
    full.filter_map(|file_name| name::version_beside(&file_name, facts.version))
        .filter(|version| version < facts.version)
        .max()
}
