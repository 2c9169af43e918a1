//! The binary format of stored records.
//!
//! Parsing JSON took a quarter of the computing time of a check. So records use
//! [postcard](https://postcard.jamesmunns.com/wire-format), which stores values in sequence, without field
//! names. One format cannot be read as another, so the format is part of the key; see [`super::keys`].

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The first byte of a record. No placeholder begins with it.
const MARK: u8 = b'R';

pub(super) fn to_bytes(record: &impl Serialize) -> Result<Vec<u8>, String> {
    postcard::to_extend(record, vec![MARK]).map_err(|error| error.to_string())
}

pub(super) fn from_bytes<R: DeserializeOwned>(bytes: &[u8]) -> Option<R> {
    match postcard::take_from_bytes(bytes.strip_prefix(&[MARK])?) {
        Ok((record, [])) => Some(record),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use spindrift_core::{
        BasisPoints, Conditions, FileContent, GroupDevice, GroupKey, Id, LatestRecord, PlatformUpdater,
        PlatformUpdaters, RecordGroup, RecordStamp, Requirements, Rollout, ScopeArtifact, ScopeRecord,
        ScopeRelease, Stops, Timestamp, Updater, Widening, WithdrawnVersion, latest_builds,
    };

    use super::super::record::Record;

    fn record() -> ScopeRecord {
        let entry = |updater, default| PlatformUpdater { updater, default };
        ScopeRecord {
            app_id: Id::from_text("app"),
            cdn: true,
            derived_at: Timestamp::from_millis(1_000),
            read_at: Timestamp::from_millis(1),
            revision: 7,
            link_settings: 5,
            stands_for: None,
            updaters: PlatformUpdaters::new(vec![entry(Updater::Manual, true), entry(Updater::Tauri, false)])
                .unwrap(),
            releases: vec![ScopeRelease {
                version: "1.2.0-rc.1".parse().unwrap(),
                intermediate: true,
                rollout: Rollout {
                    basis_points: BasisPoints::from_percent(20),
                    later: vec![Widening { at: Timestamp::from_millis(1_100), to: BasisPoints::ALL }],
                    is_halted: false,
                    seed: "s".into(),
                },
                changelog: "New".into(),
                released_at: Timestamp::from_millis(900),
                artifacts: vec![ScopeArtifact {
                    package: "deb".parse().unwrap(),
                    url: "https://x/a.deb".into(),
                    signature: None,
                    content: Some(FileContent { length: 5, sha256: "ab".repeat(32).parse().unwrap() }),
                    patches: Vec::new(),
                }],
                conditions: Conditions {
                    admitted_groups: [0].into_iter().collect(),
                    requires: Requirements::from_json(&json!({ "os_version": { "min": "12" } })).unwrap(),
                },
            }],
            critical: vec!["1.1".parse().unwrap()],
            stops: Stops {
                shut_off: false,
                withdrawn: vec![WithdrawnVersion { version: "1.0".parse().unwrap(), reason: "bad".into() }],
            },
            valid_until: Some(Timestamp::from_millis(1_200)),
            groups: vec![RecordGroup {
                key: GroupKey::from_digest(&[7; 16]).unwrap(),
                devices: [GroupDevice::from_stored(300)].into_iter().collect(),
            }],
        }
    }

    #[test]
    fn records_round_trip() {
        let record = record();
        let bytes = record.to_bytes().unwrap();
        assert_eq!(ScopeRecord::from_bytes(&bytes), Some(record));
        for cut in 0..bytes.len() {
            assert_eq!(ScopeRecord::from_bytes(&bytes[..cut]), None, "{cut}");
        }
        assert_eq!(ScopeRecord::from_bytes(&[&bytes[..], b"x"].concat()), None);
    }

    /// If this fails, existing records can no longer be read: change `FORMAT` in `records/keys.rs`.
    #[test]
    fn the_format_of_scope_records_is_the_one_that_the_keys_name() {
        let bytes = record().to_bytes().unwrap();
        let expected = b"R\x03app\x01\xd0\x0f\x02\x0e\x05\x00\x02\x06manual\x01\x05tauri\x00\x01\n1.2.0-rc.1\x01\xd0\x0f\x01\x98\x11\x90\x4e\x00\x01s\x03New\x88\x0e\
            \x01\x03deb\x0fhttps://x/a.deb\x00\x01\x05\x40abababababababababababababababababababababababababababababababab\x00\x01\x01\x01\x0212\x00\x00\x00\x01\x031.1\x00\x01\x031.0\x03bad\x01\xe0\x12\x01\
            \x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x08\0\0\0\0\0\0\x01\x2c";
        assert_eq!(bytes, expected);
    }

    #[test]
    fn the_format_of_the_newest_builds_is_the_one_that_the_keys_name() {
        let stamp = RecordStamp {
            app_id: Id::from_text("app"),
            derived_at: Timestamp::from_millis(1_000),
            read_at: Timestamp::from_millis(1),
            revision: 7,
            link_settings: 5,
        };
        let artifact = spindrift_core::LatestArtifact {
            channel: Some("stable".parse().unwrap()),
            platform: Some("linux".parse().unwrap()),
            arch: None,
            package: "deb".parse().unwrap(),
            file_name: "n.deb".parse().unwrap(),
            url: "https://x/a.deb".into(),
        };
        let record = LatestRecord {
            stamp,
            valid_until: Some(Timestamp::from_millis(1_100)),
            builds: latest_builds([artifact]),
        };
        let bytes = record.to_bytes().unwrap();
        let expected = b"R\x03app\xd0\x0f\x02\x0e\x05\x01\x98\x11\x01\x06stable\x01\x05linux\x01\x07default\x01\x03deb\x0fhttps://x/a.deb";
        assert_eq!(bytes, expected);
        assert_eq!(LatestRecord::from_bytes(&bytes), Some(record));
    }
}
