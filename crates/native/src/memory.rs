//! The memory of an instance of the fast build, for tests.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::future::poll_fn;
use std::mem::take;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use spindrift_core::Timestamp;
use spindrift_web::{Clock as _, Lifetime};

use crate::NativePlatform;

/// How long a value is used.
const MAX_AGE_MILLIS: i64 = 500;

type Values = HashMap<(u64, String), (Timestamp, Rc<dyn Any>)>;

thread_local! {
    /// By platform and key. An instance has one thread, and so does a test of its memory.
    static VALUES: RefCell<Values> = RefCell::default();
}

impl Lifetime for NativePlatform {
    fn is_reused(&self) -> bool {
        self.memory().is_some() && !self.is_first()
    }

    fn is_shared(&self) -> bool {
        self.memory().is_some()
    }

    /// Lets others go first, once.
    async fn gather(&self) -> bool {
        let mut is_first = true;
        poll_fn(|context| {
            if take(&mut is_first) {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(false)
        })
        .await
    }

    fn remembered<T: 'static>(&self, key: &str) -> Option<Rc<T>> {
        let memory = self.memory()?;
        let (at, value) = VALUES.with_borrow(|values| values.get(&(memory, key.to_owned())).cloned())?;
        if self.now().as_millis() - at.as_millis() < MAX_AGE_MILLIS { value.downcast().ok() } else { None }
    }

    fn remember<T: 'static>(&self, key: &str, _size: usize, value: &Rc<T>) {
        if let Some(memory) = self.memory() {
            let value = (self.now(), Rc::clone(value) as Rc<dyn Any>);
            VALUES.with_borrow_mut(|values| values.insert((memory, key.to_owned()), value));
        }
    }
}

/// The number of a new memory.
pub(crate) fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl NativePlatform {
    /// Forgets a key that is about to change.
    pub(crate) fn forget(&self, key: &str) {
        if let Some(memory) = self.memory() {
            VALUES.with_borrow_mut(|values| values.remove(&(memory, key.to_owned())));
        }
    }
}
