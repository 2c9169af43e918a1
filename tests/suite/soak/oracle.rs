//! Which answers are right.

use std::time::{Duration, Instant};

use semver::Version;
use serde_json::Value;

use super::history::History;
use super::question::Question;

/// The time in which an answer was made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub(super) from: Instant,
    pub(super) until: Instant,
}

impl Window {
    /// For how much longer before it was asked the answer may hold.
    pub(super) fn with_staleness(self, staleness: Duration) -> Self {
        Self { from: self.from.checked_sub(staleness).unwrap_or(self.from), ..self }
    }
}

/// Compares an answer with the states that were current at some moment of the window. The error says what
/// would have been right.
pub(super) fn validate(
    history: &History,
    window: Window,
    question: &Question,
    said: &Value,
) -> Result<(), String> {
    let states = history.during(window.from, window.until);
    let expected: Vec<Value> = states.iter().flat_map(|state| question.expected(state)).collect();
    if expected.contains(said) {
        return Ok(());
    }
    let expected: Vec<String> = expected.iter().map(Value::to_string).collect();
    let Question { line, kind, client, device, said: says } = question;
    Err(format!(
        "{} of {} {client} {}, {says:?}: {said}, but right would be {}",
        kind.name(),
        line.app,
        device.as_deref().unwrap_or("without a device"),
        expected.join(" or ")
    ))
}

/// Whether a file must be there during the whole window. `offered`: only files of published releases are.
pub(super) fn must_exist(history: &History, window: Window, version: &Version, offered: bool) -> bool {
    let states = history.during(window.from, window.until);
    states.iter().all(|state| state.get(version).is_some_and(|release| release.published || !offered))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::soak::line::LINES;
    use crate::soak::question::Kind;
    use crate::soak::state::{Release, Said, State};

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    fn state(versions: &[&str]) -> State {
        State::new(versions.iter().map(|text| Release::new(version(text))))
    }

    /// `1.1.0` is added from the 10th to the 20th second, and removed from the 30th to the 40th.
    fn history(start: Instant) -> History {
        let mut history = History::new(state(&["1.0.0"]), start);
        history.begin(state(&["1.0.0", "1.1.0"]), start + Duration::from_secs(10));
        history.end(start + Duration::from_secs(20));
        history.begin(state(&["1.0.0"]), start + Duration::from_secs(30));
        history.end(start + Duration::from_secs(40));
        history
    }

    fn window(start: Instant, seconds: u64) -> Window {
        let at = start + Duration::from_secs(seconds);
        Window { from: at, until: at }
    }

    fn check(kind: Kind) -> Question {
        Question { line: &LINES[0], kind, client: version("0.1.0"), device: None, said: Said::default() }
    }

    fn newest(text: &str) -> Value {
        json!({ "versions": [text] })
    }

    #[test]
    fn a_wrong_answer_is_told_with_what_would_be_right() {
        let start = Instant::now();
        let history = history(start);
        let question = check(Kind::Latest);
        let wrong = validate(&history, window(start, 25), &question, &newest("1.0.0"));
        assert_eq!(
            wrong.unwrap_err(),
            "newest build of notes 0.1.0 without a device, Said { group: None, os: None, asks: false }: {\"versions\":[\"1.0.0\"]}, \
             but right would be {\"versions\":[\"1.1.0\"]}"
        );
        assert!(validate(&history, window(start, 45), &question, &newest("1.1.0")).is_err(), "it is gone");
        assert!(validate(&history, window(start, 5), &question, &newest("1.1.0")).is_err(), "too early");
    }

    #[test]
    fn both_are_right_while_a_change_is_under_way() {
        let start = Instant::now();
        let history = history(start);
        for (seconds, right) in [(5, "1.0.0"), (15, "1.0.0"), (15, "1.1.0"), (25, "1.1.0"), (35, "1.0.0")] {
            let result = validate(&history, window(start, seconds), &check(Kind::Latest), &newest(right));
            assert_eq!(result, Ok(()), "{seconds}");
        }
    }

    #[test]
    fn an_answer_may_be_as_old_as_it_is_promised() {
        let start = Instant::now();
        let history = history(start);
        let is_right = |staleness| {
            let window = window(start, 41).with_staleness(Duration::from_millis(staleness));
            validate(&history, window, &check(Kind::Latest), &newest("1.1.0")).is_ok()
        };
        assert_eq!([is_right(0), is_right(900), is_right(1_000)], [false, false, true]);
    }

    #[test]
    fn each_part_of_an_answer_is_compared() {
        let start = Instant::now();
        let history = history(start);
        let question = check(Kind::Check);
        let right = question.expected(&state(&["1.0.0", "1.1.0"])).remove(0);
        assert_eq!(validate(&history, window(start, 25), &question, &right), Ok(()));
        for (name, _) in right.as_object().unwrap() {
            let mut wrong = right.clone();
            wrong[name] = json!("something else");
            assert!(validate(&history, window(start, 25), &question, &wrong).is_err(), "{name}");
        }
    }

    #[test]
    fn a_file_must_exist_until_its_deletion_is_sent() {
        let start = Instant::now();
        let history = history(start);
        let exists = |seconds| must_exist(&history, window(start, seconds), &version("1.1.0"), true);
        assert_eq!([exists(15), exists(25), exists(35), exists(45)], [false, true, false, false]);
    }
}
