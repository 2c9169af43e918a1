//! The key-value store, in memory. Everything in it can be derived again or may be lost, so a restart empties
//! it. It is stricter than other stores, so that a component that runs here runs on all of them.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, MutexGuard, PoisonError};

use spindrift_web::{KeyValue, KeyValueError};

use crate::NativePlatform;
use crate::faults::REASON;
use crate::grants::{KEY_VALUE_STORES, NOT_GRANTED};

/// Longest key, in characters (which are bytes here).
pub const MAX_KEY_LENGTH: usize = 255;

/// Upper limit of value sizes, exclusive, in bytes: 400 KB.
pub const MAX_VALUE_SIZE: usize = 400_000;

/// Maximum number of bytes of the values that are kept parsed as well, counted as stored; parsed, they take
/// about three times as much memory. If another one would exceed it, all parsed forms are dropped.
pub(crate) const MAX_PARSED_BYTES: usize = 32 * 1024 * 1024;

/// A value as it was parsed, for all threads.
pub(crate) type Parsed = Arc<dyn Any + Send + Sync>;

/// Everything stored.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    values: HashMap<String, StoredEntry>,
    /// The number of changes so far. Each value records the number of its last change.
    changes: u64,
    /// Bytes of the values that have a parsed form.
    parsed_bytes: usize,
}

/// Values and counters are separate: `increment` on a value crashes a real host, and it is up to the host how
/// to store a counter.
#[derive(Debug)]
pub(crate) enum StoredEntry {
    Value { bytes: Vec<u8>, change: u64, parsed: Option<Parsed> },
    Counter(i64),
}

impl Entries {
    /// The number of changes so far.
    pub(crate) const fn changes(&self) -> u64 {
        self.changes
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &String> {
        self.values.keys()
    }

    /// Records a change, so that nothing derived from earlier values is used any more.
    pub(crate) const fn note_change(&mut self) {
        self.changes += 1;
    }

    /// The parsed form of the value of `key`.
    pub(crate) fn parsed(&self, key: &str) -> Option<Parsed> {
        match self.values.get(key)? {
            StoredEntry::Value { parsed, .. } => parsed.clone(),
            StoredEntry::Counter(_) => None,
        }
    }

    /// Keeps the parsed form of the value of `key`, unless that was changed after change number `seen`.
    /// Returns whether there is such a value, changed or not.
    pub(crate) fn keep_parsed(&mut self, key: &str, seen: u64, form: &Parsed) -> bool {
        let Some(StoredEntry::Value { bytes, change, .. }) = self.values.get(key) else { return false };
        if *change > seen {
            return true;
        }
        let size = bytes.len();
        if self.parsed_bytes + size > MAX_PARSED_BYTES {
            self.drop_parsed();
        }
        if let Some(StoredEntry::Value { parsed, .. }) = self.values.get_mut(key)
            && parsed.replace(Arc::clone(form)).is_none()
        {
            self.parsed_bytes += size;
        }
        true
    }

    fn drop_parsed(&mut self) {
        for entry in self.values.values_mut() {
            if let StoredEntry::Value { parsed, .. } = entry {
                *parsed = None;
            }
        }
        self.parsed_bytes = 0;
    }

    fn put(&mut self, key: &str, value: &[u8]) {
        self.note_change();
        let entry = StoredEntry::Value { bytes: value.to_vec(), change: self.changes, parsed: None };
        let old = self.values.insert(key.to_owned(), entry);
        self.note_removal(old);
    }

    fn remove(&mut self, key: &str) {
        let old = self.values.remove(key);
        self.note_removal(old);
    }

    fn note_removal(&mut self, old: Option<StoredEntry>) {
        if let Some(StoredEntry::Value { bytes, parsed: Some(_), .. }) = old {
            self.parsed_bytes -= bytes.len();
        }
    }
}

/// Fails for a value used as a counter or a counter used as a value, for an invalid key, and for a value of
/// [`MAX_VALUE_SIZE`] or more.
impl KeyValue for NativePlatform {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        match self.open(key, false)?.values.get(key) {
            None => Ok(None),
            Some(StoredEntry::Value { bytes, .. }) => Ok(Some(bytes.clone())),
            Some(StoredEntry::Counter(_)) => Err(wrong_kind(key)),
        }
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<(), KeyValueError> {
        if value.len() >= MAX_VALUE_SIZE {
            return Err(KeyValueError::Failed(format!("the value of `{key}` has {} bytes", value.len())));
        }
        let mut entries = self.open_for_change(key)?;
        if matches!(entries.values.get(key), Some(StoredEntry::Counter(_))) {
            return Err(wrong_kind(key));
        }
        entries.put(key, value);
        Ok(())
    }

    fn replace(&self, key: &str, expected: &[u8], value: &[u8]) -> Result<bool, KeyValueError> {
        if value.len() >= MAX_VALUE_SIZE {
            return Err(KeyValueError::Failed(format!("the value of `{key}` has {} bytes", value.len())));
        }
        let mut entries = self.open_atomics(key)?;
        match entries.values.get(key) {
            Some(StoredEntry::Value { bytes, .. }) if bytes == expected => {
                entries.put(key, value);
                Ok(!self.faults().misreported_replaces.is_on())
            }
            None | Some(StoredEntry::Value { .. }) => Ok(false),
            Some(StoredEntry::Counter(_)) => Err(wrong_kind(key)),
        }
    }

    fn delete(&self, key: &str) -> Result<(), KeyValueError> {
        self.open_for_change(key)?.remove(key);
        Ok(())
    }

    fn increment(&self, key: &str, delta: i64) -> Result<i64, KeyValueError> {
        let mut entries = self.open_atomics(key)?;
        match entries.values.entry(key.to_owned()).or_insert(StoredEntry::Counter(0)) {
            StoredEntry::Counter(counter) => {
                *counter = counter.wrapping_add(delta);
                Ok(*counter)
            }
            StoredEntry::Value { .. } => Err(wrong_kind(key)),
        }
    }
}

impl NativePlatform {
    /// All values, without counters. Only used by tests.
    pub fn values(&self) -> BTreeMap<String, Vec<u8>> {
        let values = |(key, entry): (&String, &StoredEntry)| match entry {
            StoredEntry::Value { bytes, .. } => Some((key.clone(), bytes.clone())),
            StoredEntry::Counter(_) => None,
        };
        self.lock().values.iter().filter_map(values).collect()
    }

    /// For the operations that only stores with `wasi:keyvalue/atomics` offer.
    fn open_atomics(&self, key: &str) -> Result<MutexGuard<'_, Entries>, KeyValueError> {
        if self.faults().atomics.is_on() {
            return Err(KeyValueError::Failed(REASON.to_owned()));
        }
        self.open(key, true)
    }

    /// Records a change even if there is no such value, or if it cannot be changed now, because anything
    /// derived earlier may be wrong.
    fn open_for_change(&self, key: &str) -> Result<MutexGuard<'_, Entries>, KeyValueError> {
        self.lock().note_change();
        self.open(key, true)
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries().lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, key: &str, writes: bool) -> Result<MutexGuard<'_, Entries>, KeyValueError> {
        if writes {
            self.forget(key);
        }
        if self.faults().key_value_calls.is_on() {
            return Err(KeyValueError::TooMany);
        }
        if self.faults().key_value.is_on() || !self.is_alive(writes) {
            return Err(KeyValueError::Failed(REASON.to_owned()));
        }
        if !self.is_granted(KEY_VALUE_STORES) {
            return Err(KeyValueError::Failed(NOT_GRANTED.to_owned()));
        }
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'-');
        if !(1..=MAX_KEY_LENGTH).contains(&key.len()) || !key.bytes().all(plain) {
            return Err(KeyValueError::Failed(format!("invalid key `{key}`")));
        }
        Ok(self.lock())
    }
}

fn wrong_kind(key: &str) -> KeyValueError {
    KeyValueError::Failed(format!("`{key}` is used both as a value and as a counter"))
}

#[cfg(test)]
mod tests {
    use spindrift_web::KeyValue as _;

    use super::{MAX_KEY_LENGTH, MAX_VALUE_SIZE};
    use crate::NativePlatform;

    #[test]
    fn keeps_values() {
        let store = NativePlatform::new("unused");
        assert_eq!(store.get("a:1").unwrap(), None);
        store.set("a:1", b"x").unwrap();
        store.clone().set("a:1", b"y").unwrap();
        assert_eq!(store.get("a:1").unwrap().as_deref(), Some(&b"y"[..]));
        store.delete("a:1").unwrap();
        store.delete("a:1").unwrap();
        assert_eq!(store.get("a:1").unwrap(), None);
    }

    #[test]
    fn replaces_what_is_as_expected() {
        let store = NativePlatform::new("unused");
        assert!(!store.replace("a", b"", b"x").unwrap());
        store.set("a", b"1").unwrap();
        assert!(store.replace("a", b"1", b"2").unwrap());
        assert!(!store.replace("a", b"1", b"3").unwrap());
        assert_eq!(store.get("a").unwrap().as_deref(), Some(&b"2"[..]));
    }

    #[test]
    fn refuses_what_a_real_store_does() {
        let store = NativePlatform::new("unused");
        for key in ["", "a/b", "a b", "é", &"a".repeat(MAX_KEY_LENGTH + 1)] {
            assert!(store.get(key).is_err(), "{key}");
        }
        store.set(&"a".repeat(MAX_KEY_LENGTH), &vec![0; MAX_VALUE_SIZE - 1]).unwrap();
        assert!(store.set("a", &vec![0; MAX_VALUE_SIZE]).is_err());
    }

    #[test]
    fn values_and_counters_do_not_mix() {
        let store = NativePlatform::new("unused");
        store.set("value", b"1").unwrap();
        assert!(store.increment("value", 1).is_err());
        assert_eq!(store.increment("counter", 2).unwrap(), 2);
        assert!(store.get("counter").is_err() && store.set("counter", b"").is_err());
    }

    #[test]
    fn counts_every_increment() {
        let store = NativePlatform::new("unused");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..250).for_each(|_| drop(store.increment("n", 1))));
            }
        });
        assert_eq!(store.increment("n", 0).unwrap(), 1000);
    }

    #[test]
    fn fails_on_demand() {
        let store = NativePlatform::new("unused");
        store.fail_key_value(true);
        assert!(store.get("a").is_err() && store.increment("a", 1).is_err());
        store.fail_key_value(false);
        store.fail_atomics(true);
        assert!(store.replace("a", b"", b"x").is_err() && store.increment("a", 1).is_err());
        assert_eq!(store.get("a").unwrap(), None);
    }
}
