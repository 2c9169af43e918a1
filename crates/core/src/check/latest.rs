//! The newest builds of an application: the data behind `/apps/latest`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    ArchName, ChannelName, FileLinks, FileName, Package, PlatformName, RecordStamp, Timestamp,
    dimension_or_default,
};

/// The package of Squirrel and Velopack, for both full releases and deltas.
const NUPKG: &str = "nupkg";
/// Suffix of the names of delta packages, case-insensitive.
const DELTA_SUFFIX: &str = "-delta.nupkg";
/// The package name shown for these deltas.
const DELTA: &str = "delta";

/// Nested maps by channel, platform, architecture and package; the innermost value is the URL.
pub type LatestBuilds = BTreeMap<String, BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>>>;

/// The stored record behind `/apps/latest` for one application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatestRecord {
    /// The time and the revision of the data that it was made from.
    pub stamp: RecordStamp,
    /// When a step of a rollout may change the builds.
    pub valid_until: Option<Timestamp>,
    /// The artifacts of the newest release for each channel, platform and architecture.
    pub builds: LatestBuilds,
}

/// An artifact of the newest release of its channel, platform and architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestArtifact {
    /// The channel, if the application uses channels.
    pub channel: Option<ChannelName>,
    /// The platform, if it uses platforms.
    pub platform: Option<PlatformName>,
    /// The architecture, if it uses architectures.
    pub arch: Option<ArchName>,
    /// The package.
    pub package: Package,
    /// The name it was uploaded under.
    pub file_name: FileName,
    /// Its download URL.
    pub url: String,
}

/// The requested subset. `None`: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LatestFilter {
    /// The channel.
    pub channel: Option<ChannelName>,
    /// The platform.
    pub platform: Option<PlatformName>,
    /// The architecture.
    pub arch: Option<ArchName>,
    /// The package.
    pub package: Option<Package>,
}

/// One URL for each package in each channel, platform and architecture: the first, if a release has
/// several files of that package.
pub fn latest_builds(artifacts: impl IntoIterator<Item = LatestArtifact>) -> LatestBuilds {
    let mut builds = LatestBuilds::new();
    for artifact in artifacts {
        let key = |name| dimension_or_default(name).to_owned();
        let packages = builds
            .entry(key(artifact.channel.as_ref().map(ChannelName::as_str)))
            .or_default()
            .entry(key(artifact.platform.as_ref().map(PlatformName::as_str)))
            .or_default()
            .entry(key(artifact.arch.as_ref().map(ArchName::as_str)))
            .or_default();
        packages.entry(shown_package(&artifact.package, &artifact.file_name)).or_insert(artifact.url);
    }
    builds
}

/// Gives deltas a package name of their own, because a client that requests `nupkg` wants a full
/// release.
fn shown_package(package: &Package, file_name: &FileName) -> String {
    let is_delta =
        package.as_str() == NUPKG && file_name.as_str().to_ascii_lowercase().ends_with(DELTA_SUFFIX);
    if is_delta { DELTA.to_owned() } else { package.as_str().to_owned() }
}

impl LatestFilter {
    /// A copy of the requested builds, without empty maps.
    pub fn filtered(&self, builds: &LatestBuilds) -> LatestBuilds {
        let channel = self.channel.as_ref().map(ChannelName::as_str);
        let platform = self.platform.as_ref().map(PlatformName::as_str);
        let arch = self.arch.as_ref().map(ArchName::as_str);
        let package = self.package.as_ref().map(Package::as_str);
        let packages = |all: &_| filter_by_name(all, package, |url: &String| Some(url.clone()));
        let archs = |all: &_| filter_by_name(all, arch, packages);
        filter_by_name(builds, channel, |all| filter_by_name(all, platform, archs)).unwrap_or_default()
    }
}

/// Copies of the entries with this name, or of all. `None`: no entry is left.
fn filter_by_name<T>(
    entries: &BTreeMap<String, T>,
    name: Option<&str>,
    filtered: impl Fn(&T) -> Option<T>,
) -> Option<BTreeMap<String, T>> {
    let wanted = entries.iter().filter(|(key, _)| name.is_none_or(|name| name == key.as_str()));
    let kept: BTreeMap<_, _> =
        wanted.filter_map(|(key, value)| Some((key.clone(), filtered(value)?))).collect();
    (!kept.is_empty()).then_some(kept)
}

/// The URLs of builds, in order.
pub fn latest_urls(builds: &LatestBuilds) -> impl Iterator<Item = &str> {
    let packages = builds.values().flat_map(BTreeMap::values).flat_map(BTreeMap::values);
    packages.flat_map(BTreeMap::values).map(String::as_str)
}

impl FileLinks for LatestBuilds {
    fn first_link(&self) -> Option<&str> {
        latest_urls(self).next()
    }

    fn links_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let archs = self.values_mut().flat_map(BTreeMap::values_mut);
        archs.flat_map(BTreeMap::values_mut).flat_map(BTreeMap::values_mut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `channel/platform/arch/file`; `-` marks an unused dimension.
    fn artifact(path: &str) -> LatestArtifact {
        let mut parts = path.split('/');
        let mut name = || parts.next().filter(|name| *name != "-");
        let (channel, platform, arch, file) = (name(), name(), name(), name().unwrap());
        LatestArtifact {
            channel: channel.map(|name| name.parse().unwrap()),
            platform: platform.map(|name| name.parse().unwrap()),
            arch: arch.map(|name| name.parse().unwrap()),
            package: Package::from_file_name(file),
            file_name: file.parse().unwrap(),
            url: path.to_owned(),
        }
    }

    fn builds(paths: &[&str]) -> LatestBuilds {
        latest_builds(paths.iter().map(|path| artifact(path)))
    }

    fn filtered(builds: &LatestBuilds, filter: [&str; 4]) -> Vec<String> {
        let given = |at: usize| Some(filter[at]).filter(|text| !text.is_empty());
        let builds = LatestFilter {
            channel: given(0).map(|name| name.parse().unwrap()),
            platform: given(1).map(|name| name.parse().unwrap()),
            arch: given(2).map(|name| name.parse().unwrap()),
            package: given(3).map(|name| name.parse().unwrap()),
        }
        .filtered(builds);
        let urls: Vec<_> = latest_urls(&builds).map(str::to_owned).collect();
        assert_eq!(urls.is_empty(), builds.is_empty(), "nothing empty is left");
        urls
    }

    #[test]
    fn filters_narrow() {
        let all = builds(&["a/x/1/n.deb", "a/x/1/n.rpm", "a/x/2/n.deb", "a/y/1/n.exe", "b/x/1/n.deb"]);
        for (filter, expected) in [
            (["", "", "", ""], 5),
            (["a", "", "", ""], 4),
            (["a", "x", "", ""], 3),
            (["a", "x", "1", ""], 2),
            (["a", "x", "1", "deb"], 1),
            (["", "", "", "deb"], 3),
            (["", "", "2", ""], 1),
            (["b", "y", "", ""], 0),
            (["c", "", "", ""], 0),
        ] {
            assert_eq!(filtered(&all, filter).len(), expected, "{filter:?}");
        }
    }

    #[test]
    fn a_nupkg_is_all_of_a_release() {
        for files in [
            ["Notes-2.0-delta.nupkg", "Notes-2.0-full.nupkg"],
            ["A-full.nupkg", "B-DELTA.NUPKG"],
            ["A-delta.nupkg", "A.nupkg"],
        ] {
            let paths = files.map(|file| format!("a/x/1/{file}"));
            let builds = builds(&[&paths[0], &paths[1]]);
            let [full] = &filtered(&builds, ["a", "x", "1", "nupkg"])[..] else { panic!("{builds:?}") };
            assert!(!full.to_ascii_lowercase().contains("-delta"), "{full}");
            let [delta] = &filtered(&builds, ["a", "x", "1", "delta"])[..] else { panic!("{builds:?}") };
            assert!(delta.to_ascii_lowercase().contains("-delta"), "{delta}");
        }
    }

    #[test]
    fn of_several_files_of_a_package_there_is_one() {
        let builds = builds(&["-/-/-/a.exe.blockmap", "-/-/-/b.exe.blockmap"]);
        assert_eq!(filtered(&builds, ["", "", "", ""]), ["-/-/-/a.exe.blockmap"]);
    }

    #[test]
    fn unused_dimensions_are_called_default() {
        let builds = builds(&["-/-/-/n.deb"]);
        assert_eq!(builds["default"]["default"]["default"]["deb"], "-/-/-/n.deb");
        assert_eq!(filtered(&builds, ["default", "default", "default", "deb"]).len(), 1);
    }
}
