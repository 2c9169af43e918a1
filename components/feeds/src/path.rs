//! Paths, taken apart.

use spindrift_core::feeds::velopack_channel;
use spindrift_core::{ScopePath, Updater, Version, decode_segment};
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
    /// The feed of an updater, and the name that it is asked by.
    Feed(Updater, String),
    /// Any other name: that of a stored file.
    Stored(String),
}

impl File {
    fn parse(name: String) -> Self {
        match Updater::asked_by(&name) {
            Some(updater) => Self::Feed(updater, name),
            None => Self::Stored(name),
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
        let segments: Vec<String> = path.split('/').skip(2).filter_map(decode_segment).collect();
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
        let channel = velopack_channel(&file).ok_or_else(not_found)?.to_owned();
        let version = query.optional_version("localVersion")?;
        Ok(Self {
            scope: ScopePath::new([owner, app, channel, platform, arch]),
            version: version.map_or_else(|| parse_parameter("localVersion", NO_VERSION), Ok)?,
            file: File::Feed(Updater::Velopack, file),
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

    #[test]
    fn files() {
        use Updater::{ElectronBuilder, Sparkle, SquirrelDarwin, SquirrelWindows, Tauri, Velopack};
        for (name, updater) in [
            ("", Some(SquirrelWindows)),
            ("RELEASES", Some(SquirrelWindows)),
            ("squirrel.json", Some(SquirrelDarwin)),
            ("tauri.json", Some(Tauri)),
            ("releases.win-x64.json", Some(Velopack)),
            ("appcast.xml", Some(Sparkle)),
            ("appcast-beta.xml", Some(Sparkle)),
            ("latest.yml", Some(ElectronBuilder)),
            ("beta-mac.yml", Some(ElectronBuilder)),
            ("latest-linux-arm64.yml", Some(ElectronBuilder)),
            ("App-1.0.0-full.nupkg", None),
            ("releases", None),
            ("Setup.exe", None),
        ] {
            let expected = match updater {
                Some(updater) => File::Feed(updater, name.into()),
                None => File::Stored(name.into()),
            };
            assert_eq!(File::parse(name.into()), expected, "{name}");
        }
    }
}
