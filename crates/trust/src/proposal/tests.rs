use super::*;
use crate::test_world::{NOW, files, head, key, online, public, root, service, service_key, signed, targets};
use crate::{NewSigners, Purpose};

/// The current metadata: root 1 with root keys 1 and 2, the publisher's key 3, and perhaps lists.
struct World {
    root: RootRole,
    previous: Option<RootRole>,
    targets: Option<Signed<TargetsRole>>,
    channels: BTreeMap<ChannelName, Signed<TargetsRole>>,
}

fn world(targets: Option<Signed<TargetsRole>>) -> World {
    World { root: root(1), previous: None, targets, channels: BTreeMap::new() }
}

impl World {
    fn check(&self, proposal: &Proposal) -> Result<Vec<String>, String> {
        let recorded = files(&["stable", "beta"]);
        let trusted = TrustedMetadata {
            root: Some(&self.root),
            previous_root: self.previous.as_ref(),
            targets: self.targets.as_ref(),
            channels: &self.channels,
            service: &service(),
            recorded: &recorded,
            now: NOW,
        };
        let lacking = validate_proposal(proposal, &trusted).map_err(|error| error.to_string())?;
        Ok(lacking.iter().map(RoleName::to_string).collect())
    }
}

fn none() -> Vec<String> {
    Vec::new()
}

#[expect(clippy::unnecessary_wraps, reason = "for tables, beside `refused`")]
fn lacking(roles: &[&str]) -> Result<Vec<String>, String> {
    Ok(roles.iter().map(|role| (*role).to_owned()).collect())
}

fn refused(text: &str) -> Result<Vec<String>, String> {
    Err(text.to_owned())
}

/// The error text for files without any signature by a signer.
const UNSIGNED: &str = "invalid signature: none of the role's signers has signed";

fn list(version: u64, keys: &[u8]) -> Signed<TargetsRole> {
    signed(targets(version, &["stable"], &[]), &keys.iter().map(|number| key(*number)).collect::<Vec<_>>())
}

fn of_targets(targets: Signed<TargetsRole>) -> Proposal {
    Proposal { targets: Some(targets), ..Proposal::default() }
}

fn next_root(version: u64, root_keys: &[u8], targets_keys: &[u8], signers: &[u8]) -> Signed<RootRole> {
    let publics = |numbers: &[u8]| numbers.iter().map(|number| public(*number)).collect::<Vec<_>>();
    let role = RootRole::new(
        head(version, 730),
        NewSigners::new(publics(root_keys), 1),
        NewSigners::new(publics(targets_keys), 1),
        online(1),
    );
    signed(role.unwrap(), &signers.iter().map(|number| key(*number)).collect::<Vec<_>>())
}

fn of_root(root: Signed<RootRole>) -> Proposal {
    Proposal { root: Some(root), ..Proposal::default() }
}

#[test]
fn targets_need_the_signatures_that_root_asks_for() {
    let world = world(None);
    for (keys, expected) in [
        (&[3][..], lacking(&[])),
        (&[], refused(UNSIGNED)),
        (&[4], refused("invalid signature")),
        (&[3, 4], refused("invalid signature")),
    ] {
        assert_eq!(world.check(&of_targets(list(1, keys))), expected, "{keys:?}");
    }
}

#[test]
fn targets_exceed_the_current_ones() {
    let world = world(Some(list(5, &[3])));
    assert_eq!(world.check(&of_targets(list(5, &[3]))), refused("invalid targets: version"));
    assert_eq!(world.check(&of_targets(list(6, &[3]))), Ok(none()));
}

#[test]
fn a_root_keeps_the_targets_valid() {
    let world = world(Some(list(5, &[3])));
    for (keys, expected) in [
        (&[3][..], lacking(&[])),
        (&[3, 7], lacking(&[])),
        (&[7], refused("invalid root: its keys have not signed the targets")),
    ] {
        assert_eq!(world.check(&of_root(next_root(2, &[1], keys, &[1]))), expected, "{keys:?}");
    }
    let with_targets =
        |keys: &[u8]| Proposal { targets: Some(list(6, keys)), ..of_root(next_root(2, &[1], &[7], &[1])) };
    assert_eq!(world.check(&with_targets(&[7])), Ok(none()));
    assert_eq!(world.check(&with_targets(&[3, 7])), Ok(none()), "the replaced key may sign too");
    assert_eq!(world.check(&with_targets(&[3])), lacking(&["targets"]));
    assert_eq!(world.check(&with_targets(&[8])), refused("invalid signature"));
    assert_eq!(world.check(&with_targets(&[])), lacking(&["targets"]), "root's signers vouch for it");
}

#[test]
fn a_root_lacks_signatures_of_its_own_keys_or_of_the_ones_before() {
    let world = world(None);
    for (root_keys, signers, expected) in [
        (&[1, 2][..], &[2][..], lacking(&[])),
        (&[6], &[6], lacking(&["root"])),
        (&[6], &[1], lacking(&["root"])),
        (&[6], &[1, 6], lacking(&[])),
        (&[6], &[5], refused("invalid signature")),
        (&[6], &[], refused(UNSIGNED)),
    ] {
        let proposal = of_root(next_root(2, root_keys, &[3], signers));
        assert_eq!(world.check(&proposal), expected, "{root_keys:?} {signers:?}");
    }
    assert_eq!(world.check(&of_root(next_root(3, &[1], &[3], &[1]))), refused("invalid root: version"));
}

#[test]
fn where_the_service_signs_targets_nobody_else_does() {
    let role = |targets| {
        RootRole::new(
            head(2, 730),
            NewSigners::new(vec![public(1)], 1),
            NewSigners::new(targets, 1),
            online(1),
        )
        .unwrap()
    };
    let service_root = signed(role(vec![service_key(Purpose::Targets, 1).public().clone()]), &[key(1)]);
    let world = world(Some(list(5, &[3])));
    assert_eq!(world.check(&of_root(service_root.clone())), Ok(none()), "the service signs them again");
    let both = Proposal { targets: Some(list(6, &[3])), ..of_root(service_root.clone()) };
    assert_eq!(world.check(&both), refused("invalid targets: the service signs targets"));
    let after = World { root: service_root.role().clone(), ..world };
    assert_eq!(
        after.check(&of_targets(list(6, &[3]))),
        refused("invalid targets: the service signs targets")
    );
}

#[test]
fn a_channel_with_signers_needs_a_list_by_them() {
    let mut world = world(Some(list(5, &[3])));
    let delegating = |version| of_targets(signed(targets(version, &["stable"], &["beta"]), &[key(3)]));
    let beta = |version, keys: &[u8]| {
        let keys: Vec<_> = keys.iter().map(|number| key(*number)).collect();
        BTreeMap::from([("beta".parse().unwrap(), signed(targets(version, &["beta"], &[]), &keys))])
    };
    let missing = "invalid targets: a channel's signers have signed no list";
    assert_eq!(world.check(&delegating(6)), refused(missing));
    let with = |keys: &[u8]| Proposal { channels: beta(1, keys), ..delegating(6) };
    assert_eq!(world.check(&with(&[4])), Ok(none()));
    assert_eq!(world.check(&with(&[])), lacking(&["channel-beta"]));
    assert_eq!(world.check(&with(&[3])), refused("invalid signature"));
    let unsigned = |proposal: Proposal| Proposal {
        targets: Some(signed(proposal.targets.unwrap().into_role(), &[])),
        ..proposal
    };
    assert_eq!(
        world.check(&unsigned(with(&[4]))),
        refused(UNSIGNED),
        "whom unsigned targets name has no say"
    );

    world.targets = delegating(6).targets;
    world.channels = beta(1, &[4]);
    assert_eq!(world.check(&delegating(7)), Ok(none()), "the list that is there");
    let alone = |version| Proposal { channels: beta(version, &[4]), ..Proposal::default() };
    let of_nobody = Proposal { channels: beta(2, &[]), ..Proposal::default() };
    assert_eq!(world.check(&of_nobody), refused(UNSIGNED));
    assert_eq!(world.check(&alone(2)), Ok(none()));
    assert_eq!(world.check(&alone(1)), refused("invalid targets: version"));
    world.channels = beta(1, &[3]);
    assert_eq!(world.check(&delegating(7)), refused(missing), "a list of others");

    world.targets = Some(list(8, &[3]));
    assert_eq!(world.check(&alone(2)), refused("invalid targets: a channel without signers"));
}

#[test]
fn numbers_that_block_are_forgotten_with_the_key_for_snapshot_and_timestamp() {
    let far = (1 << 53) - 1;
    let world = world(Some(list(far, &[3])));
    assert_eq!(world.check(&of_targets(list(6, &[3]))), refused("invalid targets: version"));
    let role = |generation| {
        RootRole::new(
            head(2, 730),
            NewSigners::new(vec![public(1)], 1),
            NewSigners::new(vec![public(3)], 1),
            online(generation),
        )
        .unwrap()
    };
    let with = |generation| Proposal {
        targets: Some(list(6, &[3])),
        ..of_root(signed(role(generation), &[key(1)]))
    };
    assert_eq!(world.check(&with(1)), refused("invalid targets: version"));
    assert_eq!(world.check(&with(2)), Ok(none()));
}

#[test]
fn without_a_root_there_is_nothing_to_check_targets_with() {
    let (recorded, channels) = (BTreeMap::new(), BTreeMap::new());
    let trusted = TrustedMetadata {
        root: None,
        previous_root: None,
        targets: None,
        channels: &channels,
        service: &service(),
        recorded: &recorded,
        now: NOW,
    };
    let refused = validate_proposal(&of_targets(list(1, &[3])), &trusted).unwrap_err();
    assert_eq!(refused.to_string(), "invalid root: it lacks signatures");
}

#[test]
fn files_are_read_by_their_roles() {
    let bytes = list(1, &[3]).to_bytes().unwrap();
    let read = |role: &str| Proposal::read([(role, bytes.as_slice())]).map_err(|error| error.to_string());
    let proposal = read("targets").unwrap();
    assert_eq!(
        proposal.files().unwrap(),
        [(RoleName::Targets, list(1, &[]).role().head().version, bytes.clone())]
    );
    assert_eq!(read("channel-beta").unwrap().roles().count(), 1);
    assert_eq!(read("root").unwrap_err(), "invalid root: _type");
    for (role, text) in [
        ("snapshot", "invalid metadata: snapshot and timestamp are the service's"),
        ("timestamp", "invalid metadata: snapshot and timestamp are the service's"),
        ("mirrors", "invalid metadata: no such role"),
        ("channel-../x", "invalid metadata: no such role"),
    ] {
        assert_eq!(read(role).unwrap_err(), text);
    }
}

#[test]
fn signatures_of_the_same_files_come_together() {
    let mut one = of_targets(list(1, &[3]));
    assert!(one.merge(&of_targets(list(1, &[4]))));
    assert_eq!(one.targets.as_ref().unwrap().signatures().len(), 2);
    assert!(!one.merge(&of_targets(list(2, &[4]))), "another file");
    assert!(!one.merge(&of_root(next_root(1, &[1], &[3], &[1]))), "another role");
    assert_eq!(one.targets.as_ref().unwrap().signatures().len(), 2, "nothing is added");
    let signature = key(5).sign(b"x");
    assert!(one.add(&RoleName::Targets, signature.clone()));
    assert!(!one.add(&RoleName::Root, signature));
}

#[test]
fn only_what_decides_as_much_takes_the_place_of_what_waits() {
    let channels = BTreeMap::from([("beta".parse().unwrap(), list(1, &[4]))]);
    let of_channel = Proposal { channels, ..Proposal::default() };
    let of_list = of_targets(list(1, &[3]));
    let root = of_root(next_root(2, &[1], &[3], &[1]));
    let ranked = [&root, &of_list, &of_channel];
    for (new, proposal) in ranked.iter().enumerate() {
        for (old, waiting) in ranked.iter().enumerate() {
            assert_eq!(proposal.may_replace(waiting), new <= old, "{new} for {old}");
        }
    }
}

#[test]
fn the_first_root_may_wait_for_all_its_signatures() {
    let (recorded, channels) = (BTreeMap::new(), BTreeMap::new());
    let trusted = TrustedMetadata {
        root: None,
        previous_root: None,
        targets: None,
        channels: &channels,
        service: &service(),
        recorded: &recorded,
        now: NOW,
    };
    let lacking = validate_proposal(&of_root(next_root(1, &[1], &[3], &[])), &trusted).unwrap();
    assert_eq!(lacking, [RoleName::Root]);
}
