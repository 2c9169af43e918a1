//! Keys of objects in the storage. They are plain text: whoever puts one into an address percent-encodes it.

use crate::{FileName, Id, Scope, Updater, Version};

/// The segment of a dimension that the application does not use.
const UNUSED_DIMENSION: &str = "default";

/// Where an uploader puts a file before the upload is completed: `pending/{upload id}/{name}`.
pub fn staging_path(upload_id: &Id, name: &FileName) -> String {
    format!("{}{name}", staging_prefix(upload_id))
}

/// What the keys of all staged objects begin with.
pub const STAGING_ROOT: &str = "pending/";

/// What the keys of all staged objects of an upload begin with.
pub fn staging_prefix(upload_id: &Id) -> String {
    format!("{STAGING_ROOT}{upload_id}/")
}

/// Where a file of a release stays.
///
/// - `manual`, `tauri`, `squirrel_darwin`: `{app}-{owner}/{channel}/{platform}/{arch}/{app}-{version}.{package}`,
///   without the dot for a file without an extension. Of feeds, and of packages that may repeat, a release may have
///   several, so they keep their names below: `.../{app}-{version}/{file}`.
/// - the others, whose feeds name the files: `{updater}/{app}-{owner}/{version}/{channel}/{platform}/{arch}/{file}`.
///
/// The two forms differ in their number of segments and never meet. Within one form a path is not always one
/// release's alone: `{app}-{owner}` is the same for the application `a-b` of `c` and for `a` of `b-c`, and
/// a channel may be called `default`. Recorded paths are therefore unique in the database, and the later of two
/// uploads with the same path is a conflict.
pub fn artifact_path(updater: Updater, scope: &Scope, version: &Version, file_name: &FileName) -> String {
    let Scope { owner, app, channel, platform, arch } = scope;
    let channel = channel.as_ref().map_or(UNUSED_DIMENSION, |name| name.as_str());
    let platform = platform.as_ref().map_or(UNUSED_DIMENSION, |name| name.as_str());
    let arch = arch.as_ref().map_or(UNUSED_DIMENSION, |name| name.as_str());
    if updater.keeps_file_names() {
        return format!("{updater}/{app}-{owner}/{version}/{channel}/{platform}/{arch}/{file_name}");
    }
    let stem = format!("{app}-{owner}/{channel}/{platform}/{arch}/{app}-{version}");
    let package = file_name.package();
    if file_name.is_told_apart_by_name() {
        format!("{stem}/{file_name}")
    } else if package.is_no_extension() {
        stem
    } else {
        format!("{stem}.{package}")
    }
}

#[cfg(test)]
mod tests {
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
        artifact_path(updater, scope, &"v1.2-3".parse().unwrap(), &file_name.parse().unwrap())
    }

    #[test]
    fn paths() {
        use Updater::{ElectronBuilder, Manual, Sparkle, SquirrelDarwin, SquirrelWindows, Tauri, Velopack};
        let used = scope("ada@x.example", "My App", true);
        let bare = scope("ada", "app", false);
        for (updater, scope, file, expected) in [
            (Manual, &used, "Any Name.DEB", "My App-ada@x.example/beta/linux/amd64/My App-1.2.3.deb"),
            (Tauri, &used, "x.app.tar.gz", "My App-ada@x.example/beta/linux/amd64/My App-1.2.3.app.tar.gz"),
            (SquirrelDarwin, &bare, "x.zip", "app-ada/default/default/default/app-1.2.3.zip"),
            (Manual, &bare, "binary", "app-ada/default/default/default/app-1.2.3"),
            (Manual, &bare, "x-full.nupkg", "app-ada/default/default/default/app-1.2.3/x-full.nupkg"),
            (Manual, &bare, "RELEASES", "app-ada/default/default/default/app-1.2.3/RELEASES"),
            (
                SquirrelWindows,
                &bare,
                "RELEASES",
                "squirrel_windows/app-ada/1.2.3/default/default/default/RELEASES",
            ),
            (Velopack, &used, "a b.nupkg", "velopack/My App-ada@x.example/1.2.3/beta/linux/amd64/a b.nupkg"),
            (ElectronBuilder, &bare, "ä.exe", "electron-builder/app-ada/1.2.3/default/default/default/ä.exe"),
            (Sparkle, &bare, "x.zip", "sparkle/app-ada/1.2.3/default/default/default/x.zip"),
        ] {
            assert_eq!(path(updater, scope, file), expected);
        }
    }

    #[test]
    fn two_owners_can_meet() {
        let (one, other) = (scope("c", "a-b", false), scope("b-c", "a", false));
        assert_eq!(path(Updater::Sparkle, &one, "x.zip"), path(Updater::Sparkle, &other, "x.zip"));
        assert_ne!(path(Updater::Manual, &one, "x.zip"), path(Updater::Manual, &other, "x.zip"));
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
        for updater in Updater::ALL {
            // Object storage takes keys of up to 1024 bytes.
            assert!(artifact_path(updater, &scope, &version, &file).len() <= 1024, "{updater}");
        }
    }

    #[test]
    fn staging() {
        let path = staging_path(&Id::from_text("0190"), &"My App.zip".parse().unwrap());
        assert_eq!(path, "pending/0190/My App.zip");
    }
}
