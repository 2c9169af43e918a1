//! The stored form of feeds: in the database, in the key-value store, and in records sent to edges.
//! If such a test fails, existing databases and edges can no longer be read.
//!
//! Also tests that the formats do not claim each other's names.

use crate::Updater;
use crate::feeds::{ReleaseFeed, UpdaterRecord};

/// The stored JSON of each format: once with every field, once with as few as possible.
const FEEDS: [(Updater, &str); 9] = [
    (
        Updater::SquirrelWindows,
        r#"{"updater":"squirrel_windows","packages":[{"file_name":"A-1.1.0-full.nupkg","sha1":"94689FEDE0","size":100,"kind":"full","package_id":"A"},{"file_name":"A-1.1.0-delta.nupkg","sha1":"94689FEDE0","size":9,"kind":"delta","package_id":"A"}],"delta_base":"1.0.0"}"#,
    ),
    (Updater::SquirrelWindows, r#"{"updater":"squirrel_windows","packages":[]}"#),
    (
        Updater::ElectronBuilder,
        r#"{"updater":"electron-builder","version":"1.1.0","files":[{"file_name":"A.exe","sha512":"q6s=","size":70,"block_map_size":5,"is_admin_rights_required":true},{"file_name":"A.zip","sha512":"q6s="}],"packages":[{"arch":"x64","file":{"file_name":"A.7z","sha512":"q6s=","size":9}}],"release_date":"2026-11-21T01:53:42.000Z","release_name":"One","release_notes":[{"version":"1.1.0","note":"New"},{"version":"1.0.0"}],"minimum_system_version":"20.0.0"}"#,
    ),
    (
        Updater::ElectronBuilder,
        r#"{"updater":"electron-builder","version":"1.1.0","files":[],"release_notes":"New"}"#,
    ),
    (
        Updater::Velopack,
        r#"{"updater":"velopack","assets":[{"package_id":"A","version":"1.1.0","kind":"Full","file_name":"A-full.nupkg","sha1":"94689FEDE0","sha256":"abab","size":12,"notes_markdown":"New","notes_html":"<p>New</p>"},{"package_id":"A","version":"1.1.0","kind":"Delta","file_name":"d","sha1":"9","size":1},{"package_id":"A","version":"1.1.0","kind":"Portable","file_name":"p","sha1":"9","size":1},{"package_id":"A","version":"1.1.0","kind":"Installer","file_name":"i","sha1":"9","size":1},{"package_id":"A","version":"1.1.0","kind":"Msi","file_name":"m","sha1":"9","size":1}],"delta_base":"1.0.0"}"#,
    ),
    (Updater::Velopack, r#"{"updater":"velopack","assets":[]}"#),
    (
        Updater::Sparkle,
        r#"{"updater":"sparkle","items":{"namespaces":[{"prefix":"s","uri":"urn:s"}],"items":[{"xml":"<item/>","enclosures":[{"file_name":"A.zip","url_at":[3,9]}]}]}}"#,
    ),
    (Updater::Sparkle, r#"{"updater":"sparkle","items":{"namespaces":[],"items":[]}}"#),
    (Updater::Sparkle, r#"{"updater":"sparkle","signed":{"source":"<rss/>","file_names":["A.zip"]}}"#),
];

/// A record around one part with a feed.
fn record(part: &str) -> String {
    let release = r#"{"version":"1.1.0","intermediate":false,"rollout":{"basis_points":2000,"later":[],"is_halted":false,"seed":"s"},"changelog":"New","released_at":900,"artifacts":[],"conditions":{"let_in":0,"requires":null}}"#;
    let updaters =
        r#"[{"type":"electron-builder","default":true},{"type":"squirrel_darwin","default":false}]"#;
    format!(
        r#"{{"scope":{{"app_id":"app","cdn":true,"derived_at":1000,"read_at":1,"revision":7,"link_settings":5,"stands_for":null,"updaters":{updaters},"releases":[{release}],"critical":["1.1.0"],"stops":{{"shut_off":false,"withdrawn":[]}},"valid_until":null,"groups":[]}},"feeds":[[{part}]]"#
    )
}

#[test]
fn feeds_keep_their_form() {
    for (updater, json) in FEEDS {
        let feed: ReleaseFeed = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
        assert_eq!(feed.updater(), updater);
        assert_eq!(serde_json::to_string(&feed).unwrap(), json);
    }
    for updater in Updater::ALL.into_iter().filter(|updater| updater.feed_file().is_some()) {
        assert!(FEEDS.iter().any(|(of, _)| *of == updater), "{updater}");
    }
}

#[test]
fn records_keep_their_form() {
    for (_, feed) in FEEDS {
        let links = r#""links":{"A.zip":"https://x/A.zip"}"#;
        for json in [
            record(&format!(r#"{{"feed_name":"latest.yml","feed":{feed},{links}}}"#)) + "}",
            record(&format!(r#"{{"arch":"x64","feed_name":"latest.yml","feed":{feed},{links}}}"#))
                + r#","feed_names":["old.yml"]}"#,
        ] {
            let record: UpdaterRecord =
                serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
            assert_eq!(serde_json::to_string(&record).unwrap(), json);
        }
    }
}

#[test]
fn invalid_stored_feeds_are_refused() {
    for json in
        ["{}", r#"{"updater":"manual"}"#, r#"{"updater":"tauri","packages":[]}"#, r#"{"packages":[]}"#]
    {
        assert!(serde_json::from_str::<ReleaseFeed>(json).is_err(), "{json}");
    }
}

/// If two formats claimed a name, the first in the list would get it.
#[test]
fn no_two_formats_claim_a_name() {
    for name in [
        "",
        "RELEASES",
        "squirrel.json",
        "tauri.json",
        "releases.stable.json",
        "appcast.xml",
        "appcast-beta.xml",
        "latest.yml",
        "latest-mac.yml",
    ] {
        let asked = Updater::ALL.into_iter().filter(|updater| (updater.facts().is_requested_name)(name));
        assert_eq!(asked.count(), 1, "{name}");
        let files = Updater::ALL.into_iter().filter_map(Updater::feed_file);
        assert!(files.filter(|file| (file.is_name)(name)).count() <= 1, "{name}");
    }
}
