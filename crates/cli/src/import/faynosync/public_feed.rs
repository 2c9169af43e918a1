//! The Velopack feed that the old server generates for clients from its own records, not from
//! uploaded feeds.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use spindrift_api::ReleaseData;
use spindrift_core::encode_segments;

/// Fields that are dropped from the entry of the release that a delta starts from.
const NOTES: [&str; 2] = ["NotesMarkdown", "NotesHTML"];

/// The assets of a feed, newest release first.
#[derive(Debug, Default, Deserialize)]
pub(super) struct FeedAssets {
    #[serde(rename = "Assets", default)]
    assets: Vec<Map<String, Value>>,
}

/// The path of the feed for a release's scope. `None`: a feed needs a channel, a platform and an
/// architecture.
pub(super) fn path(owner: &str, data: &ReleaseData) -> Option<String> {
    let (channel, platform, arch) = (data.channel.as_ref()?, data.platform.as_ref()?, data.arch.as_ref()?);
    let file = format!("releases.{channel}.json");
    Some(format!("/velopack/{}", encode_segments([owner, &data.app_name, platform, arch, &file])))
}

impl FeedAssets {
    /// `feed` with the entries for these files added, and with the entry of the release that a
    /// delta starts from. `None`: there are no such entries, or `feed` is not a Velopack feed.
    pub(super) fn with_missing_entries(&self, feed: &[u8], files: &[String]) -> Option<Vec<u8>> {
        let mut index: Self = serde_json::from_slice(feed).ok()?;
        let is_wanted =
            |asset: &Map<String, Value>| files.iter().any(|file| has_value(asset, "FileName", file));
        let last = self.assets.iter().rposition(is_wanted)?;
        let mut added: Vec<_> = self.assets.iter().filter(|asset| is_wanted(asset)).cloned().collect();
        let version = added.first()?.get("Version").cloned();
        let below = self.assets.iter().skip(last + 1);
        let mut base = below
            .filter(|asset| has_value(asset, "Type", "Full") && asset.get("Version") != version.as_ref());
        added.extend(base.next().cloned().map(|base| without_keys(base, &NOTES)));
        // In place of the package id, the old server writes the application's name.
        let id = index.assets.first().and_then(|asset| asset.get("PackageId")).cloned();
        for mut asset in added {
            let file = asset.get("FileName").and_then(Value::as_str).unwrap_or_default();
            if index.assets.iter().any(|known| has_value(known, "FileName", file)) {
                continue;
            }
            if let Some(id) = &id {
                let _ = asset.insert("PackageId".to_owned(), id.clone());
            }
            index.assets.push(asset);
        }
        serde_json::to_vec(&json!({ "Assets": index.assets })).ok()
    }
}

fn has_value(asset: &Map<String, Value>, key: &str, value: &str) -> bool {
    asset.get(key).is_some_and(|found| found == value)
}

fn without_keys(mut asset: Map<String, Value>, keys: &[&str]) -> Map<String, Value> {
    asset.retain(|key, _| !keys.contains(&key.as_str()));
    asset
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asset(id: &str, version: &str, kind: &str) -> Value {
        let file = format!("Notes-{version}-{}.nupkg", kind.to_lowercase());
        json!({ "PackageId": id, "Version": version, "Type": kind, "FileName": file, "NotesMarkdown": "n" })
    }

    fn names(bytes: &[u8]) -> Vec<String> {
        let feed: FeedAssets = serde_json::from_slice(bytes).unwrap();
        let text = |asset: &Map<String, Value>, key: &str| asset[key].as_str().unwrap().to_owned();
        feed.assets
            .iter()
            .map(|asset| format!("{} {}", text(asset, "PackageId"), text(asset, "FileName")))
            .collect()
    }

    #[test]
    fn missing_entries_are_added() {
        let public = json!({ "Assets": [
            asset("notes", "1.2.0", "Full"), asset("notes", "1.1.0", "Full"), asset("notes", "1.1.0", "Delta"),
            asset("notes", "1.0.0", "Full"), asset("notes", "0.9.0", "Full"),
        ] });
        let public: FeedAssets = serde_json::from_value(public).unwrap();
        let uploaded = json!({ "Assets": [asset("Acme.Notes", "1.2.0", "Full")] }).to_string();
        let files = ["full", "delta"].map(|kind| format!("Notes-1.1.0-{kind}.nupkg"));

        let completed = public.with_missing_entries(uploaded.as_bytes(), &files).unwrap();

        let expected = ["1.2.0-full", "1.1.0-full", "1.1.0-delta", "1.0.0-full"];
        assert_eq!(names(&completed), expected.map(|name| format!("Acme.Notes Notes-{name}.nupkg")));
        assert_eq!(public.with_missing_entries(uploaded.as_bytes(), &["Other.nupkg".to_owned()]), None);
        assert_eq!(public.with_missing_entries(b"no JSON", &files), None);
        let empty = public.with_missing_entries(br#"{"Assets":[]}"#, &files[..1]).unwrap();
        assert_eq!(names(&empty)[0], "notes Notes-1.1.0-full.nupkg");
    }

    #[test]
    fn a_scope_has_a_path() {
        let data = ReleaseData {
            app_name: "My Desk".into(),
            channel: Some("stable".into()),
            platform: Some("windows".into()),
            arch: Some("amd64".into()),
            ..ReleaseData::default()
        };
        let path_of = |data: &ReleaseData| path("ada@x", data);
        let expected = "/velopack/ada%40x/My%20Desk/windows/amd64/releases.stable.json";
        assert_eq!(path_of(&data).as_deref(), Some(expected));
        assert_eq!(path_of(&ReleaseData { arch: None, ..data }), None);
    }
}
