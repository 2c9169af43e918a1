//! Which files may be combined in one upload. Looks only at names; whether a feed lists the uploaded files is
//! checked where feeds are read.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{FeedName, FileName, MAX_FEEDS_PER_UPLOAD, MAX_FILES_PER_UPLOAD, Packages};
use crate::{Package, PlatformUpdaters, Updater};

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
    #[error(
        "two files with the package {0}: {1} and {2}. Upload each for its own architecture, or name another package for \
         one of them (spindrift publish --package \"{2}=NAME\")"
    )]
    DuplicatePackage(Package, FileName, FileName),
    /// A feed is for an updater that the platform does not have, so no client could ask for it.
    #[error(
        "{feed} is a feed for {updater}, which the platform does not have. Add it (spindrift platform update PLATFORM \
         --add-updater {updater}), or leave the file out"
    )]
    NoUpdater {
        /// The feed.
        feed: FileName,
        /// Its updater.
        updater: Updater,
    },
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
    /// The packages that the uploader has named.
    pub packages: &'a Packages,
    /// The updaters of the platform.
    pub platform: &'a PlatformUpdaters,
}

impl Upload<'_> {
    /// Whether a file has the package.
    pub(crate) fn has_package(&self, package: &str) -> bool {
        self.files.iter().any(|name| name.package().as_str() == package)
    }
}

/// Checks an upload.
///
/// In a valid upload no two files have the same [`artifact_path`](crate::artifact_path): paths made from
/// packages contain each package once, and all other paths end in the file name.
///
/// Feeds do not count as packages: a release may have several `*.yml`. An upload may have feeds for several
/// updaters of the platform, each with the files that its clients need.
pub fn check_upload(upload: &Upload<'_>) -> Result<(), UploadRuleError> {
    check_number(upload)?;
    check_names(upload)?;
    check_packages(upload)?;
    if let Some(feed) = upload.feeds.iter().find(|feed| !is_expected(upload, feed)) {
        let (updater, feed) = (feed.updater(), feed.as_file_name().clone());
        return Err(UploadRuleError::NoUpdater { feed, updater });
    }
    let others: BTreeSet<Updater> = upload.feeds.iter().map(FeedName::updater).collect();
    let others = others.into_iter().filter(|other| *other != upload.updater);
    std::iter::once(upload.updater).chain(others).try_for_each(|updater| check_updater(upload, updater))
}

fn is_expected(upload: &Upload<'_>, feed: &FeedName) -> bool {
    feed.updater() == upload.updater || upload.platform.has(feed.updater())
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

fn check_packages(upload: &Upload<'_>) -> Result<(), UploadRuleError> {
    let mut seen: HashMap<Package, &FileName> = HashMap::new();
    for name in upload.files.iter().copied().filter(|name| !name.package().may_repeat()) {
        if let Some(other) = seen.insert(upload.packages.of(name), name) {
            return Err(UploadRuleError::DuplicatePackage(
                upload.packages.of(name),
                other.clone(),
                name.clone(),
            ));
        }
    }
    Ok(())
}

fn check_updater(upload: &Upload<'_>, updater: Updater) -> Result<(), UploadRuleError> {
    if upload.private && !updater.works_for_private_apps() {
        return Err(UploadRuleError::NotForPrivateApps);
    }
    let is_missing = |_: &_| !upload.feeds.iter().any(|feed| feed.updater() == updater);
    let feed = updater.feed_file().filter(is_missing).map(|file| file.pattern);
    // People download a file with a given package in addition.
    let is_chosen = |name: &&FileName| !upload.packages.is_named(name);
    let files: Vec<&FileName> = upload.files.iter().copied().filter(is_chosen).collect();
    let needed = || updater.missing(&Upload { files: &files, ..*upload });
    match feed.or_else(needed) {
        Some(what) => Err(UploadRuleError::Needs { updater, what }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::PlatformUpdater;

    /// Checks an upload of space-separated names; feed names become feeds.
    fn check(updater: Updater, private: bool, signed: bool, names: &str) -> String {
        let names: Vec<FileName> = names.split_whitespace().map(|name| name.parse().unwrap()).collect();
        let files: Vec<_> = names.iter().filter(|name| !name.is_feed()).collect();
        let feeds: Vec<_> = names.iter().filter_map(|name| FeedName::try_from(name.clone()).ok()).collect();
        let all = Updater::ALL.map(|updater| PlatformUpdater { updater, default: false });
        let (packages, platform) = (Packages::default(), PlatformUpdaters::new(all.into()).unwrap());
        let (packages, platform) = (&packages, &platform);
        let upload = Upload { updater, private, signed, files: &files, feeds: &feeds, packages, platform };
        check_upload(&upload).map_or_else(|error| error.to_string(), |()| "ok".to_owned())
    }

    #[test]
    fn each_updater_has_its_files() {
        use Updater::{ElectronBuilder, Manual, Sparkle, SquirrelDarwin, SquirrelWindows, Velopack};
        for (updater, names, result) in [
            (Manual, "a.deb a.rpm a", "ok"),
            (Manual, "latest.yml a.exe", "ok"),
            (Manual, "releases.win.json a.exe", "velopack needs a .nupkg file"),
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
            ("a.deb b.deb", "two files with the package deb: a.deb and b.deb."),
            ("a.tar.gz b.TAR.GZ", "two files with the package tar.gz: a.tar.gz and b.TAR.GZ."),
            ("a b", "two files with the package no-extension: a and b."),
            ("a.gz a.tar.gz a.app.tar.gz", "ok"),
            ("a.nupkg b.nupkg c.delta d.delta e.blockmap f.blockmap", "ok"),
            ("a.yml b.yml", "ok"),
            ("latest.yml a", "ok"),
            ("a.yml a.yml", "duplicate file name: a.yml"),
            ("a.nupkg a.nupkg", "duplicate file name: a.nupkg"),
        ] {
            let message = check(Updater::Manual, false, false, names);
            assert!(message.starts_with(result), "{names}: {message}");
        }
    }

    fn with(packages: &serde_json::Value, updater: Updater, names: [&str; 2]) -> Result<(), UploadRuleError> {
        let names = names.map(|name| name.parse::<FileName>().unwrap());
        let packages = Packages::from_json(packages).unwrap();
        check_upload(&Upload {
            updater,
            private: false,
            signed: true,
            files: &[&names[0], &names[1]],
            feeds: &[],
            packages: &packages,
            platform: &PlatformUpdaters::default(),
        })
    }

    #[test]
    fn a_named_package_is_another_one() {
        let named = json!({ "b.exe": "portable" });
        assert_eq!(with(&named, Updater::Manual, ["a.exe", "b.exe"]), Ok(()));
        let message = with(&named, Updater::Manual, ["a.portable", "b.exe"]).unwrap_err().to_string();
        assert!(
            message.starts_with("two files with the package portable: a.portable and b.exe."),
            "{message}"
        );
        assert_eq!(with(&json!({ "b.zip": "store" }), Updater::Tauri, ["a.AppImage", "b.zip"]), Ok(()));
        let message = with(&json!({ "b.zip": "store" }), Updater::SquirrelDarwin, ["a.dmg", "b.zip"]);
        assert_eq!(message.unwrap_err().to_string(), "squirrel_darwin needs a .zip file");
    }

    #[test]
    fn a_feed_without_its_updater_is_refused() {
        let files: FileName = "a.zip".parse().unwrap();
        for name in ["latest.yml", "RELEASES", "appcast.xml", "releases.win.json"] {
            let feed = FeedName::try_from(name.parse::<FileName>().unwrap()).unwrap();
            let upload = Upload {
                updater: Updater::Manual,
                private: false,
                signed: false,
                files: &[&files],
                feeds: std::slice::from_ref(&feed),
                packages: &Packages::default(),
                platform: &PlatformUpdaters::default(),
            };
            let message = check_upload(&upload).unwrap_err().to_string();
            let updater = feed.updater();
            assert!(message.starts_with(&format!("{name} is a feed for {updater}, which")), "{message}");
            assert!(message.contains(&format!("--add-updater {updater}")), "{message}");
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
                packages: &Packages::default(),
                platform: &PlatformUpdaters::default(),
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
