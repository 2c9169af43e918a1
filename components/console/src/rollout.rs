//! Describes rollouts, in the same words on every page.

use maud::{Markup, html};
use spindrift_core::{BasisPoints, Plan, PlanStep, RolloutState};

use crate::parts;

/// A plan to choose by its name.
pub(crate) struct PlanPreset {
    pub(crate) name: &'static str,
    pub(crate) plan: &'static str,
}

/// The plans that the console offers, the most careful first.
pub(crate) const PRESETS: [PlanPreset; 2] = [
    PlanPreset { name: "Careful", plan: "1:1d,5:1d,25:1d,100" },
    PlanPreset { name: "Quick", plan: "5:2h,25:6h,100" },
];

impl PlanPreset {
    pub(crate) fn in_words(&self) -> String {
        self.plan.parse().map_or_else(|_| self.plan.to_owned(), |plan| in_words(&plan))
    }
}

/// Parses the state in an answer. A state of a later version counts as one without a plan.
pub(crate) fn state(word: &str) -> RolloutState {
    use RolloutState::{Complete, Fixed, Halted, Paused, Running};
    let all = [Running, Paused, Halted, Complete];
    all.into_iter().find(|state| state.as_str() == word).unwrap_or(Fixed)
}

/// "5 %, plan" or "halted at 28 %", for a line of a list. `word`: the state, as in answers.
pub(crate) fn brief(part: BasisPoints, word: &str) -> String {
    match state(word) {
        RolloutState::Running => format!("{part} %, plan"),
        RolloutState::Paused => format!("{part} %, paused"),
        RolloutState::Halted => format!("halted at {part} %"),
        RolloutState::Fixed | RolloutState::Complete => format!("{part} %"),
    }
}

/// Like [`brief`], as a badge. Empty for a release that everybody may have.
pub(crate) fn badge(part: BasisPoints, word: &str) -> Markup {
    let text = brief(part, word);
    html! {
        @match state(word) {
            RolloutState::Halted => (parts::badge("bad", &text)),
            _ if part.is_all() => {}
            _ => (parts::badge("warn", &format!("rollout {text}"))),
        }
    }
}

/// "about 60 devices": a rounded part of all devices.
pub(crate) fn devices_text(part: BasisPoints, devices: u64) -> String {
    let all = u64::from(BasisPoints::ALL.get());
    let about = devices.saturating_mul(part.get().into()).saturating_add(all / 2) / all;
    format!("about {}", parts::count(about, "device"))
}

/// "1 % for a day", "5 % until somebody advances", "100 %".
pub(crate) fn step(step: PlanStep) -> String {
    match step.lasts {
        Some(lasts) => format!("{} % for {}", step.to, length(&lasts.to_string())),
        None if step.to.is_all() => format!("{} %", step.to),
        None => format!("{} % until somebody advances", step.to),
    }
}

/// "1 % for a day, 5 % for a day, then all".
pub(crate) fn in_words(plan: &Plan) -> String {
    let step = |one: &PlanStep| if one.to.is_all() { "then all".to_owned() } else { step(*one) };
    plan.steps().iter().map(step).collect::<Vec<_>>().join(", ")
}

/// "12 hours", "a day": the length of a step, from the text in a plan.
pub(crate) fn length(text: &str) -> String {
    let units = [('d', "a day", "days"), ('h', "an hour", "hours"), ('m', "a minute", "minutes")];
    let found = units.into_iter().find_map(|(unit, one, many)| Some((text.strip_suffix(unit)?, one, many)));
    match found {
        Some(("1", one, _)) => one.to_owned(),
        Some((number, _, many)) => format!("{number} {many}"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use spindrift_core::Plan;

    use super::*;

    #[test]
    fn steps_are_told_in_words() {
        let plan: Plan = "0.1:30m,1:1d,5:12h,25:1h,50,100".parse().unwrap();
        let message: Vec<_> = plan.steps().iter().map(|one| step(*one)).collect();
        assert_eq!(
            message,
            [
                "0.1 % for 30 minutes",
                "1 % for a day",
                "5 % for 12 hours",
                "25 % for an hour",
                "50 % until somebody advances",
                "100 %"
            ]
        );
        assert_eq!((length("3d"), length("soon")), ("3 days".to_owned(), "soon".to_owned()));
    }

    #[test]
    fn a_rollout_is_brief_and_has_its_decimals() {
        for (basis_points, word, text, shown) in [
            (500, "running", "5 %, plan", "<span class=\"badge warn\">rollout 5 %, plan</span>"),
            (10, "paused", "0.1 %, paused", "<span class=\"badge warn\">rollout 0.1 %, paused</span>"),
            (2800, "halted", "halted at 28 %", "<span class=\"badge bad\">halted at 28 %</span>"),
            (10_000, "halted", "halted at 100 %", "<span class=\"badge bad\">halted at 100 %</span>"),
            (1225, "fixed", "12.25 %", "<span class=\"badge warn\">rollout 12.25 %</span>"),
            (10_000, "complete", "100 %", ""),
            (4000, "of_tomorrow", "40 %", "<span class=\"badge warn\">rollout 40 %</span>"),
        ] {
            let part = BasisPoints::new(basis_points).unwrap();
            assert_eq!(brief(part, word), text);
            assert_eq!(badge(part, word).into_string(), shown);
        }
    }

    #[test]
    fn a_part_means_devices() {
        for (basis_points, devices, text) in [
            (2500, 10, "about 3 devices"),
            (10_000, 1, "about 1 device"),
            (10, 100, "about 0 devices"),
            (50, 12_000, "about 60 devices"),
        ] {
            assert_eq!(devices_text(BasisPoints::new(basis_points).unwrap(), devices), text);
        }
    }
}
