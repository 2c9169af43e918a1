//! Parsing of paths.

use std::borrow::Cow;

use spindrift_core::feeds::{VelopackChannel, velopack_channel};
use spindrift_core::{RawClientFacts, ScopePath, Updater, Version, decode_segment};
use spindrift_service::records::feed_files::PackagePath;
use spindrift_web::{ApiError, Query, parse_parameter};

/// Extension of packages; upper and lower case are the same.
const PACKAGE_SUFFIX: &str = ".nupkg";
/// Maximum number of pairs of a path that are read.
const MAX_PAIRS: usize = 8;
/// The channel of a path that names none.
const ANY_CHANNEL: &str = "default";
/// The dimensions that a path without a channel names.
const WITHOUT_CHANNEL: &str = "platform,arch";
/// The version of a Velopack client that does not send one: lower than every release.
const NO_VERSION: &str = "0";

/// The name below the base address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestedFile {
    /// The feed of an updater, with the name that the client asked for.
    Feed(Updater, String),
    /// Any other name: a stored file.
    Stored(String),
    /// A file of exactly the release with the version of the path.
    OfRelease(String),
    /// A Velopack package of any channel.
    Package(PackagePath),
}

impl RequestedFile {
    fn parse(name: String) -> Self {
        match Updater::of_requested_file(&name) {
            Some(updater) => Self::Feed(updater, name),
            None => Self::Stored(name),
        }
    }
}

/// A parsed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FeedPath {
    pub(crate) scope: ScopePath,
    /// The scope that is meant if the owner has no channel of that name.
    pub(crate) otherwise: Option<ScopePath>,
    pub(crate) version: Version,
    /// Further facts that the client reports about itself.
    pub(crate) facts: RawClientFacts,
    pub(crate) file: RequestedFile,
}

impl FeedPath {
    /// Parses the base address and a name below it; 404 for a path that cannot exist, 400 for an invalid
    /// version.
    pub(crate) fn update(path: &str, query: &Query) -> Result<Self, ApiError> {
        let (path, pairs) = without_pairs(path);
        let [owner, app, channel, platform, arch, version, file] = segments(&path)?;
        Ok(Self {
            scope: ScopePath::new([owner, app, channel, platform, arch]),
            otherwise: None,
            version: parse_parameter("version", &version)?,
            facts: facts(query, &pairs),
            file: RequestedFile::parse(file),
        })
    }

    /// Parses the path of a file of one release. Errors are those of [`Self::update`].
    pub(crate) fn release_file(path: &str, query: &Query) -> Result<Self, ApiError> {
        let [owner, app, channel, platform, arch, version, _, file] = segments(path)?;
        Ok(Self {
            scope: ScopePath::new([owner, app, channel, platform, arch]),
            otherwise: None,
            version: parse_parameter("version", &version)?,
            facts: facts(query, &[]),
            file: RequestedFile::OfRelease(file),
        })
    }

    /// Like [`Self::update`], for Velopack clients, which send their version in the query. Without
    /// a channel in the path, the name of the feed contains it, and a package may belong to any
    /// channel.
    pub(crate) fn velopack(path: &str, query: &Query) -> Result<Self, ApiError> {
        let (path, pairs) = without_pairs(path);
        let version = query.optional_version("localVersion")?;
        let version = version.map_or_else(|| parse_parameter("localVersion", NO_VERSION), Ok)?;
        let facts = facts(query, &pairs);
        if let Ok([owner, app, channel, platform, arch, name]) = segments(&path) {
            let file = match velopack_channel(&name) {
                Some(_) => RequestedFile::Feed(Updater::Velopack, name),
                None if is_package(&name) => RequestedFile::Stored(name),
                None => return Err(not_found()),
            };
            let scope = ScopePath::new([owner, app, channel, platform, arch]);
            return Ok(Self { scope, otherwise: None, version, facts, file });
        }
        let [owner, app, platform, arch, name] = segments(&path)?;
        let scope = |channel: &str| {
            let [owner, app, platform, arch] = [&owner, &app, &platform, &arch].map(Clone::clone);
            ScopePath::new([owner, app, channel.to_owned(), platform, arch])
        };
        let Some(channel) = velopack_channel(&name) else {
            if !is_package(&name) {
                return Err(not_found());
            }
            let scope = scope(ANY_CHANNEL);
            let file = RequestedFile::Package(PackagePath { owner, app, platform, arch, name });
            return Ok(Self { scope, otherwise: None, version, facts, file });
        };
        let otherwise = VelopackChannel::of_system(channel).map(|stands_for| match stands_for {
            VelopackChannel::Named(channel) => scope(channel),
            VelopackChannel::Default => scope(ANY_CHANNEL).with_dimensions(Some(WITHOUT_CHANNEL)),
        });
        let scope = scope(channel);
        Ok(Self { scope, otherwise, version, facts, file: RequestedFile::Feed(Updater::Velopack, name) })
    }
}

/// Whether a file of this name is a package of Squirrel or Velopack.
pub(crate) fn is_package(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(PACKAGE_SUFFIX)
}

/// A path without the pairs `;name=value` of its last folder, and these pairs. Clients that drop queries,
/// such as Velopack's, say there what others say in the query.
fn without_pairs(path: &str) -> (Cow<'_, str>, Vec<(String, String)>) {
    let Some((folders, file)) = path.rsplit_once('/') else { return (path.into(), Vec::new()) };
    let Some((folders, pairs)) = folders.split_once(';').filter(|(_, pairs)| !pairs.contains('/')) else {
        return (path.into(), Vec::new());
    };
    let pair = |text: &str| {
        let (name, value) = text.split_once('=')?;
        Some((name.to_owned(), decode_segment(value)?))
    };
    (format!("{folders}/{file}").into(), pairs.split(';').take(MAX_PAIRS).filter_map(pair).collect())
}

/// The query is first. Sparkle sends the version of the system under a name of its own.
fn facts(query: &Query, pairs: &[(String, String)]) -> RawClientFacts {
    let sent = |name: &str| {
        let pair = || pairs.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
        query.get(name).map(str::to_owned).or_else(pair)
    };
    RawClientFacts {
        group: sent("group"),
        os_version: sent("os_version").or_else(|| sent("osVersion")),
        interactive: sent("interactive"),
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
    fn pairs_of_a_path() {
        for (path, without, pairs) in [
            ("/update/o/a/c/p/x/1.0/f", "/update/o/a/c/p/x/1.0/f", &[][..]),
            (
                "/update/o/a/c/p/x/1.0;os_version=13.6;group=K%2CL/f",
                "/update/o/a/c/p/x/1.0/f",
                &[("os_version", "13.6"), ("group", "K,L")],
            ),
            ("/update/o/a/c/p/x/1.0;group=K/", "/update/o/a/c/p/x/1.0/", &[("group", "K")]),
            ("/velopack/o/a/p/x;group/f;a=b", "/velopack/o/a/p/x/f;a=b", &[]),
            ("/update/o/a;group=K/c/p/x/1.0/f", "/update/o/a;group=K/c/p/x/1.0/f", &[]),
        ] {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            assert_eq!(without_pairs(path), (without.into(), pairs), "{path}");
        }
    }

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
                Some(updater) => RequestedFile::Feed(updater, name.into()),
                None => RequestedFile::Stored(name.into()),
            };
            assert_eq!(RequestedFile::parse(name.into()), expected, "{name}");
        }
    }
}
