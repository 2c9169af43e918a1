//! Infers the updater of an upload from its feed files.

use super::FileName;
use crate::Updater;

/// Feed files of several incompatible updaters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{first} is a feed of {}, and {second} is a feed of {}: say which updater the files are for", .updaters.0, .updaters.1)]
pub struct AmbiguousFeeds {
    /// A feed.
    pub first: FileName,
    /// A feed of another updater.
    pub second: FileName,
    /// The two updaters.
    pub updaters: (Updater, Updater),
}

/// The updater whose feeds are among the files, and one of them. `None`: there are no feeds.
///
/// Velopack's tool also writes `RELEASES`, for copies that still use Squirrel. If there is a feed
/// of Velopack, that file is ignored.
pub fn updater_of_feeds<'a>(
    names: impl IntoIterator<Item = &'a FileName>,
) -> Result<Option<(Updater, &'a FileName)>, AmbiguousFeeds> {
    let mut feeds: Vec<(Updater, &FileName)> =
        names.into_iter().filter_map(|name| Some((name.feed_updater()?, name))).collect();
    if feeds.iter().any(|(updater, _)| *updater == Updater::Velopack) {
        feeds.retain(|(updater, _)| *updater != Updater::SquirrelWindows);
    }
    let Some(first) = feeds.first().copied() else { return Ok(None) };
    match feeds.iter().find(|(updater, _)| *updater != first.0) {
        None => Ok(Some(first)),
        Some(second) => Err(AmbiguousFeeds {
            first: first.1.clone(),
            second: second.1.clone(),
            updaters: (first.0, second.0),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inferred(names: &str) -> String {
        let names: Vec<FileName> = names.split_whitespace().map(|name| name.parse().unwrap()).collect();
        match updater_of_feeds(&names) {
            Ok(None) => "none".to_owned(),
            Ok(Some((updater, feed))) => format!("{updater} by {feed}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn feeds_name_the_updater() {
        for (names, expected) in [
            ("a.deb a.rpm", "none"),
            ("a.AppImage latest-linux.yml", "electron-builder by latest-linux.yml"),
            ("latest.yml a.exe latest-mac.yml", "electron-builder by latest.yml"),
            ("RELEASES a-full.nupkg Setup.exe", "squirrel_windows by RELEASES"),
            ("RELEASES releases.win.json a-full.nupkg", "velopack by releases.win.json"),
            ("appcast.xml appcast-beta.xml a.zip", "sparkle by appcast.xml"),
        ] {
            assert_eq!(inferred(names), expected, "{names}");
        }
    }

    #[test]
    fn feeds_that_do_not_belong_together_are_named() {
        assert_eq!(
            inferred("appcast.xml latest-mac.yml a.zip"),
            "appcast.xml is a feed of sparkle, and latest-mac.yml is a feed of electron-builder: \
             say which updater the files are for"
        );
    }
}
