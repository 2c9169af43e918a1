//! The scene of the actors: the hosts, the known states of the applications, and the tally.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use spindrift_tests::{Account, Answer, Client, Noise, World};

use super::history::History;
use super::line::Line;
use super::oracle::{Window, validate};
use super::question::Question;
use super::tally::Tally;

/// Everything that actors share.
pub(super) struct Scene<'a> {
    pub(super) world: &'a World,
    pub(super) places: Vec<Place>,
    pub(super) apps: Vec<App>,
    pub(super) download_token: String,
    pub(super) report_key: String,
    pub(super) tally: Mutex<Tally>,
    pub(super) seed: u64,
    pub(super) end: Instant,
}

/// A host, or several behind one address.
pub(super) struct Place {
    pub(super) acme: Account,
    /// Devices: without a login, and without waiting for changes to show.
    pub(super) nobody: Client,
    /// For how long an answer may be as it was before a change that another host made.
    pub(super) staleness: Duration,
    /// Whether changes are made there. All other hosts must show them at once, or within their staleness.
    pub(super) takes_changes: bool,
}

/// An application with its past.
pub(super) struct App {
    pub(super) line: &'static Line,
    /// The key of its testers.
    pub(super) group_key: String,
    history: Mutex<History>,
}

impl App {
    pub(super) fn new(line: &'static Line, group_key: String, history: History) -> Self {
        Self { line, group_key, history: Mutex::new(history) }
    }

    pub(super) fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer with one of the statuses that were expected, and when it was made.
pub(super) struct Heard {
    pub(super) answer: Answer,
    pub(super) window: Window,
}

impl Scene<'_> {
    pub(super) fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A source of random numbers for one actor.
    pub(super) fn random(&self, actor: u64) -> Noise {
        let mut random = Noise::new(self.seed.wrapping_mul(1_000).wrapping_add(2 * actor), 0);
        // Seeds that are near each other begin alike.
        for _ in 0..20 {
            random.below(2);
        }
        random
    }

    /// Works at a rate until the end. Late work is not made up for.
    pub(super) fn pace(&self, every: Duration, mut work: impl FnMut()) {
        let mut next = Instant::now();
        while next < self.end {
            thread::sleep(next.saturating_duration_since(Instant::now()));
            work();
            next = (next + every).max(Instant::now());
        }
    }

    /// Makes a call. `None`: it was not answered, or with another status than these, which is a problem.
    pub(super) fn call<E: std::fmt::Display>(
        &self,
        kind: &'static str,
        statuses: &[u16],
        call: impl FnOnce() -> Result<Answer, E>,
    ) -> Option<Heard> {
        let from = Instant::now();
        let answer = call();
        let window = Window { from, until: Instant::now() };
        let took = window.until - from;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                self.tally().problem(format!("{kind}: no answer after {took:?}: {error}"));
                return None;
            }
        };
        self.tally().add(kind, answer.status, took);
        if statuses.contains(&answer.status) {
            return Some(Heard { answer, window });
        }
        let (status, id, body) = (answer.status, answer.header("x-request-id"), answer.text());
        self.tally().problem(format!("{kind}: {status} after {took:?}, request {id}: {body}"));
        None
    }

    /// Compares an answer with the current states.
    pub(super) fn validate(&self, app: &App, question: &Question, heard: &Heard, staleness: Duration) {
        let said = question.said(&heard.answer);
        let window = heard.window.with_staleness(staleness);
        let result = validate(&app.history(), window, question, &said);
        self.tally().compare(question.kind.name(), result);
    }
}
