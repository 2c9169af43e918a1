//! Kept records.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use spindrift_core::feeds::UpdaterRecord;
use spindrift_core::{
    BasisPoints, Conditions, CuredVersions, GroupDevice, GroupKey, Id, LatestRecord, PlatformUpdaters,
    RecordGroup, RecordStamp, Requirements, Rollout, ScopeArtifact, ScopeRecord, ScopeRelease, Stops,
    Timestamp, WithdrawnVersion,
};
use spindrift_fuzz_properties as properties;

use crate::cases::check;
use crate::mutation::sometimes_changed;

/// 2026-11-21T01:43:42Z, the time of the property's platform.
const NOW: i64 = 1_795_225_422_000;

fn times() -> impl Strategy<Value = Timestamp> {
    prop_oneof![6 => NOW - 60_000..=NOW, 1 => any::<i64>(), 1 => Just(i64::MIN)]
        .prop_map(Timestamp::from_millis)
}

fn release() -> impl Strategy<Value = ScopeRelease> {
    let artifact =
        (select(vec!["deb", "zip", "app.tar.gz"]), "[a-z:/.?= ]{0,20}", option::of("[A-Za-z0-9=]{0,9}"))
            .prop_map(|(package, url, signature)| ScopeArtifact {
                package: package.parse().unwrap(),
                url,
                signature,
                content: None,
                patches: Vec::new(),
            });
    ((0..9_u8, 0..9_u8), any::<bool>(), 0..=120_u8, "[ -~\u{e9}]{0,9}", times(), vec(artifact, 0..3))
        .prop_map(|((minor, patch), intermediate, percent, changelog, released_at, artifacts)| ScopeRelease {
            version: format!("1.{minor}.{patch}").parse().unwrap(),
            intermediate,
            rollout: Rollout::fixed(BasisPoints::from_percent(percent), changelog.clone()),
            changelog,
            released_at,
            artifacts,
            conditions: Conditions {
                admitted_groups: (percent % 3 == 0).then_some(0).into_iter().collect(),
                requires: intermediate.then(requires),
                cures: cures(minor),
            },
        })
}

/// Versions that a release cures, sometimes none.
fn cures(minor: u8) -> CuredVersions {
    let versions: Vec<String> = (0..minor / 3).map(|patch| format!("1.0.{patch}")).collect();
    CuredVersions::from_json(&json!(versions)).unwrap()
}

fn requires() -> Requirements {
    let requires = json!({ "os_version": { "min": "12", "not": ["13.2"] } });
    Requirements::from_json(&requires).unwrap().unwrap()
}

fn scope() -> impl Strategy<Value = ScopeRecord> {
    let rest = (any::<u64>(), any::<bool>(), any::<bool>(), option::of(times()));
    (vec(release(), 0..4), times(), times(), any::<i64>(), rest).prop_map(
        |(releases, derived_at, read_at, revision, (link_settings, cdn, shut_off, valid_until))| {
            ScopeRecord {
                app_id: Id::from_text("app"),
                cdn,
                derived_at,
                read_at,
                revision,
                link_settings,
                stands_for: None,
                updaters: PlatformUpdaters::default(),
                critical: releases.iter().map(|release| release.version.clone()).collect(),
                stops: Stops {
                    shut_off,
                    withdrawn: releases
                        .iter()
                        .map(|release| WithdrawnVersion {
                            version: release.version.clone(),
                            reason: release.changelog.clone(),
                        })
                        .collect(),
                },
                valid_until,
                releases,
                groups: vec![RecordGroup {
                    key: GroupKey::from_digest(&[1; 16]).unwrap(),
                    devices: [GroupDevice::from_stored(link_settings.cast_signed())].into_iter().collect(),
                }],
            }
        },
    )
}

/// The kind of record, and its bytes as the key-value store has them.
fn bytes(kind: u8, record: &impl serde::Serialize) -> Vec<u8> {
    postcard::to_extend(record, vec![kind, b'R']).unwrap()
}

fn latest() -> impl Strategy<Value = LatestRecord> {
    (times(), vec(("[a-z]{1,5}", "[a-z:/.]{0,20}"), 0..4)).prop_map(|(derived_at, urls)| {
        let stamp = RecordStamp {
            app_id: Id::from_text("app"),
            derived_at,
            read_at: derived_at,
            revision: 1,
            link_settings: 2,
        };
        let packages = urls.into_iter().collect();
        let archs = [("amd64".to_owned(), packages)].into();
        LatestRecord {
            stamp,
            valid_until: None,
            builds: [("stable".to_owned(), [("linux".to_owned(), archs)].into())].into(),
        }
    })
}

/// A record of an updater, whose feeds need not fit its releases.
fn updater() -> impl Strategy<Value = UpdaterRecord> {
    let electron = json!({
        "updater": "electron-builder", "version": "1.2.3", "packages": [{ "arch": "x64", "file": { "file_name": "a", "sha512": "" } }],
        "files": [{ "file_name": "a b.exe", "sha512": "AA==", "size": 1 }], "release_notes": [{ "version": "1", "note": "n" }],
    });
    let sparkle = |start: usize, end: usize| {
        json!({ "updater": "sparkle", "items": { "namespaces": [{ "prefix": "s", "uri": "u" }], "items": [
            { "xml": "<item><enclosure url='\u{e9}'/></item>", "enclosures": [{ "file_name": "a", "url_at": [start, end] }] },
        ] } })
    };
    let squirrel = json!({ "updater": "squirrel_windows", "packages": [], "delta_base": "1.0.0" });
    let feed = prop_oneof![
        Just(electron),
        (0..60_usize, prop_oneof![0..60_usize, Just(usize::MAX)])
            .prop_map(move |(start, end)| sparkle(start, end)),
        Just(squirrel),
    ];
    let part = (feed, option::of("[a-z]{1,5}"), select(vec!["latest.yml", "appcast.xml"])).prop_map(|(feed, arch, name)| {
        let part = json!({ "arch": arch, "feed_name": name, "feed": feed, "links": { "a": "https://h.example/a?b=c&d" } });
        serde_json::from_value(part).unwrap()
    });
    (scope(), vec(vec(part, 0..3), 0..5)).prop_map(|(scope, feeds)| UpdaterRecord {
        scope,
        feeds,
        feed_names: Vec::new(),
    })
}

#[test]
fn records() {
    let of_updater = (1..=2_u8, updater()).prop_map(|(kind, record)| {
        let mut bytes = vec![kind];
        serde_json::to_writer(&mut bytes, &record).unwrap();
        bytes
    });
    let scopes = (scope(), any::<bool>()).prop_map(|(record, is_json)| {
        let mut json = vec![0];
        serde_json::to_writer(&mut json, &record).unwrap();
        if is_json { json } else { bytes(0, &record) }
    });
    let inputs = prop_oneof![scopes, of_updater, latest().prop_map(|record| bytes(3, &record))];
    let words = &["\0", "\x7f", "R", "null", "-", "9", "\"", ",", "{", "1e9"];
    check(properties::records, 600, sometimes_changed(inputs, words));
}
