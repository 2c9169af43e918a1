use super::*;
use crate::test_world::{NOW, files, head, key, online, public, root, service_key, signed, targets};
use crate::{NewSigners, Purpose, RoleName};

const LIFETIMES: ServiceLifetimes = ServiceLifetimes {
    targets: RoleName::Targets.lifetimes().default,
    snapshot: RoleName::Snapshot.lifetimes().default,
    timestamp: RoleName::Timestamp.lifetimes().default,
};

/// The current metadata.
#[derive(Clone)]
struct World {
    root: RootRole,
    replaced: Option<RootRole>,
    snapshot: Option<SnapshotRole>,
    timestamp: Option<TimestampRole>,
    online: Vec<SigningKey>,
    now: Timestamp,
}

impl World {
    fn empty() -> Self {
        let online = vec![service_key(Purpose::Online, 1)];
        Self { root: root(1), replaced: None, snapshot: None, timestamp: None, online, now: NOW }
    }

    fn context(&self) -> SigningContext<'_> {
        SigningContext {
            root: &self.root,
            replaced_root: self.replaced.as_ref(),
            snapshot: self.snapshot.as_ref(),
            timestamp: self.timestamp.as_ref(),
            online: &self.online,
            lifetimes: &LIFETIMES,
            now: self.now,
        }
    }

    fn next(&self, lists: &NewLists, renewal: Renewal) -> Vec<NewFile> {
        next_files(&self.context(), lists, renewal).unwrap()
    }

    /// The world in which these files are current, a second later.
    fn after(&self, files: &[NewFile]) -> Self {
        let mut after = Self { now: self.now.plus_seconds(1), replaced: None, ..self.clone() };
        for file in files {
            match file.role {
                RoleName::Snapshot => after.snapshot = Some(read(file)),
                RoleName::Timestamp => after.timestamp = Some(read(file)),
                _ => {}
            }
        }
        after
    }
}

fn read<R: Role + Clone>(file: &NewFile) -> R {
    Signed::<R>::read(&file.bytes).unwrap().role().clone()
}

fn names(files: &[NewFile]) -> Vec<String> {
    files.iter().map(|file| file.file().to_string()).collect()
}

fn lists(version: u64) -> NewLists {
    NewLists { targets: Some(signed(targets(version, &["stable"], &[]), &[key(3)])), ..NewLists::default() }
}

/// A repository with targets 5.
fn begun() -> World {
    let world = World::empty();
    world.after(&world.next(&lists(5), Renewal::Nothing))
}

#[test]
fn the_first_list_is_named_by_the_first_snapshot_and_timestamp() {
    let world = World::empty();
    assert_eq!(world.next(&NewLists::default(), Renewal::Targets), []);
    let files = world.next(&lists(5), Renewal::Nothing);
    assert_eq!(names(&files), ["5.targets.json", "1795225422.snapshot.json", "timestamp.json"]);
    let snapshot: SnapshotRole = read(&files[1]);
    assert!(snapshot.targets().is_of(&files[0].bytes));
    let timestamp = Signed::<TimestampRole>::read(&files[2].bytes).unwrap();
    assert!(timestamp.role().snapshot.is_of(&files[1].bytes));
    assert!(timestamp.is_signed_by(world.root.online()).unwrap());
    assert_eq!(timestamp.role().head.expires.to_string(), "2026-11-28T01:43:42Z");
}

#[test]
fn what_is_signed_again() {
    let world = begun();
    for (renewal, expected) in [
        (Renewal::Nothing, &[][..]),
        (Renewal::Timestamp, &["timestamp.json"]),
        (Renewal::Snapshot, &["1795225423.snapshot.json", "timestamp.json"]),
        (Renewal::Targets, &["1795225423.snapshot.json", "timestamp.json"]),
    ] {
        assert_eq!(names(&world.next(&NewLists::default(), renewal)), expected, "{renewal:?}");
    }
    let alone = world.next(&NewLists::default(), Renewal::Timestamp);
    let timestamp: TimestampRole = read(&alone[0]);
    assert_eq!(Some(timestamp.snapshot), world.timestamp.map(|timestamp| timestamp.snapshot));
}

#[test]
fn numbers_rise_also_within_a_second_and_when_the_clock_goes_back() {
    for seconds in [-1, -3600, 0] {
        let world = begun();
        let back = World { now: world.now.plus_seconds(seconds), ..world };
        let files = back.next(&lists(6), Renewal::Nothing);
        assert_eq!(names(&files)[1], "1795225423.snapshot.json", "{seconds}");
        assert!(read::<SnapshotRole>(&files[1]).follows(back.snapshot.as_ref().unwrap()));
    }
}

#[test]
fn the_list_of_a_channel_stays_in_the_snapshot() {
    let list = signed(targets(7, &["beta"], &[]), &[key(4)]);
    let channels = BTreeMap::from([("beta".parse().unwrap(), list)]);
    let world = World::empty();
    let files = world.next(&NewLists { channels, ..lists(5) }, Renewal::Nothing);
    assert_eq!(names(&files)[..2], ["7.channel-beta.json", "5.targets.json"]);
    let world = world.after(&files);
    let files = world.next(&lists(6), Renewal::Nothing);
    let snapshot: SnapshotRole = read(&files[1]);
    assert_eq!(snapshot.channels().values().map(|file| file.version().number()).collect::<Vec<_>>(), [7]);
}

fn with_new_online_key(world: World) -> World {
    let new = RootRole::new(
        head(2, 730),
        NewSigners::new(vec![public(1)], 1),
        NewSigners::new(vec![public(3)], 1),
        online(2),
    )
    .unwrap();
    let online = [2, 1].map(|generation| service_key(Purpose::Online, generation)).into();
    World { replaced: Some(world.root), root: new, online, ..world }
}

#[test]
fn a_new_online_key_signs_together_with_the_old_one() {
    let world = with_new_online_key(begun());
    let files = world.next(&NewLists::default(), Renewal::Nothing);
    assert_eq!(names(&files), ["1795225423.snapshot.json", "timestamp.json"]);
    let snapshot = Signed::<SnapshotRole>::read(&files[0].bytes).unwrap();
    for root in [&world.root, world.replaced.as_ref().unwrap()] {
        assert!(snapshot.is_signed_by(root.online()).unwrap());
    }
}

#[test]
fn numbers_that_block_are_forgotten_with_their_key() {
    let far = MetadataVersion::from_number((1 << 53) - 1).unwrap();
    let mut world = begun();
    if let Some(timestamp) = &mut world.timestamp {
        timestamp.head.version = far;
    }
    assert!(next_files(&world.context(), &lists(6), Renewal::Nothing).is_err());
    let world = with_new_online_key(world);
    let files = world.next(&lists(6), Renewal::Nothing);
    assert_eq!(files[2].head.version.number(), 1_795_225_423);
    let keys = [service_key(Purpose::Targets, 1)];
    let signed = world.context().sign_targets(Some(far), files_of(), &keys).unwrap();
    assert_eq!(signed.role().head().version.number(), 1_795_225_423);
}

fn files_of() -> TargetFiles {
    files(&["stable"])
}

#[test]
fn targets_of_the_service_hold_as_long_as_its_setting_says() {
    let keys = [service_key(Purpose::Targets, 2), service_key(Purpose::Targets, 1)];
    let signed = begun().context().sign_targets(None, files_of(), &keys).unwrap();
    assert_eq!(signed.role().targets(), &files_of());
    assert_eq!(signed.role().head().expires.to_string(), "2027-11-21T01:43:43Z");
    assert_eq!(signed.signatures().len(), 2);
}
