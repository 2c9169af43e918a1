//! The counts of questions, answers and comparisons.

use std::collections::BTreeMap;
use std::time::Duration;

/// Problems that are printed; more are counted.
const PRINTED: usize = 20;

/// Counts of everything.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) calls: BTreeMap<&'static str, Calls>,
    /// Answers by the kind of comparison.
    pub(super) compared: BTreeMap<&'static str, u64>,
    /// Requests with a device that the service has to count, by application and device.
    pub(super) sightings: BTreeMap<(&'static str, String), u64>,
    problems: Vec<String>,
    more_problems: u64,
}

/// Calls of one kind.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub(super) statuses: BTreeMap<u16, u64>,
    pub(super) total: Duration,
    pub(super) slowest: Duration,
}

impl Calls {
    pub(super) fn count(&self) -> u64 {
        self.statuses.values().sum()
    }
}

impl Tally {
    pub(super) fn add(&mut self, kind: &'static str, status: u16, took: Duration) {
        let calls = self.calls.entry(kind).or_default();
        *calls.statuses.entry(status).or_default() += 1;
        calls.total += took;
        calls.slowest = calls.slowest.max(took);
    }

    pub(super) fn compare(&mut self, kind: &'static str, result: Result<(), String>) {
        *self.compared.entry(kind).or_default() += 1;
        if let Err(problem) = result {
            self.problem(problem);
        }
    }

    pub(super) fn see(&mut self, app: &'static str, device: &str) {
        *self.sightings.entry((app, device.to_owned())).or_default() += 1;
    }

    pub(super) fn problem(&mut self, problem: String) {
        if self.problems.len() < PRINTED {
            self.problems.push(problem);
        } else {
            self.more_problems += 1;
        }
    }

    /// How many answers of a kind had a status.
    pub(super) fn answered(&self, kind: &str, status: u16) -> u64 {
        self.calls.get(kind).and_then(|calls| calls.statuses.get(&status)).copied().unwrap_or_default()
    }

    /// The problems, and how many more there were.
    pub(super) fn problems(&self) -> (&[String], u64) {
        (&self.problems, self.more_problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_answers_are_problems() {
        let mut tally = Tally::default();
        tally.compare("check", Ok(()));
        tally.compare("check", Err("wrong".into()));
        assert_eq!((tally.compared["check"], tally.problems()), (2, (&["wrong".to_owned()][..], 0)));
        (0..PRINTED).for_each(|_| tally.problem("another".into()));
        assert_eq!((tally.problems().0.len(), tally.problems().1), (PRINTED, 1));
    }
}
