//! Values in memory, so that frequent reads need no SQL.
//!
//! Absent keys are cached too. A write removes its key before the caller learns the outcome, and the result
//! of a read that began before any removal is not cached. So a write is visible to every read that begins
//! after it. A full cache is emptied.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum total size of keys and values, in bytes. Enough for the update checks of ten thousand
/// applications.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Added to the size of each entry, for the memory that the maps need.
const ENTRY_BYTES: usize = 128;
/// Interval for checking whether another process has written to the file. No other process should; if one
/// does, its writes may be missed for this long.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Recently read values, by label and key. A write in this process removes its entry before the caller gets
/// the result.
#[derive(Default)]
pub(super) struct Cache(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    labels: HashMap<Arc<str>, HashMap<String, Option<Vec<u8>>>>,
    bytes: usize,
    /// Number of removals. A read that began before a removal may return an outdated value.
    removals: u64,
    looked: Option<Instant>,
    version: i64,
}

/// The result of a lookup in the cache.
pub(super) enum Lookup {
    Value(Option<Vec<u8>>),
    /// Not cached. The caller reads the value and passes it to [`Cache::keep`].
    Unknown(Began),
    /// The caller must check whether another process has written, and call [`Cache::looked`].
    Look,
}

/// The start of a read: the number of removals at that time.
#[derive(Clone, Copy)]
pub(super) struct Began(u64);

impl Cache {
    pub(super) fn get(&self, label: &str, key: &str) -> Lookup {
        let entries = self.lock();
        if entries.looked.is_none_or(|at| at.elapsed() > LOOK_EVERY) {
            return Lookup::Look;
        }
        match entries.labels.get(label).and_then(|keys| keys.get(key)) {
            Some(value) => Lookup::Value(value.clone()),
            None => Lookup::Unknown(Began(entries.removals)),
        }
    }

    /// Caches the value of a read, unless it may be outdated.
    pub(super) fn keep(&self, label: &Arc<str>, key: &str, value: Option<&Vec<u8>>, began: Began) {
        let value = value.cloned();
        let bytes = size(key, value.as_ref());
        let mut entries = self.lock();
        if entries.removals != began.0 || bytes > MAX_BYTES {
            return;
        }
        if entries.bytes + bytes > MAX_BYTES {
            entries.clear();
        }
        let before = entries.labels.entry(label.clone()).or_default().insert(key.to_owned(), value);
        entries.bytes += bytes;
        if let Some(before) = before {
            entries.bytes -= size(key, before.as_ref());
        }
    }

    /// Must be called after each attempt to write `key`, before the caller gets the result.
    pub(super) fn written(&self, label: &str, key: &str) {
        let mut entries = self.lock();
        entries.removals += 1;
        if let Some(value) = entries.labels.get_mut(label).and_then(|keys| keys.remove(key)) {
            entries.bytes -= size(key, value.as_ref());
        }
    }

    /// Like [`Cache::written`], for several keys.
    pub(super) fn all_written(&self) {
        let mut entries = self.lock();
        entries.removals += 1;
        entries.clear();
    }

    /// Records a check for writes. `version` changes if another process has written.
    pub(super) fn looked(&self, version: i64) {
        let mut entries = self.lock();
        if entries.version != version {
            entries.removals += 1;
            entries.clear();
        }
        entries.version = version;
        entries.looked = Some(Instant::now());
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        // The code under this lock does not panic, so the entries are consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn clear(&mut self) {
        self.labels.clear();
        self.bytes = 0;
    }
}

fn size(key: &str, value: Option<&Vec<u8>>) -> usize {
    ENTRY_BYTES + key.len() + value.map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> Cache {
        let cache = Cache::default();
        cache.looked(0);
        cache
    }

    fn began(cache: &Cache) -> Began {
        match cache.get("l", "k") {
            Lookup::Unknown(began) => began,
            _ => panic!("known"),
        }
    }

    #[test]
    fn what_began_to_be_read_before_a_write_is_not_kept() {
        let cache = cache();
        let before = began(&cache);
        cache.written("l", "k");
        cache.keep(&"l".into(), "k", Some(&b"old".to_vec()), before);
        began(&cache);
    }

    #[test]
    fn it_never_holds_more_than_its_limit() {
        let cache = cache();
        for n in 0..40 {
            let read = Began(cache.lock().removals);
            cache.keep(&"l".into(), &format!("k{n}"), Some(&vec![0; 1024 * 1024]), read);
            let entries = cache.lock();
            let held: usize =
                entries.labels.values().flatten().map(|(key, value)| size(key, value.as_ref())).sum();
            assert_eq!(held, entries.bytes);
            assert!(held <= MAX_BYTES);
        }
    }
}
