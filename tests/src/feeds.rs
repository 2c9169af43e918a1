//! Releases with the feeds that the tools of native updaters write. Only the real clients need real file
//! contents, so here the content of a file is its name.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::digests::{sha1_hex, sha256_hex, sha512_base64};
use crate::release::Release;

/// The platform of the Windows updaters.
const WINDOWS: &str = "windows";
/// The platform of Sparkle.
const MAC: &str = "darwin";

/// `Notes-{version}-full.nupkg`.
pub fn full_package(version: &str) -> String {
    format!("Notes-{version}-full.nupkg")
}

fn delta_package(version: &str) -> String {
    format!("Notes-{version}-delta.nupkg")
}

/// Adds a file whose content is its name.
fn with_named(release: Release, name: &str) -> Release {
    release.file(name, name)
}

/// A line of `RELEASES` for a file whose content is its name.
pub fn squirrel_line(name: &str) -> String {
    format!("{} {name} {}\n", sha1_hex(name.as_bytes()), name.len())
}

/// A release as `Squirrel --releasify` makes it, on `windows`: a full package, a delta from the last of the
/// earlier versions if there are any, and a `RELEASES` that lists all packages.
pub fn squirrel(version: &str, earlier: &[&str]) -> Release {
    let release = Release::empty(version).with("platform", WINDOWS).with("updater", "squirrel_windows");
    let mut release = with_named(release, &full_package(version));
    let mut lines = String::new();
    for (i, old) in earlier.iter().enumerate() {
        lines += &squirrel_line(&full_package(old));
        if i > 0 {
            lines += &squirrel_line(&delta_package(old));
        }
    }
    lines += &squirrel_line(&full_package(version));
    if !earlier.is_empty() {
        release = with_named(release, &delta_package(version));
        lines += &squirrel_line(&delta_package(version));
    }
    release.feed("RELEASES", lines)
}

/// An entry of a Velopack feed for a file whose content is its name.
pub fn velopack_asset(version: &str, kind: &str, name: &str) -> Value {
    json!({
        "PackageId": "Notes", "Version": version, "Type": kind, "FileName": name,
        "SHA1": sha1_hex(name.as_bytes()), "SHA256": sha256_hex(name.as_bytes()), "Size": name.len(),
        "NotesMarkdown": "notes", "NotesHTML": "<p>notes</p>",
    })
}

/// A release as `vpk pack` makes it, on `windows`, with the installer whose name never changes.
pub fn velopack(version: &str, earlier: &[&str]) -> Release {
    let release = Release::empty(version).with("platform", WINDOWS).with("updater", "velopack");
    let mut release = with_named(with_named(release, &full_package(version)), "Notes-win-Setup.exe");
    let mut assets = vec![velopack_asset(version, "Full", &full_package(version))];
    if !earlier.is_empty() {
        release = with_named(release, &delta_package(version));
        assets.push(velopack_asset(version, "Delta", &delta_package(version)));
    }
    assets.extend(earlier.iter().map(|old| velopack_asset(old, "Full", &full_package(old))));
    release.feed("releases.win.json", json!({ "Assets": assets }).to_string())
}

/// A `*.yml` for files whose content is their name.
pub fn electron_yml(version: &str, files: &[&str]) -> String {
    let file = |name: &&str| {
        let (sha512, size) = (sha512_base64(name.as_bytes()), name.len());
        format!("  - url: {name}\n    sha512: {sha512}\n    size: {size}\n")
    };
    let files: String = files.iter().map(file).collect();
    format!("version: {version}\nfiles:\n{files}releaseDate: '2026-11-21T10:00:00.000Z'\n")
}

/// A `*.yml` for one file with this content.
pub fn electron_yml_of(version: &str, name: &str, bytes: &[u8]) -> String {
    let (sha512, size) = (sha512_base64(bytes), bytes.len());
    format!("version: {version}\nfiles:\n  - url: {name}\n    sha512: {sha512}\n    size: {size}\n")
}

/// A release as electron-builder makes it, with block maps next to the files.
pub fn electron(version: &str, feed: &str, files: &[&str]) -> Release {
    let release = Release::empty(version).with("updater", "electron-builder");
    let release = files
        .iter()
        .fold(release, |release, name| with_named(with_named(release, name), &format!("{name}.blockmap")));
    release.feed(feed, electron_yml(version, files))
}

/// An item of an appcast for a file whose content is its name.
pub fn sparkle_item(version: &str, name: &str) -> String {
    format!(
        "<item>\n<title>Version {version}</title>\n  <sparkle:version>{version}</sparkle:version>\
         <sparkle:shortVersionString>{version}</sparkle:shortVersionString>\n\
         <pubDate>Sat, 21 Nov 2026 10:00:00 +0000</pubDate>\n<sparkle:criticalUpdate/>\n\
         <enclosure   url='{name}' length=\"{}\" type=\"application/octet-stream\" sparkle:edSignature=\"c2ln\" />\n</item>",
        name.len()
    )
}

/// An appcast with these items.
pub fn appcast(items: &[String]) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <rss version=\"2.0\" xmlns:sparkle=\"http://www.andymatuschak.org/xml-namespaces/sparkle\">\n\
         <channel><title>Notes</title>\n{}\n</channel></rss>\n",
        items.join("\n")
    )
}

/// A release as Sparkle's `generate_appcast` makes it, on `darwin`.
pub fn sparkle(version: &str) -> Release {
    let name = format!("Notes-{version}.zip");
    let release = Release::empty(version).with("platform", MAC).with("updater", "sparkle");
    with_named(release, &name).feed("appcast.xml", appcast(&[sparkle_item(version, &name)]))
}

/// The content of a well-formed `.sig` file made without a key. Its comment contains `signed_version`.
pub fn tauri_signature(signed_version: Option<&str>) -> String {
    let version = signed_version.map(|version| format!("\tversion:{version}")).unwrap_or_default();
    STANDARD.encode(format!(
        "untrusted comment: signature from tauri secret key\n{}\n\
         trusted comment: timestamp:1700000000\tfile:notes{version}\n{}\n",
        STANDARD.encode([7; 74]),
        STANDARD.encode([8; 64])
    ))
}

/// A release with one signed file for Tauri, on `linux`.
pub fn tauri(version: &str, file: &str) -> Release {
    let signature = tauri_signature(Some(version));
    with_named(Release::empty(version), file).with("updater", "tauri").with("signature", signature)
}
