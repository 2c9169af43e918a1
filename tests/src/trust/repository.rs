//! Files that belong together.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::key::{RootKeys, TestKey};
use super::role::{self, Channel, TestTarget};
use super::signed::signed;

/// The role that lists all files that no channel's role lists.
pub const TARGETS: &str = "targets";

/// How many days a root is good for.
pub const ROOT_DAYS: i64 = 730;
/// How many days a list is good for.
pub const LIST_DAYS: i64 = 365;
/// How many days a snapshot is good for.
pub const SNAPSHOT_DAYS: i64 = 30;
/// How many days a timestamp is good for.
pub const TIMESTAMP_DAYS: i64 = 7;

/// The repository of one application. Its methods write as a careful signer does; its files may be changed
/// into anything else.
#[derive(Debug, Clone)]
pub struct TestRepository {
    /// `{owner}/{app}` as in addresses.
    pub path: String,
    /// The keys in the newest root.
    pub keys: RootKeys,
    /// Metadata by the files' names. Files stay once they are written.
    pub metadata: BTreeMap<String, Vec<u8>>,
    /// Targets by their names.
    pub files: BTreeMap<String, Vec<u8>>,
    channels: Vec<Channel>,
    lists: BTreeMap<String, BTreeMap<String, TestTarget>>,
    versions: BTreeMap<String, u64>,
}

impl TestRepository {
    /// A repository that lists nothing.
    pub fn new(owner: &str, app: &str, keys: RootKeys, now: Timestamp) -> Self {
        let mut new = Self {
            path: role::target_name(&format!("{owner}/{app}")),
            keys: keys.clone(),
            metadata: BTreeMap::new(),
            files: BTreeMap::new(),
            channels: Vec::new(),
            lists: BTreeMap::from([(TARGETS.to_owned(), BTreeMap::new())]),
            versions: BTreeMap::new(),
        };
        new.write_root(keys, now);
        new.write_list(TARGETS, now);
        new.commit(now);
        new
    }

    /// The newest root.
    pub fn root(&self) -> &[u8] {
        &self.metadata[&format!("{}.root.json", self.versions["root"])]
    }

    /// The newest version of a role.
    pub fn version(&self, role: &str) -> u64 {
        self.versions[role]
    }

    /// The name of the newest file of a role that has a version in its name.
    pub fn newest(&self, role: &str) -> String {
        format!("{}.{role}.json", self.versions[role])
    }

    /// Pretends that this is the newest version of a role. Other roles name it, and the next one
    /// follows it.
    pub fn pretend(&mut self, role: &str, version: u64) {
        let _newest = self.versions.insert(role.to_owned(), version);
    }

    pub fn listed(&self) -> impl Iterator<Item = &TestTarget> {
        self.lists.values().flat_map(BTreeMap::values)
    }

    /// Gives a channel signers of its own. Its role comes after those of other channels.
    pub fn delegate(&mut self, channel: Channel, now: Timestamp) {
        let role = channel.role();
        self.channels.push(channel);
        let _new = self.lists.entry(role.clone()).or_default();
        self.write_list(&role, now);
        self.write_list(TARGETS, now);
        self.commit(now);
    }

    /// Takes a channel's signers away: their files move to the list of all. Their last list stays in the
    /// snapshot, because clients refuse one that has lost a name.
    pub fn undelegate(&mut self, channel: &str, now: Timestamp) {
        let (gone, left) = self.channels.drain(..).partition(|known| known.name == channel);
        self.channels = left;
        let listed = gone.iter().flat_map(|channel: &Channel| self.lists[&channel.role()].clone()).collect();
        self.lists.get_mut(TARGETS).expect("a list").extend::<BTreeMap<_, _>>(listed);
        self.write_list(TARGETS, now);
        self.commit(now);
    }

    /// Takes the list of a channel without signers out of the snapshot.
    pub fn forget(&mut self, role: &str, now: Timestamp) {
        let _list = self.lists.remove(role);
        self.commit(now);
    }

    /// Lists more files, each in the role of its channel.
    pub fn publish(&mut self, targets: impl IntoIterator<Item = TestTarget>, now: Timestamp) {
        let mut changed = BTreeSet::new();
        for target in targets {
            let role = self.role_of(&target);
            let _old = self.files.insert(target.name.clone(), target.bytes.clone());
            let _old = self.lists.entry(role.clone()).or_default().insert(target.name.clone(), target);
            let _known = changed.insert(role);
        }
        for role in changed {
            self.write_list(&role, now);
        }
        self.commit(now);
    }

    /// Makes the signers of a list change the description of a target that they list.
    pub fn relabel(&mut self, role: &str, target: &TestTarget, now: Timestamp) {
        let _old = self.lists.get_mut(role).expect("a list").insert(target.name.clone(), target.clone());
        self.write_list(role, now);
        self.commit(now);
    }

    /// Signs everything that the service and the publisher sign by the keys of the next root as well, so that
    /// a client with either root accepts it.
    pub fn prepare(&mut self, next: &RootKeys, now: Timestamp) {
        let signers = each_once(self.keys.targets.keys.iter().chain(&next.targets.keys));
        self.write_list_by(TARGETS, &signers, now);
        self.commit_by(&each_once([&self.keys.online, &next.online]), now);
    }

    /// Writes the next root, signed by its own root keys and those of the root before.
    pub fn write_root(&mut self, keys: RootKeys, now: Timestamp) {
        let signers = each_once(self.keys.root.keys.iter().chain(&keys.root.keys));
        self.write_root_by(keys, &signers, now);
    }

    /// Writes the next root, signed by anybody.
    pub fn write_root_by(&mut self, keys: RootKeys, signers: &[TestKey], now: Timestamp) {
        let version = self.versions.get("root").map_or(1, |version| version + 1);
        let role = role::root(version, after(now, ROOT_DAYS), &keys);
        self.put("root", version, signed(&role, signers));
        self.keys = keys;
    }

    /// Writes the next version of a list, signed by the right keys.
    pub fn write_list(&mut self, role: &str, now: Timestamp) {
        let signers = match self.channels.iter().find(|channel| channel.role() == role) {
            Some(channel) => channel.signers.keys.clone(),
            None => self.keys.targets.keys.clone(),
        };
        self.write_list_by(role, &signers, now);
    }

    /// Writes the next version of a list, signed by anybody.
    pub fn write_list_by(&mut self, role: &str, signers: &[TestKey], now: Timestamp) {
        let version = self.next(role, now);
        let channels = if role == TARGETS { &self.channels[..] } else { &[] };
        let list = role::targets(version, after(now, LIST_DAYS), self.lists[role].values(), channels);
        self.put(role, version, signed(&list, signers));
    }

    /// Writes the next snapshot and timestamp.
    pub fn commit(&mut self, now: Timestamp) {
        let online = [self.keys.online.clone()];
        self.commit_by(&online, now);
    }

    fn commit_by(&mut self, signers: &[TestKey], now: Timestamp) {
        let version = self.next("snapshot", now);
        let files = self.lists.keys().map(|role| self.named(role)).collect();
        let snapshot = role::naming("snapshot", version, after(now, SNAPSHOT_DAYS), &files);
        self.put("snapshot", version, signed(&snapshot, signers));
        self.write_timestamp_by(signers, now);
    }

    /// Writes the next timestamp over the newest snapshot.
    pub fn write_timestamp(&mut self, now: Timestamp) {
        let online = [self.keys.online.clone()];
        self.write_timestamp_by(&online, now);
    }

    fn write_timestamp_by(&mut self, signers: &[TestKey], now: Timestamp) {
        let version = self.next("timestamp", now);
        let expires = after(now, TIMESTAMP_DAYS);
        let timestamp = role::naming("timestamp", version, expires, &[self.named("snapshot")].into());
        let file = signed(&timestamp, signers);
        let _old = self.versions.insert("timestamp".to_owned(), version);
        let _old = self.metadata.insert("timestamp.json".to_owned(), file);
    }

    /// How the newest file of a role is named in the role above it.
    fn named(&self, role: &str) -> (String, (u64, &[u8])) {
        (format!("{role}.json"), (self.versions[role], &self.metadata[&self.newest(role)]))
    }

    fn role_of(&self, target: &TestTarget) -> String {
        let of = |channel: &&Channel| target.custom["channel"] == channel.name.as_str();
        self.channels.iter().find(of).map_or_else(|| TARGETS.to_owned(), Channel::role)
    }

    /// One more than before, and at least the time, so that numbers rise after a restored backup.
    fn next(&self, role: &str, now: Timestamp) -> u64 {
        let seconds = u64::try_from(now.as_second()).expect("a time after 1970");
        self.versions.get(role).map_or(0, |version| version + 1).max(seconds)
    }

    /// Takes this file for the newest version of a role, with any content.
    pub fn put(&mut self, role: &str, version: u64, file: Vec<u8>) {
        let _old = self.versions.insert(role.to_owned(), version);
        let _old = self.metadata.insert(self.newest(role), file);
    }
}

fn after(now: Timestamp, days: i64) -> Timestamp {
    now + SignedDuration::from_hours(24 * days)
}

/// A key that has two reasons to sign signs once: clients refuse a file with two signatures of one key.
fn each_once<'a>(keys: impl IntoIterator<Item = &'a TestKey>) -> Vec<TestKey> {
    let mut seen = BTreeSet::new();
    keys.into_iter().filter(|key| seen.insert(key.id())).cloned().collect()
}
