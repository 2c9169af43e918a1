//! `releases.{channel}.json` of Velopack.

use spindrift_core::Updater;
use spindrift_core::feeds::velopack_channel;

use crate::feed::{Format, json};
use crate::text::of;

const FORMAT: Format = Format {
    updater: Updater::Velopack,
    feed: "releases.win.json",
    files: &["App-1.2.3-full.nupkg", "App-1.2.3-delta.nupkg", "App-win-Setup.exe"],
};

/// A feed is kept or refused. The answer to clients is again one, with the same full package.
pub fn velopack(data: &[u8]) -> bool {
    if let Some(text) = of(data) {
        // The channel is the part of the name between the two ends.
        let channel = velopack_channel(text);
        assert!(channel.is_none_or(|channel| text.contains(channel)), "{text}");
    }
    let Some(feed) = FORMAT.read(data) else { return false };
    let (kept, again) = (json(&feed), json(&FORMAT.reread(&FORMAT.answer(&feed))));
    let full = |feed: &serde_json::Value| {
        let assets = feed["assets"].as_array().expect("assets");
        assets.iter().find(|asset| asset["kind"] == "Full").cloned()
    };
    assert!(full(&kept).is_some(), "a release has a full package");
    assert_eq!(full(&kept), full(&again));
    true
}
