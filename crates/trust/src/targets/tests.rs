use super::*;
use crate::Signed;
use crate::test_world::{file, head, reread, targets};

#[test]
fn targets_are_read_as_written() {
    for delegated in [&[][..], &["stable"][..]] {
        let role = targets(5, &["alpha", "beta"], delegated);
        assert_eq!(reread(role.clone(), "alpha", "alpha"), Ok(role));
    }
}

/// The form that other clients read.
#[test]
fn stored_text() {
    let bytes = Signed::unsigned(targets(5, &["beta"], &[])).to_bytes().unwrap();
    let expected = format!(
        r#"{{"signatures":[],"signed":{{"_type":"targets","expires":"2027-11-21T01:43:42Z","spec_version":"1.0.31","targets":{{"ada/notes/beta/linux/amd64/notes-1.2.3.deb":{{"custom":{{"arch":"amd64","channel":"beta","package":"deb","platform":"linux","repository":"ada/notes","version":"1.2.3"}},"hashes":{{"sha256":"{}","sha512":"{}"}},"length":7}}}},"version":5}}}}"#,
        "0a".repeat(32),
        "0b".repeat(64)
    );
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
}

#[test]
fn other_targets_are_refused() {
    for (from, to, fault) in [
        ("ada/notes/beta", "../notes/beta", "a target's name"),
        ("ada/notes/beta", "/notes/beta", "a target's name"),
        ("ada/notes/beta", "%2e%2e/notes/beta", "a target's name"),
        ("ada/notes/beta", "a b/notes/beta", "a target's name"),
        (r#""targets":{"#, r#""targets":[],"x":{"#, "targets"),
        (r#""version":5"#, r#""version":5,"x":1"#, "unknown field"),
        (r#""version":5"#, r#""version":5,"delegations":1"#, "delegations"),
    ] {
        let read = reread(targets(5, &["beta"], &[]), from, to);
        assert_eq!(read, Err(TrustError::Targets(fault.into())), "{to}");
    }
}

#[test]
fn a_list_has_limits() {
    let name = |n: usize| format!("ada/notes/beta/linux/amd64/{n}").parse().unwrap();
    let many = |count| (0..count).map(|n| (name(n), file("beta"))).collect::<BTreeMap<_, _>>();
    let role = TargetsRole::new(head(1, 1), many(8000), None).unwrap();
    let bytes = Signed::unsigned(role.clone()).to_bytes().unwrap();
    assert!(bytes.len() / 8000 <= 480, "{}", bytes.len());
    assert_eq!(Signed::read(&bytes).map(|signed: Signed<TargetsRole>| signed.role().clone()), Ok(role));
    assert_eq!(TargetsRole::new(head(1, 1), many(8001), None), Err(TrustError::TooLarge));
    let too_many = TargetsRole { head: head(1, 1), targets: many(8001), delegations: None };
    let bytes = Signed::unsigned(too_many).to_bytes().unwrap();
    assert_eq!(Signed::<TargetsRole>::read(&bytes), Err(TrustError::TooLarge));
}
