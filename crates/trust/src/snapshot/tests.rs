use super::*;
use crate::MetadataVersion;
use crate::test_world::{head, reread};

fn meta(version: u64) -> FileMeta {
    FileMeta::of(MetadataVersion::from_number(version).unwrap(), b"{}").unwrap()
}

fn channels(versions: &[(&str, u64)]) -> BTreeMap<ChannelName, FileMeta> {
    versions.iter().map(|(channel, version)| (channel.parse().unwrap(), meta(*version))).collect()
}

fn snapshot(version: u64, targets: u64, versions: &[(&str, u64)]) -> SnapshotRole {
    SnapshotRole::after(None, head(version, 30), meta(targets), channels(versions))
}

#[test]
fn a_snapshot_is_read_as_written() {
    let role = snapshot(4, 2, &[("beta", 7), ("a.b", 1)]);
    assert_eq!(reread(role.clone(), "meta", "meta"), Ok(role));
}

#[test]
fn other_snapshots_are_refused() {
    for (from, to, fault) in [
        (r#""targets.json""#, r#""x.json""#, "targets.json"),
        (r#""channel-beta.json""#, r#""beta.json""#, "meta"),
        (r#""channel-beta.json""#, r#""root.json""#, "meta"),
        (r#""channel-beta.json""#, r#""channel-beta""#, "meta"),
        (r#""length":2,"#, "", "length"),
        (r#""hashes""#, r#""x":1,"hashes""#, "unknown field"),
        (r#""sha256""#, r#""sha512":"","sha256""#, "unknown field"),
    ] {
        let read = reread(snapshot(4, 2, &[("beta", 7)]), from, to);
        assert_eq!(read, Err(TrustError::Metadata(fault.into())), "{to}");
    }
}

#[test]
fn names_stay() {
    let first = snapshot(1, 1, &[("beta", 7), ("stable", 3)]);
    let second =
        SnapshotRole::after(Some(&first), head(2, 30), meta(2), channels(&[("stable", 4), ("rc", 1)]));
    assert_eq!(second.channels(), &channels(&[("beta", 7), ("stable", 4), ("rc", 1)]));
    assert!(second.follows(&first));
}

#[test]
fn what_clients_refuse() {
    let old = snapshot(5, 5, &[("beta", 5)]);
    for (new, follows) in [
        (snapshot(5, 5, &[("beta", 5)]), true),
        (snapshot(6, 6, &[("beta", 6), ("rc", 1)]), true),
        (snapshot(4, 5, &[("beta", 5)]), false),
        (snapshot(6, 4, &[("beta", 5)]), false),
        (snapshot(6, 5, &[("beta", 4)]), false),
        (snapshot(6, 5, &[]), false),
    ] {
        assert_eq!(new.follows(&old), follows, "{new:?}");
    }
}
