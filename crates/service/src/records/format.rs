//! The binary format of stored records.
//!
//! Parsing JSON took a quarter of the computing time of a check. So records use
//! [postcard](https://postcard.jamesmunns.com/wire-format), which stores values in sequence, without field
//! names. One format cannot be read as another, so the format is part of the key; see [`super::keys`].

use serde::Serialize;
use serde::de::DeserializeOwned;
use spindrift_core::{CuredVersions, ScopeRecord};

/// The first byte of a record. No placeholder begins with it.
const MARK: u8 = b'R';
/// The first byte of a scope record whose releases cure versions. These follow the record, each list with the
/// position of its release. So a record without them needs no space for them.
const MARK_WITH_CURES: u8 = b'C';

pub(super) fn to_bytes(record: &impl Serialize) -> Result<Vec<u8>, String> {
    postcard::to_extend(record, vec![MARK]).map_err(|error| error.to_string())
}

pub(super) fn from_bytes<R: DeserializeOwned>(bytes: &[u8]) -> Option<R> {
    match postcard::take_from_bytes(bytes.strip_prefix(&[MARK])?) {
        Ok((record, [])) => Some(record),
        _ => None,
    }
}

pub(super) fn scope_to_bytes(record: &ScopeRecord) -> Result<Vec<u8>, String> {
    let cures = record.releases.iter().map(|release| &release.conditions.cures).enumerate();
    let cures: Vec<(usize, &CuredVersions)> = cures.filter(|(_, cures)| !cures.is_empty()).collect();
    if cures.is_empty() {
        return to_bytes(record);
    }
    let bytes = postcard::to_extend(record, vec![MARK_WITH_CURES]);
    bytes.and_then(|bytes| postcard::to_extend(&cures, bytes)).map_err(|error| error.to_string())
}

pub(super) fn scope_from_bytes(bytes: &[u8]) -> Option<ScopeRecord> {
    let Some(bytes) = bytes.strip_prefix(&[MARK_WITH_CURES]) else { return from_bytes(bytes) };
    let (mut record, bytes): (ScopeRecord, _) = postcard::take_from_bytes(bytes).ok()?;
    let (cures, rest): (Vec<(usize, CuredVersions)>, _) = postcard::take_from_bytes(bytes).ok()?;
    for (place, cures) in cures {
        record.releases.get_mut(place)?.conditions.cures = cures;
    }
    rest.is_empty().then_some(record)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use spindrift_core::{
        BasisPoints, Conditions, CuredVersions, FileContent, GroupDevice, GroupKey, Id, LatestRecord,
        MAX_CURED_VERSIONS, MAX_VERSION_LENGTH, PlatformUpdater, PlatformUpdaters, RecordGroup, RecordStamp,
        Requirements, Rollout, ScopeArtifact, ScopeRecord, ScopeRelease, Stops, Timestamp, Updater, Widening,
        WithdrawnVersion, latest_builds,
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
                    cures: CuredVersions::default(),
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

    /// The record with a second release, which cures as many versions as a release can.
    fn with_cures() -> ScopeRecord {
        let mut record = record();
        let mut cure = record.releases[0].clone();
        let longest = |n: usize| format!("1.0.{n}-{}", "a".repeat(MAX_VERSION_LENGTH - "1.0.0-".len()));
        let versions: Vec<String> = (0..MAX_CURED_VERSIONS).map(longest).collect();
        cure.conditions.cures = CuredVersions::from_json(&json!(versions)).unwrap();
        record.releases.push(cure);
        record
    }

    #[test]
    fn records_round_trip() {
        for record in [record(), with_cures()] {
            let bytes = record.to_bytes().unwrap();
            for cut in 0..bytes.len() {
                assert_eq!(ScopeRecord::from_bytes(&bytes[..cut]), None, "{cut}");
            }
            assert_eq!(ScopeRecord::from_bytes(&[&bytes[..], b"x"].concat()), None);
            assert_eq!(ScopeRecord::from_bytes(&bytes), Some(record));
        }
    }

    #[test]
    fn cures_take_little_space_and_none_if_there_are_none() {
        let (mut record, bytes) = (with_cures(), with_cures().to_bytes().unwrap());
        record.releases[1].conditions.cures = CuredVersions::default();
        let without = record.to_bytes().unwrap();
        assert!(bytes.len() - without.len() < MAX_CURED_VERSIONS * (MAX_VERSION_LENGTH + 2));
        assert_eq!(bytes[1..without.len()], without[1..], "they follow the record");
        let mut elsewhere = bytes;
        elsewhere[without.len() + 1] = 2;
        assert_eq!(ScopeRecord::from_bytes(&elsewhere), None, "there is no third release");
    }

    #[test]
    fn a_reader_of_json_that_does_not_know_cures_reads_the_rest() {
        let json = serde_json::to_value(with_cures()).unwrap();
        assert_eq!(json["releases"][1]["conditions"]["cures"].as_array().unwrap().len(), MAX_CURED_VERSIONS);
        assert_eq!(json["releases"][0]["conditions"].get("cures"), None);
        assert_eq!(serde_json::from_value::<ScopeRecord>(json).unwrap(), with_cures());
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
