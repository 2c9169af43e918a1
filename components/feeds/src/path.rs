//! Parsing of paths.

use spindrift_core::feeds::velopack_channel;
use spindrift_core::{ScopePath, Updater, Version, decode_segment};
use spindrift_service::records::updaters::PackagePath;
use spindrift_web::{ApiError, Query, parse_parameter};

/// Extension of packages; upper and lower case are the same.
const PACKAGE_SUFFIX: &str = ".nupkg";
/// The channel of a path that names none.
const ANY_CHANNEL: &str = "default";
/// The version of a Velopack client that does not send one: lower than every release.
const NO_VERSION: &str = "0";

/// The name below the base address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum File {
    /// The feed of an updater, with the name that the client asked for.
    Feed(Updater, String),
    /// Any other name: a stored file.
    Stored(String),
    /// A Velopack package of any channel.
    Package(PackagePath),
}

impl File {
    fn parse(name: String) -> Self {
        match Updater::asked_by(&name) {
            Some(updater) => Self::Feed(updater, name),
            None => Self::Stored(name),
        }
    }
}

/// A parsed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FeedPath {
    pub(crate) scope: ScopePath,
    /// The client's version.
    pub(crate) version: Version,
    pub(crate) file: File,
}

impl FeedPath {
    /// Parses the base address and a name below it; 404 for a path that cannot exist, 400 for an invalid version.
    pub(crate) fn update(path: &str, _query: &Query) -> Result<Self, ApiError> {
        let [owner, app, channel, platform, arch, version, file] = segments(path)?;
        Ok(Self {
            scope: ScopePath::new([owner, app, channel, platform, arch]),
            version: parse_parameter("version", &version)?,
            file: File::parse(file),
        })
    }

    /// The same for Velopack clients that use one URL for all channels. Takes the channel from the name of the feed; a
    /// package may belong to any.
    pub(crate) fn velopack(path: &str, query: &Query) -> Result<Self, ApiError> {
        let [owner, app, platform, arch, name] = segments(path)?;
        let version = query.optional_version("localVersion")?;
        let version = version.map_or_else(|| parse_parameter("localVersion", NO_VERSION), Ok)?;
        let (channel, file) = match velopack_channel(&name).map(str::to_owned) {
            Some(channel) => (channel, File::Feed(Updater::Velopack, name)),
            None if name.to_ascii_lowercase().ends_with(PACKAGE_SUFFIX) => {
                let [owner, app, platform, arch] = [&owner, &app, &platform, &arch].map(Clone::clone);
                (ANY_CHANNEL.to_owned(), File::Package(PackagePath { owner, app, platform, arch, name }))
            }
            None => return Err(not_found()),
        };
        Ok(Self { scope: ScopePath::new([owner, app, channel, platform, arch]), version, file })
    }
}

fn segments<const N: usize>(path: &str) -> Result<[String; N], ApiError> {
    let segments: Vec<String> = path.split('/').skip(2).filter_map(decode_segment).collect();
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
