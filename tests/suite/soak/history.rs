//! The states that an application has had, and when.

use std::sync::Arc;
use std::time::Instant;

use super::state::State;

/// All states, the newest last.
#[derive(Debug)]
pub(super) struct History(Vec<Span>);

/// A state, from the moment when its change was sent to the moment when the next change was answered.
#[derive(Debug)]
struct Span {
    state: Arc<State>,
    begun: Instant,
    /// `None`: it may still be current.
    over: Option<Instant>,
}

impl History {
    pub(super) fn new(state: State, now: Instant) -> Self {
        Self(vec![Span { state: Arc::new(state), begun: now, over: None }])
    }

    /// A change to this state is sent. Until it is answered, the state is current, or the one before it.
    pub(super) fn begin(&mut self, state: State, now: Instant) {
        self.0.push(Span { state: Arc::new(state), begun: now, over: None });
    }

    /// The last change was answered with success.
    pub(super) fn end(&mut self, now: Instant) {
        let before = self.0.split_last_mut().map(|(_, before)| before).into_iter().flatten();
        for span in before.filter(|span| span.over.is_none()) {
            span.over = Some(now);
        }
    }

    /// The states that were current at some moment between two, the newest first.
    pub(super) fn during(&self, from: Instant, until: Instant) -> Vec<Arc<State>> {
        let spans = self.0.iter().rev();
        let recent = spans.take_while(|span| span.over.is_none_or(|over| over >= from));
        recent.filter(|span| span.begun <= until).map(|span| Arc::clone(&span.state)).collect()
    }

    /// The state whose change was sent last.
    pub(super) fn last(&self) -> Arc<State> {
        let last = self.0.last().map(|span| Arc::clone(&span.state));
        last.unwrap_or_else(|| Arc::new(State::new([])))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::soak::state::Release;

    fn state(version: &str) -> State {
        State::new([Release::new(version.parse().unwrap())])
    }

    fn versions(history: &History, from: Instant, until: Instant) -> Vec<String> {
        let states = history.during(from, until);
        states.iter().flat_map(|state| state.releases().map(|r| r.version.to_string())).collect()
    }

    #[test]
    fn a_change_under_way_is_both_before_and_after() {
        let at = |seconds| Instant::now().checked_add(Duration::from_secs(seconds)).unwrap();
        let moments: Vec<Instant> = (0..10).map(at).collect();
        let mut history = History::new(state("1.0.0"), moments[0]);
        history.begin(state("2.0.0"), moments[2]);
        assert_eq!(versions(&history, moments[1], moments[1]), ["1.0.0"]);
        assert_eq!(versions(&history, moments[3], moments[3]), ["2.0.0", "1.0.0"]);
        history.end(moments[4]);
        history.begin(state("3.0.0"), moments[6]);
        history.end(moments[8]);

        assert_eq!(versions(&history, moments[3], moments[3]), ["2.0.0", "1.0.0"]);
        assert_eq!(versions(&history, moments[5], moments[5]), ["2.0.0"]);
        assert_eq!(versions(&history, moments[1], moments[9]), ["3.0.0", "2.0.0", "1.0.0"]);
        assert_eq!(versions(&history, moments[9], moments[9]), ["3.0.0"]);
        assert_eq!(history.last().releases().next().unwrap().version.to_string(), "3.0.0");
    }
}
