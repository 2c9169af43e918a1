use super::*;
use crate::test_world::{NOW, head, key, online, public, root, service, service_key, signed};
use crate::{NewSigners, PublicKey, Purpose};

fn with_keys(version: u64, root: &[u8], targets: Vec<PublicKey>, online: PublicKey) -> RootRole {
    let root = root.iter().copied().map(public).collect();
    RootRole::new(head(version, 730), NewSigners::new(root, 1), NewSigners::new(targets, 1), online).unwrap()
}

fn check(root: &Signed<RootRole>, trusted: Option<&RootRole>) -> Result<Signing, TrustError> {
    check_root(root, trusted, &service(), NOW)
}

fn refused(fault: &'static str) -> Result<Signing, TrustError> {
    Err(TrustError::Root(fault.into()))
}

#[test]
fn first_roots() {
    assert_eq!(check(&signed(root(1), &[key(1)]), None), Ok(Signing::Complete));
    assert_eq!(check(&signed(root(1), &[]), None), Ok(Signing::Unsigned));
    assert_eq!(check(&signed(root(2), &[key(1)]), None), refused("version"));
    assert_eq!(check(&signed(root(1), &[key(3)]), None), Err(TrustError::Signature));
}

#[test]
fn rotations_need_both_thresholds() {
    let trusted = root(1);
    let new = with_keys(2, &[5, 6], vec![public(3)], online(1));
    for (keys, signing) in [
        (vec![key(1), key(5)], Ok(Signing::Complete)),
        (vec![key(1), key(2), key(5), key(6)], Ok(Signing::Complete)),
        (vec![key(5)], Ok(Signing::Pending)),
        (vec![key(1)], Ok(Signing::Pending)),
        (vec![key(1), key(5), key(9)], Err(TrustError::Signature)),
        (vec![key(1), key(5), key(3)], Err(TrustError::Signature)),
    ] {
        assert_eq!(check(&signed(new.clone(), &keys), Some(&trusted)), signing);
    }
    for version in [1, 3] {
        let new = with_keys(version, &[1], vec![public(3)], online(1));
        assert_eq!(check(&signed(new, &[key(1)]), Some(&trusted)), refused("version"));
    }
}

#[test]
fn ends() {
    for (days, at, expected) in [
        (1, 0, Ok(Signing::Complete)),
        (1, 1, refused("expires")),
        (3650, 0, Ok(Signing::Complete)),
        (3650, -1, refused("expires")),
    ] {
        let role = RootRole::new(
            head(1, days),
            NewSigners::new(vec![public(1)], 1),
            NewSigners::new(vec![public(3)], 1),
            online(1),
        )
        .unwrap();
        let root = signed(role, &[key(1)]);
        assert_eq!(check_root(&root, None, &service(), NOW.plus_seconds(at)), expected, "{days} {at}");
    }
}

#[test]
fn the_services_keys_have_their_places() {
    let targets_key = |generation| service_key(Purpose::Targets, generation).public().clone();
    let publisher = || vec![public(3)];
    let root_of = |root: PublicKey| {
        RootRole::new(
            head(1, 730),
            NewSigners::new(vec![public(1), root], 1),
            NewSigners::new(publisher(), 1),
            online(1),
        )
        .unwrap()
    };
    let in_targets = "a key of the service in targets";
    let in_root = "a key of the service in root";
    let not_online = "snapshot and timestamp need the online key";
    for (root, expected) in [
        (with_keys(1, &[1], publisher(), online(1)), Ok(Signing::Complete)),
        (with_keys(1, &[1], publisher(), online(2)), Ok(Signing::Complete)),
        (with_keys(1, &[1], publisher(), online(3)), refused(not_online)),
        (with_keys(1, &[1], publisher(), public(7)), refused(not_online)),
        (with_keys(1, &[1], publisher(), targets_key(1)), refused(not_online)),
        (with_keys(1, &[1], vec![targets_key(1)], online(1)), Ok(Signing::Complete)),
        (with_keys(1, &[1], vec![targets_key(2)], online(1)), Ok(Signing::Complete)),
        (with_keys(1, &[1], vec![targets_key(1), public(3)], online(1)), refused(in_targets)),
        (with_keys(1, &[1], vec![targets_key(1), targets_key(2)], online(1)), refused(in_targets)),
        (with_keys(1, &[1], vec![online(1)], online(1)), refused(in_targets)),
        (with_keys(1, &[1], vec![public(3), online(2)], online(1)), refused(in_targets)),
        (root_of(online(1)), refused(in_root)),
        (root_of(online(2)), refused(in_root)),
        (root_of(targets_key(1)), refused(in_root)),
    ] {
        assert_eq!(check(&signed(root.clone(), &[key(1)]), None), expected, "{root:?}");
    }
}

#[test]
fn who_signs_targets() {
    let service_signs =
        with_keys(1, &[1], vec![service_key(Purpose::Targets, 1).public().clone()], online(1));
    assert_eq!(TargetsSigner::of(&service_signs, &service()), TargetsSigner::Service);
    assert_eq!(TargetsSigner::of(&root(1), &service()), TargetsSigner::Publisher);
}

#[test]
fn histories() {
    let first = signed(with_keys(1, &[1], vec![public(8)], public(8)), &[key(1)]);
    let second = signed(with_keys(2, &[2], vec![public(8)], public(8)), &[key(1), key(2)]);
    let third = signed(with_keys(3, &[2, 3], vec![public(8)], public(8)), &[key(2)]);
    let unsigned = signed(with_keys(2, &[2], vec![public(8)], public(8)), &[key(2)]);
    for (roots, expected) in [
        (vec![], Ok(())),
        (vec![first.clone(), second.clone(), third.clone()], Ok(())),
        (vec![second.clone(), third], Err(TrustError::Root("version".into()))),
        (vec![first.clone(), first.clone()], Err(TrustError::Root("version".into()))),
        (vec![first, unsigned], Err(TrustError::Signature)),
    ] {
        assert_eq!(check_root_history(None, &roots), expected);
    }
}
