use super::*;
use crate::test_world::{head, key, public, root, signed, targets};
use crate::{NewSigners, RootRole, TargetsRole};

fn threshold_2() -> RootRole {
    let (one, two) = (public(1), public(2));
    RootRole::new(
        head(1, 730),
        NewSigners::new(vec![one, two], 2),
        NewSigners::new(vec![public(3)], 1),
        crate::test_world::online(1),
    )
    .unwrap()
}

#[test]
fn what_is_written_is_read() {
    let root = signed(root(1), &[key(1), key(2)]);
    let bytes = root.to_bytes().unwrap();
    let read = Signed::<RootRole>::read(&bytes).unwrap();
    assert_eq!(read, root);
    assert_eq!(read.canonical(), root.canonical());
    assert!(read.is_signed_by(read.role().root()).unwrap());
    assert_eq!(read.to_bytes(), Ok(bytes));
}

/// Made with python-tuf 7.0.1: signed with the Ed25519 key whose seed is 32 bytes of value 1, and with a
/// P-256 key.
#[test]
fn a_root_of_another_maker() {
    let bytes = include_bytes!("python-tuf-root.json");
    let root = Signed::<RootRole>::read(bytes).unwrap();
    assert_eq!(root.role().root().threshold(), 2);
    assert_eq!(root.check(&[root.role().root()], &[]), Ok(Signing::Complete));
    assert_eq!(root.to_bytes().as_deref(), Ok(bytes.as_slice()));
    assert_eq!(*key(1).public().id(), root.role().root().keyids()[0]);
}

#[test]
fn white_space_and_order_do_not_matter() {
    let root = signed(root(1), &[key(1)]);
    let value: serde_json::Value = serde_json::from_slice(&root.to_bytes().unwrap()).unwrap();
    let text = format!(r#"{{"signatures": {:#}, "signed": {:#}}}"#, value["signatures"], value["signed"]);
    assert_eq!(Signed::read(text.as_bytes()), Ok(root));
}

#[test]
fn thresholds() {
    let role = threshold_2();
    for (keys, signing) in [
        (vec![], Ok(Signing::Unsigned)),
        (vec![key(1)], Ok(Signing::Pending)),
        (vec![key(1), key(1)], Ok(Signing::Pending)),
        (vec![key(1), key(2)], Ok(Signing::Complete)),
        (vec![key(1), key(2), key(3)], Err(TrustError::Signature)),
        (vec![key(9)], Err(TrustError::Signature)),
    ] {
        let signed = signed(role.clone(), &keys);
        assert_eq!(signed.check(&[role.root()], &[]), signing);
        let is_signed = keys.len() >= 2 && signed.signatures().len() >= 2;
        assert_eq!(signed.is_signed_by(role.root()), Ok(is_signed));
    }
}

#[test]
fn every_signature_must_verify() {
    let role = threshold_2();
    let mut signed = signed(role.clone(), &[key(1), key(2)]);
    signed.add(key(2).sign(b"something else"));
    assert_eq!(signed.signatures().len(), 2);
    assert_eq!(signed.check(&[role.root()], &[]), Err(TrustError::Signature));
    assert_eq!(signed.is_signed_by(role.root()), Ok(false));
}

/// A targets key that root has dropped may sign in addition to the new one.
#[test]
fn signatures_besides() {
    let role = targets(1, &["beta"], &[]);
    let (new, old) = (root(1), threshold_2());
    let signed = signed(role, &[key(3), key(1)]);
    assert_eq!(signed.check(&[new.targets()], &[]), Err(TrustError::Signature));
    assert_eq!(signed.check(&[new.targets()], &[old.root()]), Ok(Signing::Complete));
    assert_eq!(signed.check(&[new.targets(), old.root()], &[]), Ok(Signing::Pending));
    let by_the_old = self::signed(signed.role().clone(), &[key(1)]);
    assert_eq!(by_the_old.check(&[new.targets()], &[old.root()]), Ok(Signing::Unsigned));
    assert_eq!(signed.is_signed_by(new.targets()), Ok(true));
}

/// A signature under the id of another key does not count, whatever that id is.
#[test]
fn a_signature_under_another_id_does_not_count() {
    let role = threshold_2();
    let mut signed = signed(role.clone(), &[key(1)]);
    let again = key(1).sign(&signed.canonical().unwrap());
    let hex = base16ct::lower::encode_string(again.bytes());
    signed.add(Signature::from_hex(public(2).id().clone(), &hex).unwrap());
    assert_eq!(signed.check(&[role.root()], &[]), Err(TrustError::Signature));
    assert_eq!(signed.is_signed_by(role.root()), Ok(false));
}

#[test]
fn other_files() {
    let good = String::from_utf8(signed(root(1), &[key(1)]).to_bytes().unwrap()).unwrap();
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for (text, error) in [
        (String::new(), "invalid metadata: not JSON"),
        (deep, "invalid metadata: not JSON"),
        ("[]".to_owned(), "invalid root: signed"),
        ("{}".to_owned(), "invalid root: signed"),
        (
            good.replacen(r#""signatures":["#, r#""signatures":[1.0,"#, 1),
            "invalid metadata: a value that metadata cannot have",
        ),
        (good.replacen(r#""signatures":"#, r#""x":1,"signatures":"#, 1), "invalid root: unknown field"),
        (
            good.replacen(r#""signatures":"#, r#""signatures":[],"signatures":"#, 1),
            "invalid metadata: a value that metadata cannot have",
        ),
        (format!("{good}{}", " ".repeat(RootRole::MAX_BYTES)), "metadata too large"),
    ] {
        let error_text = Signed::<RootRole>::read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(error_text, error, "{}", &text[..text.len().min(80)]);
    }
    let error = Signed::<TargetsRole>::read(good.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "invalid targets: _type");
}
