use super::*;
use crate::MetadataVersion;
use crate::test_world::{head, reread};

fn timestamp() -> TimestampRole {
    TimestampRole { head: head(9, 7), snapshot: FileMeta::of(MetadataVersion::FIRST, b"{}").unwrap() }
}

#[test]
fn a_timestamp_is_read_as_written() {
    assert_eq!(reread(timestamp(), "meta", "meta"), Ok(timestamp()));
}

#[test]
fn other_timestamps_are_refused() {
    for (from, to, fault) in [
        (r#""snapshot.json""#, r#""targets.json""#, "snapshot.json"),
        (r#""meta":{"#, r#""meta":{"x.json":{},"#, "unknown field"),
        (r#""timestamp""#, r#""snapshot""#, "_type"),
        (r#""_type""#, r#""x":1,"_type""#, "unknown field"),
    ] {
        assert_eq!(reread(timestamp(), from, to), Err(TrustError::Metadata(fault.into())), "{to}");
    }
}
