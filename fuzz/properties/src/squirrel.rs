//! `RELEASES` of Squirrel.Windows.

use spindrift_core::Updater;

use crate::feed::{Format, json};

const FORMAT: Format = Format {
    updater: Updater::SquirrelWindows,
    feed: "RELEASES",
    files: &["App-1.2.3-full.nupkg", "App-1.2.3-delta.nupkg", "My App-1.2.3-full.nupkg"],
};

/// A `RELEASES` is kept or refused. The answer to clients is again one, with the same full package.
pub fn squirrel(data: &[u8]) -> bool {
    let Some(feed) = FORMAT.read(data) else { return false };
    let (kept, again) = (json(&feed), json(&FORMAT.reread(&FORMAT.answer(&feed))));
    let full = |feed: &serde_json::Value| {
        let packages = feed["packages"].as_array().expect("packages");
        packages.iter().find(|package| package["kind"] == "full").cloned()
    };
    assert!(full(&kept).is_some(), "a release has a full package");
    assert_eq!(full(&kept), full(&again));
    true
}
