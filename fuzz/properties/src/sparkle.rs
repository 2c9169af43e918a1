//! `appcast.xml` of Sparkle.

use spindrift_core::Updater;

use crate::feed::{Format, json};

const FORMAT: Format = Format {
    updater: Updater::Sparkle,
    feed: "appcast.xml",
    files: &["App-1.2.3.zip", "App1.2.3-1.0.0.delta", "My App.dmg"],
};

/// An appcast is kept or refused. The answer to clients is again one, with the same items.
pub fn sparkle(data: &[u8]) -> bool {
    let Some(feed) = FORMAT.read(data) else { return false };
    let answer = FORMAT.answer(&feed);
    let (kept, again) = (json(&feed), json(&FORMAT.reread(&answer)));
    if kept.get("signed").is_some() {
        assert_eq!(kept, again, "a signed appcast is served as it is");
        return true;
    }
    let items = |feed: &serde_json::Value| {
        let items = feed["items"]["items"].as_array().expect("items").clone();
        items.iter().map(file_names).collect::<Vec<_>>()
    };
    assert_eq!(items(&kept), items(&again), "{answer}");
    true
}

fn file_names(item: &serde_json::Value) -> Vec<serde_json::Value> {
    item["enclosures"].as_array().expect("enclosures").iter().map(|e| e["file_name"].clone()).collect()
}
