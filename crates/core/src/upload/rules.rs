//! Which files may be combined in one upload. Looks only at names; whether a feed lists the uploaded files is checked
//! where feeds are read.

use std::collections::HashSet;

use super::{FeedName, FileName, MAX_FEEDS_PER_UPLOAD, MAX_FILES_PER_UPLOAD};
use crate::{Package, Updater};

/// A rule that an upload breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UploadRuleError {
    /// Clients of the updater could not download from a private application.
    #[error("updater not supported for private apps")]
    NotForPrivateApps,
    /// There are no files and no feeds.
    #[error("missing files")]
    NoFiles,
    /// More than [`MAX_FILES_PER_UPLOAD`] files or [`MAX_FEEDS_PER_UPLOAD`] feeds.
    #[error("too many files: at most {MAX_FILES_PER_UPLOAD}, and {MAX_FEEDS_PER_UPLOAD} feed files")]
    TooManyFiles,
    /// A feed was sent as a regular file.
    #[error("feed file must be sent inline: {0}")]
    FeedAmongFiles(FileName),
    /// Two files have the same name.
    #[error("duplicate file name: {0}")]
    DuplicateName(FileName),
    /// Two files have the same package, and it may not repeat.
    #[error("two files with the package {0}")]
    DuplicatePackage(Package),
    /// The updater needs a file that is missing.
    #[error("{updater} needs {what}")]
    Needs {
        /// The updater.
        updater: Updater,
        /// The missing part.
        what: &'static str,
    },
}

/// The contents of one upload.
#[derive(Debug, Clone, Copy)]
pub struct Upload<'a> {
    /// The updater it is for.
    pub updater: Updater,
    /// Whether the application is private.
    pub private: bool,
    /// Whether a signature was given.
    pub signed: bool,
    /// The files that are not feeds.
    pub files: &'a [&'a FileName],
    /// The feeds, sent inline.
    pub feeds: &'a [FeedName],
}

impl Upload<'_> {
    /// Whether a file has the package.
    pub(crate) fn has_package(&self, package: &str) -> bool {
        self.files.iter().any(|name| name.package().as_str() == package)
    }
}

/// Checks an upload.
///
/// In a valid upload no two files have the same [`artifact_path`](crate::artifact_path): paths made from packages
/// contain each package once, and all other paths end in the file name.
///
/// Feeds do not count as packages: a release may have several `*.yml`. Feeds for other updaters are accepted.
pub fn check_upload(upload: &Upload<'_>) -> Result<(), UploadRuleError> {
    if upload.private && !upload.updater.works_for_private_apps() {
        return Err(UploadRuleError::NotForPrivateApps);
    }
    check_number(upload)?;
    check_names(upload)?;
    check_packages(upload.files)?;
    check_updater(upload)
}

fn check_number(upload: &Upload<'_>) -> Result<(), UploadRuleError> {
    if upload.files.is_empty() && upload.feeds.is_empty() {
        return Err(UploadRuleError::NoFiles);
    }
    if upload.files.len() > MAX_FILES_PER_UPLOAD || upload.feeds.len() > MAX_FEEDS_PER_UPLOAD {
        return Err(UploadRuleError::TooManyFiles);
    }
    Ok(())
}

fn check_names(upload: &Upload<'_>) -> Result<(), UploadRuleError> {
    if let Some(feed) = upload.files.iter().find(|name| name.is_feed()) {
        return Err(UploadRuleError::FeedAmongFiles((*feed).clone()));
    }
    let mut seen = HashSet::new();
    let mut names = upload.files.iter().copied().chain(upload.feeds.iter().map(FeedName::as_file_name));
    match names.find(|name| !seen.insert(*name)) {
        Some(name) => Err(UploadRuleError::DuplicateName(name.clone())),
        None => Ok(()),
    }
}

fn check_packages(files: &[&FileName]) -> Result<(), UploadRuleError> {
    let mut seen = HashSet::new();
    for package in files.iter().map(|name| name.package()).filter(|package| !package.may_repeat()) {
        if !seen.insert(package.clone()) {
            return Err(UploadRuleError::DuplicatePackage(package));
        }
    }
    Ok(())
}

fn check_updater(upload: &Upload<'_>) -> Result<(), UploadRuleError> {
    let updater = upload.updater;
    let is_missing = |_: &_| !upload.feeds.iter().any(|feed| feed.updater() == updater);
    let feed = updater.feed_file().filter(is_missing).map(|file| file.pattern);
    match feed.or_else(|| updater.missing(upload)) {
        Some(what) => Err(UploadRuleError::Needs { updater, what }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks an upload of space-separated names; feed names become feeds.
    fn check(updater: Updater, private: bool, signed: bool, names: &str) -> String {
        let names: Vec<FileName> = names.split_whitespace().map(|name| name.parse().unwrap()).collect();
        let files: Vec<_> = names.iter().filter(|name| !name.is_feed()).collect();
        let feeds: Vec<_> = names.iter().filter_map(|name| FeedName::try_from(name.clone()).ok()).collect();
        let upload = Upload { updater, private, signed, files: &files, feeds: &feeds };
        check_upload(&upload).map_or_else(|error| error.to_string(), |()| "ok".to_owned())
    }

    #[test]
    fn each_updater_has_its_files() {
        use Updater::{ElectronBuilder, Manual, Sparkle, SquirrelDarwin, SquirrelWindows, Velopack};
        for (updater, names, result) in [
            (Manual, "a.deb a.rpm a", "ok"),
            (Manual, "latest.yml", "ok"),
            (Manual, "", "missing files"),
            (SquirrelDarwin, "a.zip a.dmg", "ok"),
            (SquirrelDarwin, "a.dmg", "squirrel_darwin needs a .zip file"),
            (SquirrelWindows, "RELEASES a-full.nupkg a-delta.nupkg Setup.exe", "ok"),
            (SquirrelWindows, "a-full.nupkg", "squirrel_windows needs RELEASES"),
            (SquirrelWindows, "RELEASES", "squirrel_windows needs a .nupkg file"),
            (ElectronBuilder, "latest.yml latest-mac.yml a.exe a.exe.blockmap b.blockmap", "ok"),
            (ElectronBuilder, "a.exe", "electron-builder needs *.yml"),
            (Velopack, "releases.win.json a-full.nupkg RELEASES assets.win.json", "ok"),
            (Velopack, "RELEASES a-full.nupkg", "velopack needs releases.{channel}.json"),
            (Velopack, "releases.win.json", "velopack needs a .nupkg file"),
            (Sparkle, "appcast-beta.xml a.zip a1.delta a2.delta", "ok"),
            (Sparkle, "a.zip", "sparkle needs appcast*.xml"),
        ] {
            assert_eq!(check(updater, false, false, names), result, "{updater} {names}");
        }
    }

    #[test]
    fn tauri_has_one_signed_artifact() {
        let one = "tauri needs exactly one artifact besides installers";
        for (names, result) in [
            ("a.app.tar.gz a.dmg", "ok"),
            ("a.AppImage a.deb a.rpm", "ok"),
            ("a.nsis.zip a.exe", "ok"),
            ("a.exe", "ok"),
            ("a.exe a.msi", one),
            ("a.AppImage a.AppImage.sig", one),
            ("latest.yml", one),
        ] {
            assert_eq!(check(Updater::Tauri, false, true, names), result, "{names}");
        }
        assert_eq!(check(Updater::Tauri, false, false, "a.app.tar.gz"), "tauri needs a signature");
    }

    #[test]
    fn packages_are_there_once() {
        for (names, result) in [
            ("a.deb b.deb", "two files with the package deb"),
            ("a.tar.gz b.TAR.GZ", "two files with the package tar.gz"),
            ("a b", "two files with the package no-extension"),
            ("a.gz a.tar.gz a.app.tar.gz", "ok"),
            ("a.nupkg b.nupkg c.delta d.delta e.blockmap f.blockmap", "ok"),
            ("a.yml b.yml", "ok"),
            ("RELEASES a", "ok"),
            ("a.yml a.yml", "duplicate file name: a.yml"),
            ("a.nupkg a.nupkg", "duplicate file name: a.nupkg"),
        ] {
            assert_eq!(check(Updater::Manual, false, false, names), result, "{names}");
        }
    }

    #[test]
    fn private_apps_take_three_updaters() {
        let refused = "updater not supported for private apps";
        for updater in Updater::ALL {
            let result = check(updater, true, true, "a.zip");
            let allowed = matches!(updater, Updater::Manual | Updater::SquirrelDarwin | Updater::Tauri);
            assert_eq!(result, if allowed { "ok" } else { refused }, "{updater}");
        }
    }

    #[test]
    fn a_feed_is_no_file_and_numbers_are_limited() {
        fn upload(files: &[&FileName]) -> Result<(), UploadRuleError> {
            check_upload(&Upload {
                updater: Updater::Manual,
                private: false,
                signed: false,
                files,
                feeds: &[],
            })
        }
        let feed: FileName = "RELEASES".parse().unwrap();
        assert_eq!(upload(&[&feed]), Err(UploadRuleError::FeedAmongFiles(feed.clone())));

        let many: Vec<FileName> =
            (0..=MAX_FILES_PER_UPLOAD).map(|i| format!("{i}.nupkg").parse().unwrap()).collect();
        let many: Vec<_> = many.iter().collect();
        assert_eq!(upload(&many), Err(UploadRuleError::TooManyFiles));
        assert_eq!(upload(&many[1..]), Ok(()));

        let feeds = (0..=MAX_FEEDS_PER_UPLOAD).map(|i| format!("{i}.yml")).collect::<Vec<_>>().join(" ");
        assert_eq!(
            check(Updater::ElectronBuilder, false, false, &feeds),
            "too many files: at most 200, and 20 feed files"
        );
    }
}
