//! Keys of objects in the storage. They are plain text; percent-encode them when you put them into a URL.

use std::fmt;

use crate::{FileName, Id, Package, Scope, Updater, UserName, Version};

/// Where a file is stored before its upload is completed: `pending/{upload id}/{name}`.
pub fn staged_path(upload_id: &Id, name: &FileName) -> String {
    format!("{}{name}", staged_prefix(upload_id))
}

/// Prefix of the keys of all staged objects.
pub const STAGED_ROOT: &str = "pending/";

/// Key of the marker in the private bucket, whose content is the name of the bucket's database. No
/// user name begins with a dot, so it cannot be the key of a release's file.
pub const BUCKET_MARKER: &str = ".spindrift-database";

/// First segment of the keys of signed metadata.
const METADATA_ROOT: &str = "tuf_metadata";

/// First segments that have a meaning: staged objects, report details, logos, static answers,
/// signed metadata. Objects below some of them are deleted by age.
const RESERVED_ROOTS: [&str; 5] = ["pending", "reports", "logos", "responses", METADATA_ROOT];

/// Prefix of the keys of all metadata of a repository, which is called `{owner}/{app}`.
pub fn metadata_prefix(repository: impl fmt::Display) -> String {
    format!("{METADATA_ROOT}/{repository}/")
}

/// Prefix of the keys of all staged objects of an upload.
pub fn staged_prefix(upload_id: &Id) -> String {
    format!("{STAGED_ROOT}{upload_id}/")
}

/// The final key of a release's file.
///
/// - `manual`, `tauri`, `squirrel_darwin`:
///   `{owner}/{app}/{channel}/{platform}/{arch}/{app}-{version}.{package}`, without the dot for a file
///   without an extension. If the uploader named the package: `.../{app}-{version}.{package}.{extension}`, so
///   that people can still open a download. A release may have several feeds, and several files of a package
///   that may repeat, so these keep their names one level below: `.../{app}-{version}/{file}`.
/// - the other updaters, whose feeds name the files:
///   `{updater}/{owner}/{app}/{version}/{channel}/{platform}/{arch}/{file}`.
///
/// An owner named like an updater or a reserved root gets the prefix `~`, which no name contains.
/// No segment contains `/`, so a path identifies its owner and application. The key may still be
/// taken: by an artifact that the same upload replaces, or by an application that had this name
/// before. The upload then uses [`distinct_path`].
pub fn artifact_path(
    updater: Updater,
    scope: &Scope,
    version: &Version,
    file_name: &FileName,
    package: &Package,
) -> String {
    let [_, app, channel, platform, arch] = scope.segments();
    let owner = owner_segment(&scope.owner);
    if updater.keeps_file_names() {
        return format!("{updater}/{owner}/{app}/{version}/{channel}/{platform}/{arch}/{file_name}");
    }
    let stem = format!("{owner}/{app}/{channel}/{platform}/{arch}/{app}-{version}");
    if file_name.is_told_apart_by_name() {
        return format!("{stem}/{file_name}");
    }
    let extension = file_name.package();
    let parts = [Some(package).filter(|package| **package != extension), Some(&extension)];
    let parts = parts.into_iter().flatten().filter(|part| !part.is_no_extension());
    parts.fold(stem, |path, part| format!("{path}.{part}"))
}

/// The updater whose rules name the stored files of an upload: its own or, if that does not keep
/// names, one with a feed among the files, because feeds name their files.
pub fn naming_updater<'a>(updater: Updater, names: impl IntoIterator<Item = &'a FileName>) -> Updater {
    let of_feeds = || names.into_iter().find_map(FileName::feed_updater);
    if updater.keeps_file_names() { updater } else { of_feeds().unwrap_or(updater) }
}

fn owner_segment(owner: &UserName) -> String {
    let owner = owner.as_str();
    let is_taken = RESERVED_ROOTS.contains(&owner) || owner.parse::<Updater>().is_ok();
    if is_taken { format!("~{owner}") } else { owner.to_owned() }
}

/// The same path inside a folder named after the upload, which makes it unique.
pub fn distinct_path(path: &str, upload_id: &Id) -> String {
    match path.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/{upload_id}/{name}"),
        None => format!("{upload_id}/{path}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn scope(owner: &str, app: &str, dimensions: bool) -> Scope {
        Scope {
            owner: owner.parse().unwrap(),
            app: app.parse().unwrap(),
            channel: dimensions.then(|| "beta".parse().unwrap()),
            platform: dimensions.then(|| "linux".parse().unwrap()),
            arch: dimensions.then(|| "amd64".parse().unwrap()),
        }
    }

    fn path(updater: Updater, scope: &Scope, file_name: &str) -> String {
        named_path(updater, scope, file_name, None)
    }

    fn named_path(updater: Updater, scope: &Scope, file_name: &str, package: Option<&str>) -> String {
        let file: FileName = file_name.parse().unwrap();
        let package = package.map_or_else(|| file.package(), |package| package.parse().unwrap());
        artifact_path(updater, scope, &"v1.2-3".parse().unwrap(), &file, &package)
    }

    #[test]
    fn a_named_package_stands_before_the_extension() {
        let bare = scope("ada", "app", false);
        for (updater, file, package, name) in [
            (Updater::Manual, "App-portable.exe", "portable", "app-1.2.3.portable.exe"),
            (Updater::Manual, "App-setup.exe", "exe", "app-1.2.3.exe"),
            (Updater::Manual, "tool", "cli", "app-1.2.3.cli"),
            (Updater::ElectronBuilder, "App-portable.exe", "portable", "App-portable.exe"),
        ] {
            let path = named_path(updater, &bare, file, Some(package));
            assert_eq!(path.rsplit('/').next(), Some(name), "{file}");
        }
    }

    #[test]
    fn paths() {
        use Updater::{ElectronBuilder, Manual, Sparkle, SquirrelDarwin, SquirrelWindows, Tauri, Velopack};
        let used = scope("ada@x.example", "My App", true);
        let bare = scope("ada", "app", false);
        let pending = scope("pending", "app", false);
        let velopack = scope("velopack", "app", false);
        for (updater, scope, file, expected) in [
            (Manual, &used, "Any Name.DEB", "ada@x.example/My App/beta/linux/amd64/My App-1.2.3.deb"),
            (Tauri, &used, "x.app.tar.gz", "ada@x.example/My App/beta/linux/amd64/My App-1.2.3.app.tar.gz"),
            (SquirrelDarwin, &bare, "x.zip", "ada/app/default/default/default/app-1.2.3.zip"),
            (Manual, &bare, "binary", "ada/app/default/default/default/app-1.2.3"),
            (Manual, &bare, "x-full.nupkg", "ada/app/default/default/default/app-1.2.3/x-full.nupkg"),
            (Manual, &bare, "RELEASES", "ada/app/default/default/default/app-1.2.3/RELEASES"),
            (Manual, &pending, "x.zip", "~pending/app/default/default/default/app-1.2.3.zip"),
            (Manual, &velopack, "x.zip", "~velopack/app/default/default/default/app-1.2.3.zip"),
            (
                SquirrelWindows,
                &bare,
                "RELEASES",
                "squirrel_windows/ada/app/1.2.3/default/default/default/RELEASES",
            ),
            (Velopack, &used, "a b.nupkg", "velopack/ada@x.example/My App/1.2.3/beta/linux/amd64/a b.nupkg"),
            (ElectronBuilder, &bare, "ä.exe", "electron-builder/ada/app/1.2.3/default/default/default/ä.exe"),
            (Sparkle, &bare, "x.zip", "sparkle/ada/app/1.2.3/default/default/default/x.zip"),
        ] {
            assert_eq!(path(updater, scope, file), expected);
        }
    }

    /// Tests owners and applications whose names overlap with each other, with other paths and with
    /// this module's own segments.
    #[test]
    fn no_two_applications_meet() {
        let owners = [
            "c",
            "b-c",
            "a-b",
            "sparkle",
            "velopack",
            "pending",
            "logos",
            "reports",
            "responses",
            "manual",
            METADATA_ROOT,
        ];
        let apps = ["a", "a-b", "a-b-c", "c", "default", "sparkle", "a-1.2.3", "1.2.3", "RELEASES"];
        let files = ["x.zip", "x", "a-1.2.3.zip", "x-full.nupkg", "RELEASES", "a-1.2.3"];
        let mut seen = HashSet::new();
        for owner in owners {
            for app in apps {
                let scope = scope(owner, app, false);
                let of_all = Updater::ALL.into_iter().flat_map(|updater| {
                    files.iter().map(|file| path(updater, &scope, file)).collect::<Vec<_>>()
                });
                let own: HashSet<String> = of_all.collect();
                for path in own {
                    assert!(
                        !RESERVED_ROOTS.iter().any(|root| path.starts_with(&format!("{root}/"))),
                        "{path}"
                    );
                    assert!(seen.insert(path.clone()), "{owner} {app}: {path}");
                }
            }
        }
    }

    #[test]
    fn an_upload_can_keep_apart_what_it_stores() {
        let id = Id::from_text("0190");
        let path = "ada/app/beta/linux/amd64/app-1.0.deb";
        assert_eq!(distinct_path(path, &id), "ada/app/beta/linux/amd64/0190/app-1.0.deb");
        assert_eq!(distinct_path("app", &id), "0190/app");
    }

    #[test]
    fn the_longest_path_fits_a_key() {
        let longest = |c: &str| c.repeat(64);
        let scope = Scope {
            owner: longest("o").parse().unwrap(),
            app: longest("a").parse().unwrap(),
            channel: longest("c").parse().ok(),
            platform: longest("p").parse().ok(),
            arch: longest("r").parse().ok(),
        };
        let version: Version = format!("1.0.0-{}", "x".repeat(58)).parse().unwrap();
        let file: FileName = ("f".repeat(249) + ".nupkg").parse().unwrap();
        let package = file.package();
        let id = Id::from_text("0193f3a0-0000-7000-8000-000000000000");
        for updater in Updater::ALL {
            // Object storages accept keys of up to 1024 bytes.
            let path = distinct_path(&artifact_path(updater, &scope, &version, &file, &package), &id);
            assert!(path.len() <= 1024, "{updater}");
        }
    }

    #[test]
    fn staging() {
        let path = staged_path(&Id::from_text("0190"), &"My App.zip".parse().unwrap());
        assert_eq!(path, "pending/0190/My App.zip");
    }
}
