use std::path::Path;

use super::*;
use crate::limits::Limits;

/// A label of each kind.
fn stores(folder: &Path) -> [KeyValueStore; 2] {
    let limits = Limits::default();
    let file = Arc::new(KeyValueFile::open(&folder.join("kv.db"), limits).unwrap());
    let memory = Arc::new(KeyValueMemory::new(limits.result_bytes));
    [KeyValueStore::in_file("default", file), KeyValueStore::in_memory(memory)]
}

#[test]
fn counts_without_loss_from_several_threads() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..50).for_each(|_| assert!(store.increment("n", 1).is_ok())));
            }
        });
        assert_eq!(store.increment("n", 0).unwrap(), 400);
        assert_eq!(store.get("n").unwrap().unwrap(), 400_i64.to_le_bytes());
    }
}

#[test]
fn counting_on_another_value_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        store.set_many(&[("n", b"abc")]).unwrap();
        assert!(store.increment("n", 1).unwrap_err().contains("not a counter"));
        store.set_many(&[("n", &i64::MAX.to_le_bytes())]).unwrap();
        assert!(store.increment("n", 1).is_err());
        assert_eq!(store.get("n").unwrap().unwrap(), i64::MAX.to_le_bytes());
    }
}

#[test]
fn whatever_writes_ends_what_was_read_before() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let value = |key| store.get(key).unwrap();
        assert_eq!(value("k"), None);
        store.set_many(&[("k", b"1")]).unwrap();
        assert_eq!(value("k").unwrap(), b"1");
        assert!(store.swap("k", Some(b"1"), b"2").unwrap());
        assert_eq!(value("k").unwrap(), b"2");
        store.set_many(&[("k", b"2"), ("k", b"3")]).unwrap();
        assert_eq!(value("k").unwrap(), b"3");
        store.delete_many(&["k"]).unwrap();
        assert_eq!(value("k"), None);
        store.increment("k", 1).unwrap();
        assert_eq!(value("k").unwrap(), 1_i64.to_le_bytes());
    }
}

#[test]
fn one_of_several_swaps_from_absent_wins() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        let winners: usize = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..8_u8)
                .map(|n| {
                    scope.spawn({
                        let store = &store;
                        move || store.swap("k", None, &[n]).unwrap()
                    })
                })
                .collect();
            tries.into_iter().map(|t| usize::from(t.join().unwrap())).sum()
        });
        assert_eq!(winners, 1);
        let now = store.get("k").unwrap().unwrap();
        assert!(!store.swap("k", Some(b"other"), b"x").unwrap());
        assert!(store.swap("k", Some(&now), b"x").unwrap());
    }
}

#[test]
fn keys_are_those_that_exist() {
    let folder = tempfile::tempdir().unwrap();
    for store in stores(folder.path()) {
        store.set_many(&[("a", b"1"), ("b", b"2"), ("c", b"3")]).unwrap();
        store.delete_many(&["a", "b", "never"]).unwrap();
        store.set_many(&[]).unwrap();
        assert_eq!(store.keys().unwrap(), ["c"]);
        assert!(store.exists("c").unwrap() && !store.exists("a").unwrap());
    }
}

#[test]
fn a_value_in_memory_has_a_limit() {
    let store = KeyValueStore::in_memory(Arc::new(KeyValueMemory::new(2)));
    assert!(store.set_many(&[("k", b"123")]).unwrap_err().contains("2 bytes"));
    assert!(store.swap("k", None, b"123").is_err());
    assert_eq!(store.get("k").unwrap(), None);
}
