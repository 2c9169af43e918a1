//! `*.yml` of electron-builder.

use spindrift_core::Updater;

use crate::feed::{Format, json};

const FORMAT: Format = Format {
    updater: Updater::ElectronBuilder,
    feed: "latest.yml",
    files: &["App Setup 1.2.3.exe", "App-1.2.3.zip", "app-1.2.3.7z"],
};

/// A feed is kept or refused. The answer to clients is again one, with the same files and texts.
pub fn electron(data: &[u8]) -> bool {
    let Some(feed) = FORMAT.read(data) else { return false };
    let (kept, again) = (json(&feed), json(&FORMAT.reread(&FORMAT.answer(&feed))));
    for field in ["version", "files", "release_name", "minimum_system_version"] {
        assert_eq!(kept[field], again[field], "{field}");
    }
    for field in ["release_date", "release_notes"] {
        assert!(is_nothing(&kept[field]) || kept[field] == again[field], "{field}: {kept} {again}");
    }
    true
}

/// Differences in writing: a date is always present, and an empty list of notes never.
fn is_nothing(value: &serde_json::Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}
