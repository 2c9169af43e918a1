//! The values that are kept between requests: parsed records, answers made from them, and keys.
//!
//! The parsed form of a stored value stands beside it in the key-value store, for all threads, until the value
//! changes. Anything else is kept by the thread that made it, until any value changes in the key-value store.
//! Every change of what clients see makes such a change before its call is answered, so the next answer
//! reflects it. Answers also depend on the time, so they are used for at most [`MAX_AGE_MILLIS`].

use std::cell::RefCell;
use std::collections::HashMap;
use std::future::poll_fn;
use std::mem::take;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::task::Poll;

use spindrift_core::Timestamp;
use spindrift_web::{Clock as _, Lifetime};

use crate::NativePlatform;
use crate::key_value::{Entries, Parsed};

/// How long a value of a thread is used, in milliseconds.
const MAX_AGE_MILLIS: i64 = 500;
/// Maximum number of bytes of remembered values on one thread, counted as stored or sent. If a new value
/// would exceed it, all values are dropped.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// How long the devices of a request wait for those of other requests, to be counted in the same write, in
/// milliseconds.
pub(crate) const GATHER_MILLIS: u64 = 250;

/// Which values are kept between requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryScope {
    /// None.
    Nothing,
    /// The values of this platform, which learns of every change.
    Platform,
    /// The values of one instance, by its number.
    Instance(u64),
}

struct RememberedValue {
    at: Timestamp,
    /// The number of changes in the key-value store when it was derived; 0 for an instance.
    changes: u64,
    size: usize,
    any: Parsed,
}

#[derive(Default)]
struct ValueMemory {
    values: HashMap<String, RememberedValue>,
    bytes: usize,
}

thread_local! {
    /// By platform or instance, because tests create many in one process.
    static MEMORIES: RefCell<HashMap<u64, ValueMemory>> = RefCell::default();
}

impl Lifetime for NativePlatform {
    fn is_reused(&self) -> bool {
        self.memory() != MemoryScope::Nothing && !self.is_first()
    }

    fn is_shared(&self) -> bool {
        self.memory() != MemoryScope::Nothing
    }

    async fn gather(&self) -> bool {
        if tokio::runtime::Handle::try_current().is_err() {
            // If the clock is stopped there is nothing to wait for: let others go first, once.
            yield_once().await;
            return false;
        }
        tokio::time::sleep(self.gather_time()).await;
        true
    }

    async fn aside<T: Send + 'static>(&self, work: impl FnOnce(&Self) -> T + Send + 'static) -> T {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return work(self) };
        let ports = self.clone();
        match runtime.spawn_blocking(move || work(&ports)).await {
            Ok(done) => done,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime is shutting down, and this task with it.
                Err(_) => std::future::pending().await,
            },
        }
    }

    fn remembered<T: Send + Sync + 'static>(&self, key: &str) -> Option<Arc<T>> {
        let memory = self.memory_number()?;
        let changes = if self.is_instance() {
            0
        } else {
            let entries = self.lock_entries();
            if let Some(parsed) = entries.parsed(key) {
                return parsed.downcast().ok();
            }
            entries.changes()
        };
        let value = MEMORIES.with_borrow(|memories| {
            let value = memories.get(&memory)?.values.get(key)?;
            let is_young = self.now().as_millis() - value.at.as_millis() < MAX_AGE_MILLIS;
            (is_young && value.changes == changes).then(|| Arc::clone(&value.any))
        });
        value?.downcast().ok()
    }

    fn remember<T: Send + Sync + 'static>(&self, key: &str, size: usize, value: &Arc<T>) {
        let Some(memory) = self.memory_number() else { return };
        let any = Arc::clone(value) as Parsed;
        let changes = if self.is_instance() {
            0
        } else {
            let mut entries = self.lock_entries();
            // The store may have changed since the request began, and the derived value may then be outdated.
            let seen = self.changes_seen().unwrap_or_else(|| entries.changes());
            if entries.keep_parsed(key, seen, &any) {
                return;
            }
            seen
        };
        let value = RememberedValue { at: self.now(), changes, size: key.len() + size, any };
        MEMORIES.with_borrow_mut(|memories| memories.entry(memory).or_default().put(key, value));
    }
}

impl ValueMemory {
    fn remove(&mut self, key: &str) {
        if let Some(old) = self.values.remove(key) {
            self.bytes -= old.size;
        }
    }

    fn put(&mut self, key: &str, value: RememberedValue) {
        self.remove(key);
        if self.bytes + value.size > MAX_BYTES {
            self.values.clear();
            self.bytes = 0;
        }
        self.bytes += value.size;
        self.values.insert(key.to_owned(), value);
    }
}

impl NativePlatform {
    fn memory_number(&self) -> Option<u64> {
        match self.memory() {
            MemoryScope::Nothing => None,
            MemoryScope::Platform => Some(self.number()),
            MemoryScope::Instance(number) => Some(number),
        }
    }

    /// Lets an instance forget a key that it changes.
    pub(crate) fn forget(&self, key: &str) {
        if let MemoryScope::Instance(number) = self.memory() {
            MEMORIES.with_borrow_mut(|memories| {
                memories.entry(number).or_default().remove(key);
            });
        }
    }

    const fn is_instance(&self) -> bool {
        matches!(self.memory(), MemoryScope::Instance(_))
    }

    fn lock_entries(&self) -> MutexGuard<'_, Entries> {
        self.entries().lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Yields once; the task may be run again immediately.
async fn yield_once() {
    let mut is_first = true;
    poll_fn(|context| {
        if take(&mut is_first) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    })
    .await;
}

/// The number of a new platform or instance.
pub(crate) fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use spindrift_core::Timestamp;
    use spindrift_web::{KeyValue as _, Lifetime as _};

    use super::MAX_BYTES;
    use crate::key_value::{MAX_PARSED_BYTES, MAX_VALUE_SIZE};
    use crate::{Grants, NativePlatform};

    fn platform() -> NativePlatform {
        NativePlatform::new("unused").with_time(Timestamp::from_millis(5)).with_memory()
    }

    #[test]
    fn a_value_is_used_until_what_it_was_made_of_changes() {
        let platform = platform();
        platform.set("record", b"1").unwrap();
        platform.set("other", b"1").unwrap();
        platform.remember("record", 1, &Arc::new(1_u8));
        platform.remember("/answer", 1, &Arc::new(2_u8));
        assert_eq!(platform.remembered::<u8>("record").as_deref(), Some(&1));
        assert_eq!(platform.remembered::<u8>("/answer").as_deref(), Some(&2));
        assert_eq!(platform.remembered::<u16>("record"), None, "another type");

        platform.set("other", b"2").unwrap();
        assert!(platform.remembered::<u8>("record").is_some(), "made of another value");
        assert_eq!(platform.remembered::<u8>("/answer"), None, "made of any value");
        platform.clone().delete("record").unwrap();
        assert_eq!(platform.remembered::<u8>("record"), None);
        platform.increment("counter", 1).unwrap();
    }

    #[test]
    fn a_request_remembers_nothing_older_than_a_change_that_came_meanwhile() {
        let platform = platform();
        platform.set("record", b"old").unwrap();
        let request = platform.with_grants(Grants::default().into());
        // Another request changes the record after this one has read it.
        platform.set("record", b"new").unwrap();
        request.remember("record", 1, &Arc::new(1_u8));
        request.remember("/answer", 1, &Arc::new(1_u8));
        let next = platform.with_grants(Grants::default().into());
        assert!(next.remembered::<u8>("record").is_none() && next.remembered::<u8>("/answer").is_none());
        next.remember("record", 1, &Arc::new(2_u8));
        assert_eq!(next.remembered::<u8>("record").as_deref(), Some(&2));
    }

    #[test]
    fn a_value_is_used_for_half_a_second() {
        let platform = platform();
        platform.remember("a", 1, &Arc::new(1_u8));
        platform.advance(Duration::from_millis(499));
        assert!(platform.remembered::<u8>("a").is_some());
        platform.advance(Duration::from_millis(1));
        assert!(platform.remembered::<u8>("a").is_none());
    }

    #[test]
    fn a_parsed_value_is_for_all_threads_and_any_time() {
        let platform = platform();
        platform.set("record", b"1").unwrap();
        platform.remember("record", 1, &Arc::new(1_u8));
        platform.advance(Duration::from_mins(1));
        let other = platform.clone();
        let there = std::thread::spawn(move || other.remembered::<u8>("record"));
        assert_eq!(there.join().unwrap().as_deref(), Some(&1));
    }

    #[test]
    fn parsed_values_are_bounded() {
        let platform = platform();
        let value = vec![0; MAX_VALUE_SIZE - 1];
        let keys: Vec<String> = (0..=MAX_PARSED_BYTES / value.len()).map(|n| format!("record.{n}")).collect();
        for key in &keys {
            platform.set(key, &value).unwrap();
            platform.remember(key, value.len(), &Arc::new(1_u8));
        }
        let parsed = keys.iter().filter(|key| platform.remembered::<u8>(key).is_some()).count();
        assert_eq!(parsed, 1, "the last one took the room of all others");
        // A value that goes gives its room back.
        platform.delete(&keys[keys.len() - 1]).unwrap();
        for key in &keys[..keys.len() - 1] {
            platform.remember(key, value.len(), &Arc::new(1_u8));
        }
        assert!(keys[..keys.len() - 1].iter().all(|key| platform.remembered::<u8>(key).is_some()));
    }

    #[test]
    fn platforms_do_not_share_and_memory_is_bounded() {
        let (one, other) = (platform(), platform());
        one.remember("a", MAX_BYTES / 2, &Arc::new(1_u8));
        assert!(other.remembered::<u8>("a").is_none());
        one.remember("b", MAX_BYTES / 2, &Arc::new(1_u8));
        assert!(one.remembered::<u8>("a").is_none() && one.remembered::<u8>("b").is_some());
        assert!(NativePlatform::new("unused").remembered::<u8>("a").is_none());
    }
}
