//! Kept records: bytes in the key-value store, and the records that an edge gets from its origin.

use futures::executor::block_on;
use serde::Serialize;
use spindrift_core::feeds::UpdaterRecord;
use spindrift_core::{
    Asker, ClientFacts, LatestRecord, NO_FACTS, RecordGroup, Scope, ScopeRecord, Timestamp, Updater, Version,
    decide, latest_urls,
};
use spindrift_service::records::{Loaded, latest, scopes, updaters};

use crate::text::places;
use crate::world::{NOW, World};

/// The first byte of records in the key-value store that are not JSON.
const MARK: u8 = b'R';

/// Bytes of the store are a record or are as good as missing, and so are answers of an origin. A record that was stored
/// is read as it was; a part of it is not a record.
pub fn records(data: &[u8]) -> bool {
    let Some((kind, bytes)) = data.split_first() else { return false };
    match kind % 4 {
        0 => scope(bytes),
        1 => updater(bytes, Updater::ElectronBuilder),
        2 => updater(bytes, Updater::Sparkle),
        _ => newest(bytes),
    }
}

fn scope(bytes: &[u8]) -> bool {
    let mut is_read = false;
    let load = |world: &World| block_on(scopes::load(world, &of())).ok().as_ref().map(owned);
    for record in [load(&World::edge().keeping(bytes)), load(&World::edge().answering(200, bytes))] {
        let Some(record) = record else { continue };
        is_read = true;
        answers(&record);
        if let Some(stored) = kept(&record, &load) {
            is_whole(&stored, |bytes| load(&World::edge().keeping(bytes)).is_some());
        }
        // The versions that releases cure are not in their place in the record.
        if record.releases.iter().any(|release| !release.conditions.cures.is_empty()) {
            continue;
        }
        let postcard = postcard(&record);
        assert_eq!(
            load(&World::edge().keeping(&postcard)),
            Some(record),
            "a record is read as it was written"
        );
        is_whole(&postcard, |bytes| load(&World::edge().keeping(bytes)).is_some());
    }
    is_read
}

fn answers(record: &ScopeRecord) {
    for client in
        record.releases.iter().map(|release| &release.version).chain([&"1.0.0".parse().expect("a version")])
    {
        for asker in [Asker::Anonymous, Asker::Outsider, Asker::Device("device")] {
            for facts in [NO_FACTS.clone(), everything(record.groups.first())] {
                let decision =
                    decide(record, client, asker, &facts, record.answer_time(Timestamp::default()));
                let offered = decision.version().filter(|_| decision.update_available);
                assert!(offered.is_none_or(|offered| client < offered));
                assert!(decision.unmet.is_none_or(|unmet| {
                    client < &unmet.version && offered.is_none_or(|offered| *offered < unmet.version)
                }));
            }
        }
    }
}

/// All that a client can say.
fn everything(group: Option<&RecordGroup>) -> ClientFacts {
    ClientFacts {
        groups: group.into_iter().map(|group| group.key).collect(),
        os_version: "12".parse().ok(),
        is_interactive: true,
    }
}

fn updater(bytes: &[u8], updater: Updater) -> bool {
    let mut is_read = false;
    let load = |world: &World| block_on(updaters::load(world, &of(), updater)).ok().as_ref().map(owned);
    for record in [load(&World::edge().keeping(bytes)), load(&World::edge().answering(200, bytes))] {
        let Some(record) = record else { continue };
        is_read = true;
        asked(&record, updater);
        let stored = serde_json::to_vec(&record).expect("a record is JSON");
        assert_eq!(
            load(&World::edge().keeping(&stored)),
            Some(record.clone()),
            "a record is read as it was written"
        );
        is_whole(&stored, |bytes| load(&World::edge().keeping(bytes)).is_some());
        kept(&record, &load);
        let releases = record.scope.releases.len();
        assert!(record.pruned().scope.releases.len() <= releases);
    }
    is_read
}

/// A client is answered for any record.
fn asked(record: &UpdaterRecord, updater: Updater) {
    let scope = of();
    let client: Version = "1.0.0".parse().expect("a version");
    for device in [None, Some("device")] {
        let question = spindrift_core::feeds::NativeQuestion {
            updater,
            file: "latest-mac.yml",
            scope: &scope,
            client: &client,
            device,
            bundle: None,
            facts: &NO_FACTS,
            at: record.scope.answer_time(Timestamp::default()),
        };
        record.answer(&question);
        record.check_answer(&question);
        record.has_feed(&question);
    }
}

fn newest(bytes: &[u8]) -> bool {
    let scope = of();
    let load = |bytes: &[u8]| latest::load(&World::default().keeping(bytes), &scope.owner, &scope.app).ok();
    let Some(record) = load(bytes) else { return false };
    assert!(latest_urls(&record.builds).count() <= bytes.len());
    let stored = postcard::<LatestRecord>(&record);
    assert_eq!(load(&stored), Some(record), "a record is read as it was written");
    is_whole(&stored, |bytes| load(bytes).is_some());
    true
}

/// The record that an edge keeps of its origin's. It is the same record, of now. `None`: it keeps none.
fn kept<R>(record: &R, load: &impl Fn(&World) -> Option<R>) -> Option<Vec<u8>>
where
    R: Serialize + PartialEq + std::fmt::Debug,
{
    let json = serde_json::to_vec(record).expect("a record is JSON");
    let edge = World::edge().answering(200, &json);
    let loaded = load(&edge).expect("a record of the origin");
    let stored = edge.kept()?;
    assert_eq!(load(&World::edge().keeping(&stored)), Some(loaded));
    Some(stored)
}

fn postcard<R: Serialize>(record: &R) -> Vec<u8> {
    postcard::to_extend(record, vec![MARK]).expect("a record is bytes")
}

/// Neither a part of a record nor more than it is a record.
fn is_whole(stored: &[u8], is_record: impl Fn(&[u8]) -> bool) {
    for part in places(stored.len()).filter_map(|place| stored.get(..place)) {
        assert!(!is_record(part), "{part:?}");
    }
    assert!(!is_record(&[stored, b"x"].concat()));
}

fn owned<R: Clone>(loaded: &Loaded<R>) -> R {
    assert!(loaded.stale_seconds.is_none_or(|age| age >= 0), "at {NOW:?}");
    R::clone(&loaded.record)
}

fn of() -> Scope {
    Scope {
        owner: "ada".parse().expect("a name"),
        app: "My App".parse().expect("a name"),
        channel: None,
        platform: None,
        arch: None,
    }
}
