//! Feed files: small files that an updater's own tools write and that travel inside the first request.

use super::FileName;
use crate::{ChannelName, Updater};

/// Largest feed file, in bytes: 10 MiB.
pub const MAX_FEED_BYTES: u64 = 10 * 1024 * 1024;

/// Most feed files of one upload. Updaters write one, or one for each architecture.
pub const MAX_FEEDS_PER_UPLOAD: usize = 20;

/// A file that was sent inline and whose name is not that of a feed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a feed file: {0}")]
pub struct NotAFeed(pub FileName);

/// What a feed file is, by its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeedKind {
    /// `releases.{channel}.json` of Velopack. Its channel is Velopack's own and need not be the release's.
    VelopackReleases,
    /// `appcast*.xml` of Sparkle.
    Appcast,
    /// `RELEASES` of Squirrel.Windows.
    SquirrelReleases,
    /// `*.yml` of electron-builder.
    ElectronYml,
}

impl FeedKind {
    /// The kind of feed that has this file name. Upper and lower case must be as written above.
    pub fn recognise(file_name: &str) -> Option<Self> {
        let between =
            |start: &str, end: &str| file_name.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        if file_name == "RELEASES" {
            Some(Self::SquirrelReleases)
        } else if between("", ".yml").is_some() {
            Some(Self::ElectronYml)
        } else if between("appcast", ".xml").is_some() {
            Some(Self::Appcast)
        } else if between("releases.", ".json").is_some_and(|name| name.parse::<ChannelName>().is_ok()) {
            Some(Self::VelopackReleases)
        } else {
            None
        }
    }

    /// The updater whose clients read it.
    pub const fn updater(self) -> Updater {
        match self {
            Self::VelopackReleases => Updater::Velopack,
            Self::Appcast => Updater::Sparkle,
            Self::SquirrelReleases => Updater::SquirrelWindows,
            Self::ElectronYml => Updater::ElectronBuilder,
        }
    }

    /// The form of its names, for error texts.
    pub const fn pattern(self) -> &'static str {
        match self {
            Self::VelopackReleases => "releases.{channel}.json",
            Self::Appcast => "appcast*.xml",
            Self::SquirrelReleases => "RELEASES",
            Self::ElectronYml => "*.yml",
        }
    }
}

/// The name of a feed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedName {
    name: FileName,
    kind: FeedKind,
}

impl FeedName {
    /// The file name.
    pub fn as_file_name(&self) -> &FileName {
        &self.name
    }

    /// What the feed is.
    pub fn kind(&self) -> FeedKind {
        self.kind
    }
}

impl TryFrom<FileName> for FeedName {
    type Error = NotAFeed;

    fn try_from(name: FileName) -> Result<Self, NotAFeed> {
        match name.feed_kind() {
            Some(kind) => Ok(Self { name, kind }),
            None => Err(NotAFeed(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_feeds() {
        for (name, kind) in [
            ("RELEASES", Some(FeedKind::SquirrelReleases)),
            ("latest.yml", Some(FeedKind::ElectronYml)),
            ("latest-linux-arm64.yml", Some(FeedKind::ElectronYml)),
            (".yml", Some(FeedKind::ElectronYml)),
            ("appcast.xml", Some(FeedKind::Appcast)),
            ("appcast-beta 2.xml", Some(FeedKind::Appcast)),
            ("releases.stable.json", Some(FeedKind::VelopackReleases)),
            ("releases.win-x64.beta.json", Some(FeedKind::VelopackReleases)),
            ("Releases", None),
            ("RELEASES.txt", None),
            ("RELEASES-stable", None),
            ("latest.YML", None),
            ("latest.yaml", None),
            ("Appcast.xml", None),
            ("my-appcast.xml", None),
            ("appcast", None),
            ("releases.json", None),
            ("releases..json", None),
            ("releases.a b.json", None),
            ("releases.stable.JSON", None),
            ("app.zip", None),
        ] {
            assert_eq!(FeedKind::recognise(name), kind, "{name}");
        }
    }

    #[test]
    fn other_files_are_not_feeds() {
        let name: FileName = "app.zip".parse().unwrap();
        assert_eq!(FeedName::try_from(name).unwrap_err().to_string(), "not a feed file: app.zip");
    }
}
