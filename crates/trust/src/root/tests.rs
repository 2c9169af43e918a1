use super::*;
use crate::test_world::{head, online, public, reread, root};

#[test]
fn a_root_is_read_as_written() {
    assert_eq!(reread(root(3), "root", "root"), Ok(root(3)));
    let root = root(3);
    assert_eq!(root.root().threshold(), 1);
    assert_eq!(root.root().keyids(), [public(1).id().clone(), public(2).id().clone()]);
    assert_eq!(root.targets().key(public(3).id()), Some(&public(3)));
    assert_eq!(root.targets().key(public(1).id()), None);
    assert_eq!(root.online().keyids(), [online(1).id().clone()]);
}

#[test]
fn other_roots_are_refused() {
    let (one, two, three) = (public(1), public(2), public(3));
    let of_one = format!(r#""{}":{{"#, one.id());
    let of_nobody = format!(r#""{}":{{"#, "0a".repeat(32));
    let root_ids = format!(r#""keyids":["{}","{}"]"#, one.id(), two.id());
    let once_more = format!(r#""keyids":["{0}","{0}"]"#, one.id());
    let targets_ids = format!(r#"["{}"]"#, three.id());
    let timestamp = format!(r#""timestamp":{{"keyids":["{}"]"#, online(1).id());
    let other_timestamp = format!(r#""timestamp":{{"keyids":["{}"]"#, one.id());
    for (from, to, fault) in [
        (r#""_type":"root""#, r#""_type":"targets""#, "_type"),
        (r#""consistent_snapshot":true"#, r#""consistent_snapshot":false"#, "consistent_snapshot"),
        (r#""consistent_snapshot":true,"#, "", "consistent_snapshot"),
        (r#""spec_version":"1.0.31""#, r#""spec_version":"2.0.0""#, "spec_version"),
        (r#""version":3"#, r#""version":0"#, "version"),
        (r#""version":3"#, r#""version":"3""#, "version"),
        (r#"Z","keys""#, r#"+00:00","keys""#, "expires"),
        (r#"Z","keys""#, r#".5Z","keys""#, "expires"),
        (r#""threshold":1"#, r#""threshold":0"#, "keyids or threshold"),
        (r#""threshold":1"#, r#""threshold":3"#, "keyids or threshold"),
        (r#""threshold":1"#, r#""threshold":1,"name":"x""#, "unknown field"),
        (&root_ids, &once_more, "keyids or threshold"),
        (&root_ids, r#""keyids":[]"#, "keyids or threshold"),
        (&root_ids, r#""keyids":["x"]"#, "keyids"),
        (&of_one, &of_nobody, "key id"),
        (&targets_ids, &format!(r#"["{}"]"#, "0a".repeat(32)), "keyids"),
        (&timestamp, &other_timestamp, "snapshot and timestamp must have one key, the same"),
        (r#""roles":{"#, r#""roles":{"mirrors":{"keyids":[],"threshold":1},"#, "unknown field"),
        (r#","snapshot":{"#, r#","snap":{"#, "snapshot"),
        (r#""_type""#, r#""_extra":1,"_type""#, "unknown field"),
    ] {
        assert_eq!(reread(root(3), from, to), Err(TrustError::Root(fault.into())), "{to}");
    }
}

#[test]
fn keys_that_no_role_can_have() {
    let new = |root, targets| RootRole::new(head(1, 1), root, targets, online(1));
    let many = |count: u8| (1..=count).map(public).collect::<Vec<_>>();
    assert!(new(NewSigners::new(many(16), 16), NewSigners::new(many(1), 1)).is_some());
    assert!(new(NewSigners::new(many(17), 1), NewSigners::new(many(1), 1)).is_none());
    assert!(new(NewSigners::new(many(1), 2), NewSigners::new(many(1), 1)).is_none());
    assert!(new(NewSigners::new(many(1), 1), NewSigners::new(vec![public(3), public(3)], 1)).is_none());
}
