//! Gives callers exclusive access in turn, with a time limit.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A resource that one caller at a time may use.
#[derive(Default)]
pub(super) struct Turns {
    taken: Mutex<bool>,
    free: Condvar,
}

/// Exclusive access until dropped.
pub(super) struct Turn<'a>(&'a Turns);

impl Turns {
    /// Waits for a turn, at most for `limit`. `None`: the time is up.
    pub(super) fn wait(&self, limit: Duration) -> Option<Turn<'_>> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.free.wait_timeout_while(taken, limit, |taken| *taken);
        let (mut taken, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *taken {
            return None;
        }
        *taken = true;
        Some(Turn(self))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.free.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_one_caller_at_a_time() {
        let turns = Turns::default();
        let first = turns.wait(Duration::ZERO);
        assert!(first.is_some() && turns.wait(Duration::ZERO).is_none());
        assert!(turns.wait(Duration::from_millis(1)).is_none());
        drop(first);
        assert!(turns.wait(Duration::ZERO).is_some());
    }

    #[test]
    fn who_waits_goes_on_as_soon_as_it_is_their_turn() {
        let turns = Turns::default();
        let first = turns.wait(Duration::ZERO);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.wait(Duration::from_mins(1)).is_some());
            drop(first);
            assert!(waiting.join().unwrap());
        });
    }
}
