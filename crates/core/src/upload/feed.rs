//! Feed files: small files written by an updater's own tools and sent inside the first request.

use super::FileName;
use crate::Updater;

/// Maximum size of a feed file, in bytes: 10 MiB.
pub const MAX_FEED_BYTES: u64 = 10 * 1024 * 1024;

/// Maximum number of feed files in an upload. Updaters write one, or one for each architecture.
pub const MAX_FEEDS_PER_UPLOAD: usize = 20;

impl FileName {
    /// The updater whose feed files have this name.
    pub fn feed_updater(&self) -> Option<Updater> {
        Updater::of_feed_file(self.as_str())
    }

    /// Whether it is the name of a feed file.
    pub fn is_feed(&self) -> bool {
        self.feed_updater().is_some()
    }

    /// Whether a release may have several such files for one platform and architecture: feeds, and
    /// packages that may repeat. They are identified by name, all others by package.
    pub fn is_told_apart_by_name(&self) -> bool {
        self.is_feed() || self.package().may_repeat()
    }
}

/// A file that was sent inline but does not have the name of a feed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a feed file: {0}")]
pub struct NotAFeed(pub FileName);

/// The name of a feed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedName {
    name: FileName,
    updater: Updater,
}

impl FeedName {
    /// The file name.
    pub fn as_file_name(&self) -> &FileName {
        &self.name
    }

    /// The updater that the feed is for.
    pub fn updater(&self) -> Updater {
        self.updater
    }
}

impl TryFrom<FileName> for FeedName {
    type Error = NotAFeed;

    fn try_from(name: FileName) -> Result<Self, NotAFeed> {
        match name.feed_updater() {
            Some(updater) => Ok(Self { name, updater }),
            None => Err(NotAFeed(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_feeds() {
        for (name, updater) in [
            ("RELEASES", Some(Updater::SquirrelWindows)),
            ("latest.yml", Some(Updater::ElectronBuilder)),
            ("latest-linux-arm64.yml", Some(Updater::ElectronBuilder)),
            (".yml", Some(Updater::ElectronBuilder)),
            ("appcast.xml", Some(Updater::Sparkle)),
            ("appcast-beta 2.xml", Some(Updater::Sparkle)),
            ("releases.stable.json", Some(Updater::Velopack)),
            ("releases.win-x64.beta.json", Some(Updater::Velopack)),
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
            assert_eq!(Updater::of_feed_file(name), updater, "{name}");
        }
    }

    #[test]
    fn other_files_are_not_feeds() {
        let name: FileName = "app.zip".parse().unwrap();
        assert_eq!(FeedName::try_from(name).unwrap_err().to_string(), "not a feed file: app.zip");
    }
}
