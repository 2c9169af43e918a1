//! Switches that make a part of the platform fail.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The text of every failure caused by a switch.
pub(crate) const REASON: &str = "switched off by a test";

/// One switch per part.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) key_value: Switch,
    pub(crate) key_value_calls: Switch,
    pub(crate) atomics: Switch,
    pub(crate) misreported_replaces: Switch,
    pub(crate) sql: Switch,
    pub(crate) http: Switch,
    pub(crate) variables: Switch,
    pub(crate) life: Life,
}

/// A switch that clones share; off at first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Switch(Arc<AtomicBool>);

impl Switch {
    pub(crate) fn set(&self, on: bool) {
        self.0.store(on, Ordering::SeqCst);
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// The life that a simulated kill ends. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Life(Arc<Mutex<LifeState>>);

#[derive(Debug, Default)]
struct LifeState {
    /// How many more writes may happen. `None`: any number.
    writes_left: Option<u64>,
    is_dead: bool,
    /// How often it was revived. Work from an earlier life stays dead.
    number: u64,
}

impl Life {
    /// Lets this many writes happen. The next one, and everything after it, fails.
    pub(crate) fn limit_writes(&self, writes: u64) {
        self.state().writes_left = Some(writes);
    }

    /// Lets any number of writes happen, in a new life if the previous one had ended. Returns whether it had.
    pub(crate) fn begin(&self) -> bool {
        let mut state = self.state();
        let was_dead = state.is_dead;
        *state = LifeState { number: state.number + u64::from(was_dead), ..LifeState::default() };
        was_dead
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.state().is_dead
    }

    /// Whether writes are counted.
    pub(crate) fn is_limited(&self) -> bool {
        self.state().writes_left.is_some()
    }

    pub(crate) fn number(&self) -> u64 {
        self.state().number
    }

    /// Whether something that was started in this life may continue. `writes`: whether it writes.
    pub(crate) fn allows(&self, number: u64, writes: bool) -> bool {
        let mut state = self.state();
        if state.is_dead || state.number != number {
            return false;
        }
        if let Some(writes_left) = state.writes_left.filter(|_| writes) {
            state.is_dead = writes_left == 0;
            state.writes_left = writes_left.checked_sub(1);
        }
        !state.is_dead
    }

    fn state(&self) -> MutexGuard<'_, LifeState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Life;

    #[test]
    fn a_life_ends_at_a_write() {
        let life = Life::default();
        assert!(life.allows(0, true) && life.allows(0, false));
        life.limit_writes(1);
        assert!(life.allows(0, true) && life.allows(0, false) && !life.is_dead());
        assert!(!life.allows(0, true) && life.is_dead());
        assert!(!life.allows(0, false));
        assert!(life.begin());
        assert!(!life.allows(0, false), "begun before");
        assert!(life.allows(1, true) && !life.begin() && life.number() == 1);
    }
}
