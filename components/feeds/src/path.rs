//! Paths, taken apart.

use spindrift_core::feeds::NativeFormat;
use spindrift_core::{FeedKind, Version};
use spindrift_service::scope_path::{ScopePath, decode};
use spindrift_web::{ApiError, Query, parse_parameter};

/// What stands for the version of a Velopack client that does not say which it has: below every release.
const NO_VERSION: &str = "0";

/// The forms of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedCall {
    /// The base address, and what a client asks for below it.
    Update,
    /// The feed of Velopack clients that are given one address for all channels.
    Velopack,
}

/// What is below the base address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum File {
    /// A feed. Of a `*.yml`, whose names are many, the name.
    Feed(NativeFormat, Option<String>),
    /// Any other name: that of a stored file.
    Stored(String),
}

impl File {
    fn parse(name: String) -> Self {
        match (name.as_str(), FeedKind::recognise(&name)) {
            ("", _) | (_, Some(FeedKind::SquirrelReleases)) => Self::Feed(NativeFormat::Releases, None),
            ("squirrel.json", _) => Self::Feed(NativeFormat::SquirrelMac, None),
            ("tauri.json", _) => Self::Feed(NativeFormat::Tauri, None),
            (_, Some(FeedKind::VelopackReleases)) => Self::Feed(NativeFormat::Velopack, None),
            (_, Some(FeedKind::Appcast)) => Self::Feed(NativeFormat::Appcast, None),
            (_, Some(FeedKind::ElectronYml)) => {
                Self::Feed(NativeFormat::Yml { all_archs: name.ends_with("-mac.yml") }, Some(name))
            }
            (_, None) => Self::Stored(name),
        }
    }
}

/// A path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FeedPath {
    pub(crate) scope: ScopePath,
    /// What the client has.
    pub(crate) version: Version,
    pub(crate) file: File,
}

impl FeedPath {
    /// 404 for what cannot be there, 400 for a version that is none.
    pub(crate) fn parse(route: FeedCall, path: &str, query: &Query) -> Result<Self, ApiError> {
        let segments: Vec<String> = path.split('/').skip(2).filter_map(decode).collect();
        match route {
            FeedCall::Update => Self::update(segments),
            FeedCall::Velopack => Self::velopack(segments, query),
        }
    }

    fn update(segments: Vec<String>) -> Result<Self, ApiError> {
        let [owner, app, channel, platform, arch, version, file] = all(segments)?;
        Ok(Self {
            scope: ScopePath::new([owner, app, channel, platform, arch]),
            version: parse_parameter("version", &version)?,
            file: File::parse(file),
        })
    }

    /// The channel is the one in the name of the feed.
    fn velopack(segments: Vec<String>, query: &Query) -> Result<Self, ApiError> {
        let [owner, app, platform, arch, file] = all(segments)?;
        let channel = file.strip_prefix("releases.").and_then(|rest| rest.strip_suffix(".json"));
        let channel = channel.ok_or_else(not_found)?.to_owned();
        let version = query.optional_version("localVersion")?;
        Ok(Self {
            scope: ScopePath::new([owner, app, channel, platform, arch]),
            version: version.map_or_else(|| parse_parameter("localVersion", NO_VERSION), Ok)?,
            file: File::Feed(NativeFormat::Velopack, None),
        })
    }
}

fn all<const N: usize>(segments: Vec<String>) -> Result<[String; N], ApiError> {
    segments.try_into().map_err(|_| not_found())
}

fn not_found() -> ApiError {
    ApiError::NotFound("not found".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> File {
        File::parse(name.to_owned())
    }

    #[test]
    fn files() {
        for (name, format) in [
            ("", NativeFormat::Releases),
            ("RELEASES", NativeFormat::Releases),
            ("squirrel.json", NativeFormat::SquirrelMac),
            ("tauri.json", NativeFormat::Tauri),
            ("releases.win-x64.json", NativeFormat::Velopack),
            ("appcast.xml", NativeFormat::Appcast),
            ("appcast-beta.xml", NativeFormat::Appcast),
        ] {
            assert_eq!(file(name), File::Feed(format, None), "{name}");
        }
        for (name, all_archs) in
            [("latest.yml", false), ("beta-mac.yml", true), ("latest-linux-arm64.yml", false)]
        {
            assert_eq!(file(name), File::Feed(NativeFormat::Yml { all_archs }, Some(name.into())), "{name}");
        }
        for name in ["App-1.0.0-full.nupkg", "releases", "Setup.exe"] {
            assert_eq!(file(name), File::Stored(name.into()), "{name}");
        }
    }
}
