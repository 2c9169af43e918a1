//! Renders `*.yml`.

use std::fmt::Write as _;

use super::quote::quote;
use super::reference::ReferenceBase;
use super::{ElectronFile, ElectronInfo, ElectronNotes};
use crate::feeds::FeedRelease;
use crate::{BasisPoints, Timestamp};

/// Values that the stored feed lacks.
#[derive(Debug, Clone, Copy)]
pub(super) struct YmlOptions<'a> {
    /// The URL of the feed.
    pub base: ReferenceBase<'a>,
    /// Percentage of clients that may have the release, if clients decide for themselves. `None` or
    /// 100: every client that gets the feed. Excluded clients see no update, instead of an older
    /// one.
    pub staging_percentage: Option<BasisPoints>,
    /// Used for a feed without `releaseDate`.
    pub released_at: Timestamp,
    /// Used for a feed without `releaseNotes`; may be empty.
    pub changelog: &'a str,
}

/// Renders one feed for a release in one or more architectures: on macOS one file lists all of
/// them, elsewhere each architecture has its own. The texts come from the first part; parts with
/// another version are omitted. `None`: there are no parts.
///
/// References are relative; see [`ReferenceBase::to`]. On macOS, clients on arm64 choose the files with
/// `arm64` in the URL. The other files come first, because old clients use `path`, which repeats
/// the first file.
pub(super) fn render_yml(
    parts: &[FeedRelease<'_, ElectronInfo>],
    options: &YmlOptions<'_>,
) -> Option<String> {
    let info = parts.first()?.feed;
    let mut parts: Vec<_> = parts.iter().filter(|part| part.feed.version == info.version).collect();
    parts.sort_by_key(|part| part.arch.is_some_and(|arch| matches!(arch, "arm64" | "aarch64")));

    let mut yml = format!("version: {}\nfiles:\n", quote(&info.version));
    let mut urls: Vec<String> = Vec::new();
    let mut first = None;
    for (part, file) in parts.iter().flat_map(|part| part.feed.files.iter().map(move |file| (part, file))) {
        let url = reference(options, part, &file.file_name);
        if urls.contains(&url) {
            continue;
        }
        let _ = writeln!(yml, "  - url: {}", quote(&url));
        write_file(&mut yml, file);
        first.get_or_insert((url.clone(), &file.sha512));
        urls.push(url);
    }
    write_packages(&mut yml, &parts, options);
    let (path, sha512) = first?;
    let _ = writeln!(yml, "path: {}\nsha512: {}", quote(&path), quote(sha512));
    write_texts(&mut yml, info, options);
    Some(yml)
}

fn reference(options: &YmlOptions<'_>, part: &FeedRelease<'_, ElectronInfo>, file_name: &str) -> String {
    options.base.to(part.arch, &part.feed.version, file_name)
}

fn write_file(yml: &mut String, file: &ElectronFile) {
    let _ = writeln!(yml, "    sha512: {}", quote(&file.sha512));
    if let Some(size) = file.size {
        let _ = writeln!(yml, "    size: {size}");
    }
    if let Some(size) = file.block_map_size {
        let _ = writeln!(yml, "    blockMapSize: {size}");
    }
    if let Some(flag) = file.is_admin_rights_required {
        let _ = writeln!(yml, "    isAdminRightsRequired: {flag}");
    }
}

fn write_packages(yml: &mut String, parts: &[&FeedRelease<'_, ElectronInfo>], options: &YmlOptions<'_>) {
    let mut known = Vec::new();
    for (part, package) in parts.iter().flat_map(|part| part.feed.packages.iter().map(move |p| (part, p))) {
        if known.contains(&package.arch.as_str()) {
            continue;
        }
        if known.is_empty() {
            yml.push_str("packages:\n");
        }
        known.push(package.arch.as_str());
        let url = reference(options, part, &package.file.file_name);
        let _ = writeln!(yml, "  {}:\n    path: {}", quote(&package.arch), quote(&url));
        write_file(yml, &package.file);
    }
}

fn write_texts(yml: &mut String, info: &ElectronInfo, options: &YmlOptions<'_>) {
    if let Some(version) = &info.minimum_system_version {
        let _ = writeln!(yml, "minimumSystemVersion: {}", quote(version));
    }
    if let Some(name) = &info.release_name {
        let _ = writeln!(yml, "releaseName: {}", quote(name));
    }
    match &info.release_notes {
        Some(ElectronNotes::Text(text)) => {
            let _ = writeln!(yml, "releaseNotes: {}", quote(text));
        }
        Some(ElectronNotes::List(list)) if !list.is_empty() => {
            yml.push_str("releaseNotes:\n");
            for entry in list {
                let note = entry.note.as_deref().map_or_else(|| "null".to_owned(), quote);
                let _ = writeln!(yml, "  - version: {}\n    note: {note}", quote(&entry.version));
            }
        }
        _ if !options.changelog.is_empty() => {
            let _ = writeln!(yml, "releaseNotes: {}", quote(options.changelog));
        }
        _ => {}
    }
    if let Some(percent) = options.staging_percentage.filter(|part| !part.is_all()) {
        let _ = writeln!(yml, "stagingPercentage: {percent}");
    }
    let date = info.release_date.clone().unwrap_or_else(|| options.released_at.to_rfc3339());
    let _ = writeln!(yml, "releaseDate: {}", quote(&date));
}
