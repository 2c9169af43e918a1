//! Compares a Velopack feed with the upload that it belongs to.

use super::parse::VelopackIndex;
use super::{FEED, VelopackAsset, VelopackAssetKind, VelopackFeed};
use crate::Version;
use crate::feeds::{FeedError, UploadFacts};

/// Characters in names that are special in addresses. Clients insert names into addresses without
/// encoding them.
const NOT_IN_NAMES: [char; 4] = ['%', '#', '?', ':'];

/// Requires an asset for every uploaded package, with its size and the release's version. The
/// release's assets must have one package id, and there must be a full package. Assets of other
/// versions are history, with any package id. Assets of this version that name unknown files are
/// omitted.
pub(in crate::feeds) fn check(
    feed: &VelopackIndex,
    facts: &UploadFacts<'_>,
) -> Result<VelopackFeed, FeedError> {
    let known = facts.known_files();
    let mut assets: Vec<VelopackAsset> = Vec::new();
    for asset in &feed.assets {
        let Some(file) = known.find(&asset.file_name) else { continue };
        if !facts.is_version(&asset.version) {
            if file.entry.is_some() {
                return Err(FeedError::in_part(FEED, file.name, "Version is not the release's"));
            }
            continue;
        }
        if file.name.contains(NOT_IN_NAMES) {
            return Err(FeedError::in_part(
                FEED,
                file.name,
                "the name of a package must not contain % # ? or :",
            ));
        }
        file.check_size(FEED, asset.size)?;
        if let Some(sha256) = &asset.sha256 {
            file.check_sha256(FEED, sha256)?;
        }
        if assets.iter().any(|known| known.file_name == file.name) {
            return Err(FeedError::in_part(FEED, file.name, "listed twice"));
        }
        assets.push(VelopackAsset { file_name: file.name.to_owned(), ..asset.clone() });
    }
    for entry in facts.of_package("nupkg") {
        if !assets.iter().any(|asset| asset.file_name == entry.name.as_str()) {
            return Err(FeedError::in_part(FEED, entry.name.as_str(), "uploaded and not listed"));
        }
    }
    if assets.windows(2).any(|pair| matches!(pair, [a, b] if a.package_id != b.package_id)) {
        return Err(FeedError::whole(FEED, "the release has more than one PackageId"));
    }
    let delta_base = assets.first().and_then(|own| delta_base(feed, &own.package_id, facts.version));
    let feed = VelopackFeed { assets, delta_base };
    match feed.asset(VelopackAssetKind::Full) {
        Some(_) => Ok(feed),
        None => Err(FeedError::whole(FEED, "no full package of the release")),
    }
}

fn delta_base(feed: &VelopackIndex, package_id: &str, release: &Version) -> Option<Version> {
    let is_full =
        |asset: &&VelopackAsset| asset.kind == VelopackAssetKind::Full && asset.package_id == package_id;
    let full = feed.assets.iter().filter(is_full);
    full.filter_map(|asset| asset.version.parse().ok()).filter(|version| version < release).max()
}
