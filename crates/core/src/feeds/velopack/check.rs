//! Comparing a Velopack feed with the upload it comes with.

use super::parse::VelopackIndex;
use super::{FEED, VelopackAsset, VelopackAssetKind, VelopackFeed};
use crate::Version;
use crate::feeds::{FeedError, UploadFacts};

/// Requires an asset for every uploaded package, with its size and the release's version. All assets must have one
/// package id, and the release must have a full package. Assets of other versions are history. Assets of this version
/// that name unknown files are left out.
pub(in crate::feeds) fn check(
    feed: &VelopackIndex,
    facts: &UploadFacts<'_>,
) -> Result<VelopackFeed, FeedError> {
    if feed.assets.windows(2).any(|pair| matches!(pair, [a, b] if a.package_id != b.package_id)) {
        return Err(FeedError::whole(FEED, "more than one PackageId"));
    }
    let known = facts.known_files();
    let mut assets: Vec<VelopackAsset> = Vec::new();
    for asset in &feed.assets {
        let Some(file) = known.find(&asset.file_name) else { continue };
        if !facts.is_version(&asset.version) {
            if file.entry.is_some() {
                return Err(FeedError::named(FEED, file.name, "Version is not the release's"));
            }
            continue;
        }
        file.check_size(FEED, asset.size)?;
        if let Some(sha256) = &asset.sha256 {
            file.check_sha256(FEED, sha256)?;
        }
        if assets.iter().any(|known| known.file_name == file.name) {
            return Err(FeedError::named(FEED, file.name, "listed twice"));
        }
        assets.push(VelopackAsset { file_name: file.name.to_owned(), ..asset.clone() });
    }
    for entry in facts.of_package("nupkg") {
        if !assets.iter().any(|asset| asset.file_name == entry.name.as_str()) {
            return Err(FeedError::named(FEED, entry.name.as_str(), "uploaded and not listed"));
        }
    }
    let feed = VelopackFeed { assets, delta_base: delta_base(feed, facts.version) };
    match feed.asset(VelopackAssetKind::Full) {
        Some(_) => Ok(feed),
        None => Err(FeedError::whole(FEED, "no full package of the release")),
    }
}

fn delta_base(feed: &VelopackIndex, release: &Version) -> Option<Version> {
    let full = feed.assets.iter().filter(|asset| asset.kind == VelopackAssetKind::Full);
    full.filter_map(|asset| asset.version.parse().ok()).filter(|version| version < release).max()
}
