//! Decides which releases and patches clients still need.

use std::collections::{BTreeSet, HashMap};

use spindrift_api::{ArtifactEntry, OfferBody, PlaceRequiresBody, ReleaseBody, ReleaseEntry};
use spindrift_core::Version;

/// A published release.
pub(super) struct PrunableRelease {
    pub(super) entry: ReleaseEntry,
    /// Where and how far it is offered.
    pub(super) offered: ReleaseBody,
}

/// How many releases and patches to keep. `None`: all.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeepLimits {
    /// How many of the newest releases to keep in each place, counting only those that every client
    /// of the place may have.
    pub(super) releases: Option<usize>,
    /// For how many of these releases to keep the patches.
    pub(super) patches: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    Deleted,
    /// The release stays, and its patches are deleted.
    WithoutPatches,
}

/// Where clients find a file. They never get the file of another package or updater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct FileScope<'a> {
    channel: &'a str,
    platform: &'a str,
    arch: &'a str,
    updater: &'a str,
    package: &'a str,
}

/// Decides about `releases`, newest first. Keeps drafts, scheduled and withdrawn releases, and
/// those that are intermediate, critical, or run by a device. Releases that only some clients may
/// have do not count towards the limits, so that every client still has one.
pub(super) fn decide(releases: &[PrunableRelease], limits: KeepLimits, run: &BTreeSet<Version>) -> Vec<Fate> {
    let mut enough: HashMap<FileScope<'_>, usize> = HashMap::new();
    let mut fates = Vec::with_capacity(releases.len());
    for release in releases {
        let places = release.places();
        let newer = |place: &FileScope<'_>| enough.get(place).copied().unwrap_or_default();
        // The release has at least this many newer ones in each of its places.
        let least = places.iter().map(newer).min();
        let is_passed = |limit: Option<usize>| least.zip(limit).is_some_and(|(least, limit)| least >= limit);
        let has_patches = release.entry.artifacts.iter().any(|artifact| artifact.patch.is_some());
        fates.push(if is_passed(limits.releases) && !release.is_needed(run) {
            Fate::Deleted
        } else if is_passed(limits.patches) && has_patches {
            Fate::WithoutPatches
        } else {
            Fate::Kept
        });
        for place in places.into_iter().filter(|place| release.is_for_everybody(*place)) {
            *enough.entry(place).or_default() += 1;
        }
    }
    fates
}

impl PrunableRelease {
    fn is_needed(&self, run: &BTreeSet<Version>) -> bool {
        let ReleaseEntry { intermediate, critical, version, .. } = &self.entry;
        *intermediate || *critical || version.parse().map_or(true, |version: Version| run.contains(&version))
    }

    /// Where clients see the release. No client sees a file that waits for signed metadata.
    fn places(&self) -> BTreeSet<FileScope<'_>> {
        let offers = self.offered.offers.iter().filter(|offer| offer.state == "published");
        let files = || self.entry.artifacts.iter().filter(|file| file.patch.is_none() && file.offered);
        offers.flat_map(|offer| files().map(move |file| FileScope::of(offer, file))).collect()
    }

    /// Whether every client of a place may have the release.
    fn is_for_everybody(&self, place: FileScope<'_>) -> bool {
        let is_here = |offer: &&OfferBody| offer.channel == place.channel;
        let offer = self.offered.offers.iter().find(is_here);
        let is_whole =
            offer.is_some_and(|offer| offer.rollout.percent == 100 && offer.rollout.state != "halted");
        let asks =
            |of: &PlaceRequiresBody| (of.platform.as_str(), of.arch.as_str()) == (place.platform, place.arch);
        is_whole && !self.offered.requires.iter().any(asks)
    }
}

impl<'a> FileScope<'a> {
    fn of(offer: &'a OfferBody, file: &'a ArtifactEntry) -> Self {
        let ArtifactEntry { platform, arch, updater, package, .. } = file;
        Self { channel: &offer.channel, platform, arch, updater, package }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A published release in one place, with a patch. `change` edits the release's entry and its
    /// offer.
    fn release(version: &str, change: impl FnOnce(&mut Value, &mut Value)) -> PrunableRelease {
        let file = json!({
            "id": "x", "link": "l", "platform": "linux", "arch": "amd64", "package": "deb", "updater": "manual", "size": 1,
            "md5": "", "has_signature": false, "offered": true, "TufSigned": false, "TufTaskID": null,
        });
        let mut patch = file.clone();
        patch["patch"] = json!({ "package": "deb", "format": "f", "base_version": "0", "base_sha256": "" });
        let mut entry = json!({
            "ID": version, "AppName": "notes", "Version": version, "Channel": "stable", "Published": true, "Critical": false,
            "Intermediate": false, "Artifacts": [file, patch], "Changelog": [], "Created_at": "", "Updated_at": "",
            "RolloutPercent": 100, "RolloutState": "complete", "BasisPoints": 10_000, "Revision": 1, "State": "published", "RolloutSeed": "s",
        });
        let rollout = json!({ "state": "fixed", "percent": 100, "seed": "s" });
        let mut offered = json!({
            "id": version, "app": "notes", "version": version, "shut_off": false,
            "offers": [{ "channel": "stable", "own": true, "state": "published", "revision": 1, "rollout": rollout }],
        });
        change(&mut entry, &mut offered);
        PrunableRelease {
            entry: serde_json::from_value(entry).unwrap(),
            offered: serde_json::from_value(offered).unwrap(),
        }
    }

    fn plain(version: &str) -> PrunableRelease {
        release(version, |_, _| {})
    }

    fn fates(
        releases: &[PrunableRelease],
        keep: Option<usize>,
        patches: Option<usize>,
        run: &[&str],
    ) -> Vec<Fate> {
        let run = run.iter().map(|version| version.parse().unwrap()).collect();
        decide(releases, KeepLimits { releases: keep, patches }, &run)
    }

    #[test]
    fn the_newest_are_kept_and_their_newest_patches() {
        use Fate::{Deleted, Kept, WithoutPatches};
        let releases = ["5", "4", "3", "2", "1"].map(plain);
        assert_eq!(fates(&releases, Some(2), None, &[]), [Kept, Kept, Deleted, Deleted, Deleted]);
        assert_eq!(
            fates(&releases, None, Some(1), &[]),
            [Kept, WithoutPatches, WithoutPatches, WithoutPatches, WithoutPatches]
        );
        assert_eq!(
            fates(&releases, Some(3), Some(2), &["1.0.0"]),
            [Kept, Kept, WithoutPatches, Deleted, WithoutPatches],
            "one that a device runs is kept"
        );
    }

    #[test]
    fn releases_with_a_purpose_of_their_own_are_kept() {
        use Fate::{Deleted, Kept};
        let releases = [
            plain("6"),
            release("5", |entry, _| entry["Intermediate"] = json!(true)),
            release("4", |entry, _| entry["Critical"] = json!(true)),
            release("3", |_, offered| offered["offers"][0]["state"] = json!("draft")),
            release("2", |_, offered| offered["offers"][0]["state"] = json!("withdrawn")),
            plain("1"),
        ];
        assert_eq!(fates(&releases, Some(1), None, &[]), [Kept, Kept, Kept, Kept, Kept, Deleted]);
    }

    /// Otherwise some clients would have no release left.
    #[test]
    fn only_releases_for_everybody_count() {
        use Fate::{Deleted, Kept};
        let requires =
            json!([{ "platform": "linux", "arch": "amd64", "requires": { "os_version": { "min": "12" } } }]);
        for change in [
            (|_: &mut Value, offered: &mut Value| offered["offers"][0]["rollout"]["percent"] = json!(50))
                as fn(&mut Value, &mut Value),
            |_, offered| offered["offers"][0]["rollout"]["state"] = json!("halted"),
            |entry, _| entry["Artifacts"][0]["arch"] = json!("arm64"),
            |entry, _| entry["Artifacts"][0]["package"] = json!("rpm"),
            |entry, _| entry["Artifacts"][0]["updater"] = json!("tauri"),
            |entry, _| entry["Artifacts"][0]["offered"] = json!(false),
            |_, offered| offered["offers"][0]["channel"] = json!("beta"),
        ] {
            let releases = [release("3", change), plain("2"), plain("1")];
            assert_eq!(fates(&releases, Some(1), None, &[]), [Kept, Kept, Deleted]);
        }
        let demanding = release("3", |_, offered| offered["requires"] = requires);
        assert_eq!(fates(&[demanding, plain("2"), plain("1")], Some(1), None, &[]), [Kept, Kept, Deleted]);
        let promoted = release("2", |_, offered| {
            let mut offer = offered["offers"][0].clone();
            offer["channel"] = json!("lts");
            offered["offers"].as_array_mut().unwrap().push(offer);
        });
        assert_eq!(fates(&[plain("3"), promoted, plain("1")], Some(1), None, &[]), [Kept, Kept, Deleted]);
    }
}
