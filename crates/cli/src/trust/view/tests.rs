//! Honest and dishonest repositories in memory.

use std::collections::BTreeMap;

use spindrift_core::ChannelName;
use spindrift_trust::{
    Delegations, FileMeta, MetadataFile, MetadataVersion, NewSigners, Role, RoleName, RootRole, Signed,
    SigningKey, SnapshotRole, TargetsRole, TimestampRole,
};

use super::*;
use crate::error::CliError;
use crate::trust::test_world::{NOW, file, head, key, list, list_with, online_key, public, root, root_of};

/// The files of a source by name.
#[derive(Default, Clone)]
struct Memory(BTreeMap<String, Vec<u8>>);

impl MetadataSource for Memory {
    async fn read(&self, file: &MetadataFile, limit: usize) -> Result<Option<Vec<u8>>, CliError> {
        let bytes = self.0.get(&file.to_string()).cloned();
        assert!(bytes.as_ref().is_none_or(|bytes| bytes.len() <= limit));
        Ok(bytes)
    }
}

fn signed<R: Role>(role: R, keys: &[SigningKey]) -> Signed<R> {
    let mut signed = Signed::unsigned(role);
    signed.sign(keys).unwrap();
    signed
}

fn version(number: u64) -> MetadataVersion {
    MetadataVersion::from_number(number).unwrap()
}

impl Memory {
    fn put<R: Role>(&mut self, role: RoleName, signed: &Signed<R>) -> FileMeta {
        let version = signed.role().head().version;
        let bytes = signed.to_bytes().unwrap();
        let meta = FileMeta::of(version, &bytes).unwrap();
        self.0.insert(MetadataFile::new(role, version).to_string(), bytes);
        meta
    }

    fn put_root(&mut self, root: RootRole, keys: &[u8]) {
        let keys: Vec<_> = keys.iter().map(|number| key(*number)).collect();
        self.put(RoleName::Root, &signed(root, &keys));
    }

    /// Signs snapshot and timestamp over these lists.
    fn commit(&mut self, targets: FileMeta, channels: BTreeMap<ChannelName, FileMeta>, online: u8) {
        let keys = [online_key(online)];
        let snapshot = SnapshotRole::after(None, head(7, 30), targets, channels);
        let snapshot = self.put(RoleName::Snapshot, &signed(snapshot, &keys));
        let timestamp = TimestampRole { head: head(8, 7), snapshot };
        self.put(RoleName::Timestamp, &signed(timestamp, &keys));
    }

    /// A repository with root 1 and a list signed with these keys.
    fn with_list(list: TargetsRole, keys: &[u8]) -> Self {
        let mut memory = Self::default();
        memory.put_root(root(1), &[1]);
        let keys: Vec<_> = keys.iter().map(|number| key(*number)).collect();
        let targets = memory.put(RoleName::Targets, &signed(list, &keys));
        memory.commit(targets, BTreeMap::new(), 1);
        memory
    }

    fn swap(&mut self, name: &str, from: &str, to: &str) {
        let bytes = self.0.get_mut(name).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.contains(from), "{text}");
        *bytes = text.replacen(from, to, 1).into_bytes();
    }

    async fn view(&self) -> Result<View, CliError> {
        view(self, &signed(root(1), &[key(1)])).await
    }

    async fn refused(&self) -> String {
        let error = self.view().await.unwrap_err();
        assert!(matches!(error, CliError::Untrusted(_)), "{error}");
        error.to_string()
    }
}

fn honest() -> Memory {
    Memory::with_list(list(5, &[file("1.0.0", "beta", 1)]), &[3])
}

#[tokio::test]
async fn the_current_list_is_found() {
    let view = honest().view().await.unwrap();
    assert_eq!((view.root.role().head().version, view.roots_since), (version(1), 0));
    assert_eq!(view.targets(), Some(&list(5, &[file("1.0.0", "beta", 1)])));
    assert_eq!(view.problems(NOW), [""; 0]);
    assert_eq!(view.expiries().len(), 4);
    assert!(view.problems(NOW.plus_seconds(8 * 86_400)).concat().contains("timestamp expired at"));
}

#[tokio::test]
async fn a_repository_without_a_list_has_none() {
    let mut memory = Memory::default();
    memory.put_root(root(1), &[1]);
    assert!(memory.view().await.unwrap().lists.is_none());
}

#[tokio::test]
async fn roots_are_followed_one_by_one() {
    let mut memory = Memory::default();
    memory.put_root(root_of(2, (&[4], 1), &[3]), &[1, 4]);
    memory.put_root(root_of(3, (&[5], 1), &[6]), &[4, 5]);
    let targets = memory.put(RoleName::Targets, &signed(list(5, &[]), &[key(6)]));
    memory.commit(targets, BTreeMap::new(), 1);
    let view = memory.view().await.unwrap();
    assert_eq!((view.root.role().head().version, view.roots_since), (version(3), 2));

    for (name, keys, told) in [
        ("by new keys alone", &[5][..], "root 3 lacks signatures"),
        ("by old keys alone", &[4], "root 3 lacks signatures"),
        ("by strangers", &[9], "root 3 lacks signatures"),
    ] {
        let mut memory = memory.clone();
        memory.put_root(root_of(3, (&[5], 1), &[6]), keys);
        assert!(memory.refused().await.contains(told), "{name}");
    }
    let root = memory.0["3.root.json"].clone();
    memory.0.insert("2.root.json".to_owned(), root);
    assert!(memory.refused().await.contains("claims to be version 3"));
}

#[tokio::test]
async fn lists_that_were_not_signed_are_refused() {
    for (name, keys) in [("by a stranger", &[9][..]), ("by nobody", &[]), ("by a root key", &[1])] {
        let memory = Memory::with_list(list(5, &[]), keys);
        assert!(memory.refused().await.contains("targets 5 lacks signatures"), "{name}");
    }
    // With the online key.
    let mut memory = honest();
    let targets = memory.put(RoleName::Targets, &signed(list(6, &[]), &[online_key(1)]));
    memory.commit(targets, BTreeMap::new(), 1);
    assert!(memory.refused().await.contains("targets 6 lacks signatures"));
    // With another online key.
    let mut memory = honest();
    let targets = memory.put(RoleName::Targets, &signed(list(6, &[]), &[key(3)]));
    memory.commit(targets, BTreeMap::new(), 2);
    assert!(memory.refused().await.contains("timestamp 8 lacks signatures"));
}

#[tokio::test]
async fn changed_swapped_and_missing_files_are_refused() {
    for (name, from, to, told) in [
        ("5.targets.json", "1.0.0", "1.0.1", "not the file that was signed"),
        ("7.snapshot.json", "\"version\":5", "\"version\":6", "not the file that was signed"),
        ("timestamp.json", "\"version\":8", "\"version\":9", "timestamp 9 lacks signatures"),
    ] {
        let mut memory = honest();
        memory.swap(name, from, to);
        assert!(memory.refused().await.contains(told), "{name}");
        memory.0.insert(name.to_owned(), b"{".to_vec());
        assert!(memory.refused().await.contains(name), "{name}");
        memory.0.remove(name);
        match name {
            "timestamp.json" => assert!(memory.view().await.unwrap().lists.is_none()),
            _ => assert!(memory.refused().await.contains("is missing"), "{name}"),
        }
    }
}

#[tokio::test]
async fn channels_are_verified_with_their_own_keys() {
    let beta: ChannelName = "beta".parse().unwrap();
    let delegations = Delegations::new(vec![(beta.clone(), NewSigners::new(vec![public(4)], 1))]).unwrap();
    for (signer, is_accepted) in [(4, true), (3, false)] {
        let mut memory = Memory::default();
        memory.put_root(root(1), &[1]);
        let role = RoleName::Channel(beta.clone());
        let channel = memory.put(role.clone(), &signed(list(4, &[file("1.0.0", "beta", 1)]), &[key(signer)]));
        let targets = signed(list_with(head(5, 365), &[], Some(delegations.clone())), &[key(3)]);
        let targets = memory.put(RoleName::Targets, &targets);
        memory.commit(targets, [(beta.clone(), channel)].into(), 1);
        if is_accepted {
            let view = memory.view().await.unwrap();
            assert_eq!(view.list(&role).unwrap().targets().len(), 1);
            assert!(view.signers(&role).unwrap().key(public(4).id()).is_some());
        } else {
            assert!(memory.refused().await.contains("channel-beta 4 lacks signatures"));
        }
    }
}

#[tokio::test]
async fn a_pinned_root_that_nobody_signed_is_refused() {
    let error = view(&honest(), &Signed::unsigned(root(1))).await.unwrap_err();
    assert!(error.to_string().contains("root 1 lacks signatures"), "{error}");
}
