use std::sync::Arc;

use spindrift_core::feeds::UpdaterRecord;
use spindrift_core::{
    BasisPoints, Conditions, Id, PlatformUpdater, PlatformUpdaters, Rollout, ScopeArtifact, ScopeRecord,
    ScopeRelease, Stops, Timestamp,
};

use super::*;

const FOLDER: &str = "responses/acme/My App/stable/linux/default";

fn scope() -> Scope {
    Scope {
        owner: "acme".parse().unwrap(),
        app: "My App".parse().unwrap(),
        channel: Some("stable".parse().unwrap()),
        platform: Some("linux".parse().unwrap()),
        arch: None,
    }
}

/// The newest release is 1.1, with a signed file.
fn record(updaters: &[Updater]) -> ScopeRecord {
    let entry = |updater: &Updater| PlatformUpdater { updater: *updater, default: *updater == updaters[0] };
    let artifact = ScopeArtifact {
        package: "appimage".parse().unwrap(),
        url: "https://x/a.AppImage".to_owned(),
        signature: Some("signed".to_owned()),
        content: None,
        patches: Vec::new(),
    };
    ScopeRecord {
        app_id: Id::from_text("app"),
        cdn: true,
        derived_at: Timestamp::from_millis(0),
        read_at: Timestamp::from_millis(0),
        revision: 1,
        link_settings: 0,
        stands_for: None,
        updaters: PlatformUpdaters::new(updaters.iter().map(entry).collect()).unwrap(),
        groups: Vec::new(),
        releases: vec![ScopeRelease {
            conditions: Conditions::default(),
            version: "1.1".parse().unwrap(),
            intermediate: false,
            rollout: Rollout::fixed(BasisPoints::ALL, "s".to_owned()),
            changelog: "New".to_owned(),
            released_at: Timestamp::from_millis(0),
            artifacts: vec![artifact],
        }],
        critical: Vec::new(),
        stops: Stops::default(),
        valid_until: None,
    }
}

fn sources(updaters: &[Updater]) -> Vec<AnswerSource> {
    let source = |updater: &Updater| match updater {
        Updater::Manual => AnswerSource::Scope(Arc::new(record(updaters))),
        other => {
            let scope = record(updaters);
            AnswerSource::Updater(
                *other,
                Arc::new(UpdaterRecord { scope, feeds: Vec::new(), feed_names: Vec::new() }),
            )
        }
    };
    updaters.iter().filter(|updater| updater.answers_in_json()).map(source).collect()
}

fn keys(updaters: &[Updater]) -> Vec<String> {
    let versions = ["1.1", "1.0"].map(|version| version.parse().unwrap());
    let objects = project(&scope(), &sources(updaters), &versions).unwrap();
    objects.into_keys().map(|key| key.replace(FOLDER, "")).collect()
}

#[test]
fn each_updater_has_its_answers() {
    use Updater::{Manual, Sparkle, SquirrelWindows, Tauri, Velopack};
    let manual = ["/1.0.json", "/1.1.json", "/manual/1.0.json", "/manual/1.1.json"];
    for (updaters, expected) in [
        (&[Manual][..], &manual[..]),
        (&[SquirrelWindows, Manual], &manual),
        (&[Tauri], &["/1.0.json", "/tauri/1.0.json"]),
        (&[Tauri, Manual], &["/1.0.json", "/manual/1.0.json", "/manual/1.1.json", "/tauri/1.0.json"]),
        (&[Manual, Tauri], &[&manual[..], &["/tauri/1.0.json"]].concat()),
        (&[Velopack, Sparkle], &[]),
    ] {
        assert_eq!(keys(updaters), expected, "{updaters:?}");
    }
}

/// If this fails, objects in existing buckets differ from current answers: change `FORMAT`.
#[test]
fn the_form_is_the_one_that_the_number_names() {
    let objects =
        project(&scope(), &sources(&[Updater::Tauri, Updater::Manual]), &["1.0".parse().unwrap()]).unwrap();
    let text = |name: &str| std::str::from_utf8(&objects[&format!("{FOLDER}/{name}.json")]).unwrap();
    let tauri = r#"{"version":"1.1","url":"https://x/a.AppImage","signature":"signed","notes":"New","pub_date":"1970-01-01T00:00:00+00:00"}"#;
    let manual = r#"{"update_available":true,"critical":false,"version":"1.1","signature":"signed","update_url_appimage":"https://x/a.AppImage","changelog":"New"}"#;
    assert_eq!((text("1.0"), text("tauri/1.0"), text("manual/1.0")), (tauri, tauri, manual));
}
