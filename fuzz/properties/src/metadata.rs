//! Signed metadata, as publishers post it.

use serde_json::Value;
use spindrift_trust::{
    Proposal, Role, RootRole, Signed, SigningKey, SnapshotRole, TargetsRole, TimestampRole, TrustError,
};

use crate::text::places;

/// A file of each role is read or refused. A file that is read has lost nothing: written again it is the same JSON,
/// with the same signed part.
pub fn metadata(data: &[u8]) -> bool {
    proposals(data);
    let are_read = [
        read::<RootRole>(data),
        read::<TargetsRole>(data),
        read::<SnapshotRole>(data),
        read::<TimestampRole>(data),
    ];
    assert!(are_read.iter().filter(|is_read| **is_read).count() <= 1, "a file is of one role");
    are_read.contains(&true)
}

fn read<R: Role + PartialEq + Clone + std::fmt::Debug>(data: &[u8]) -> bool {
    let signed = match Signed::<R>::read(data) {
        Ok(signed) => signed,
        Err(refusal) => {
            refused(&refusal);
            return false;
        }
    };
    assert!(data.len() <= R::MAX_BYTES);
    let written = signed.to_bytes().expect("what was read can be written");
    assert_eq!(Signed::<R>::read(&written).as_ref(), Ok(&signed));
    let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("metadata is JSON");
    assert_eq!(json(&written), json(data), "nothing is lost");
    let again = Signed::<R>::read(&written).expect("written metadata");
    assert_eq!(again.canonical(), signed.canonical());
    let mut more = signed.clone();
    let key = SigningKey::from_seed([9; 32]).expect("a key");
    more.sign([&key]).expect("a signature");
    assert_eq!(more.role(), signed.role());
    let message = signed.canonical().expect("a canonical form");
    assert!(key.public().verifies(&message, key.sign(&message).bytes()));
    let end = written.len();
    for part in places(end).filter(|place| *place < end).filter_map(|place| written.get(..place)) {
        assert!(Signed::<R>::read(part).is_err(), "a part of a file is not a file");
    }
    true
}

fn proposals(data: &[u8]) {
    for role in ["root", "targets", "channel-nightly"] {
        if let Ok(proposal) = Proposal::read([(role, data)]) {
            let files = proposal.files().expect("what was read can be written");
            let [(name, _, bytes)] = files.as_slice() else { unreachable!("one file") };
            assert_eq!(name.to_string(), role);
            assert_eq!(Proposal::read([(role, &bytes[..])]), Ok(proposal));
        }
    }
    for role in ["snapshot", "timestamp", "channel-", "channel-a/b", ""] {
        assert!(Proposal::read([(role, data)]).is_err(), "{role:?} is the service's or nobody's");
    }
}

fn refused(refusal: &TrustError) {
    let text = refusal.to_string();
    assert!(text.len() <= 200, "{text}");
}
