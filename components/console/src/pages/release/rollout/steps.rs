//! The steps of a plan, with their times.

use maud::{Markup, html};
use spindrift_api::{OfferRolloutBody, PlanBody, PlanStepBody};
use spindrift_core::RolloutState;

use super::offer_view::OfferView;
use crate::{parts, rollout};

/// The plan as a line of steps. Omitted for a withdrawn release, which becomes a draft before they
/// matter. `may_edit`: whether the visitor may begin a step.
pub(super) fn line(offered: &OfferView<'_>, may_edit: bool) -> Markup {
    let plan = offered.plan();
    let begins = begin_times(&offered.offer.rollout, plan.len(), offered.step());
    html! {
        @if !plan.is_empty() && !offered.is_withdrawn() {
            ol.steps aria-label="Plan" {
                @for (place, (step, begins)) in plan.iter().zip(begins).enumerate() {
                    @let (class, word) = stage(offered, place);
                    li class=(class) aria-current=[(class == "now").then_some("step")] {
                        strong { (step.percent) " %" }
                        span.lasts { (length_text(step, place + 1 == plan.len(), may_edit)) }
                        span.stage { (word) @if let Some(begins) = begins { ", " (parts::time(begins)) } }
                    }
                }
            }
            @if let Some(hours) = offered.offer.rollout.plan.as_ref().and_then(PlanBody::begin) {
                p.hint { "Steps begin only at these times: " (hours) }
            }
        }
    }
}

/// The CSS class and the label of a step.
fn stage(offered: &OfferView<'_>, place: usize) -> (&'static str, &'static str) {
    let present = offered.step();
    if place < present {
        return ("past", "done");
    }
    if place > present {
        return ("next", if place == present + 1 { "next" } else { "later" });
    }
    let word = match offered.state() {
        RolloutState::Halted => "halted",
        _ if offered.is_hidden() => "waits",
        RolloutState::Paused => "paused",
        _ => "now",
    };
    ("now", word)
}

fn length_text(step: &PlanStepBody, is_last: bool, may_edit: bool) -> String {
    match &step.lasts {
        Some(lasts) => format!("for {}", rollout::length(lasts)),
        None if is_last => "everybody".to_owned(),
        None if may_edit => "until you advance".to_owned(),
        None => "until somebody advances".to_owned(),
    }
}

/// When each of the steps of a plan begins, if that is known: the steps after the present one that
/// begin by themselves.
fn begin_times(rollout: &OfferRolloutBody, steps: usize, present: usize) -> Vec<Option<&str>> {
    let passed = std::iter::repeat_n(None, present + 1);
    let ahead = rollout.ahead().map(|step| Some(step.at.as_str()));
    passed.chain(ahead).chain(std::iter::repeat(None)).take(steps).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_those_of_the_steps_that_begin_by_themselves() {
        let step = |at: &&str| json!({ "percent": 5, "at": at });
        for (present, ahead, expected) in [
            (0, &["a", "b", "c"][..], [None, Some("a"), Some("b"), Some("c")]),
            (2, &["a"], [None, None, None, Some("a")]),
            // A step without a length ends when somebody advances the plan, so later times are
            // unknown.
            (0, &["a"], [None, Some("a"), None, None]),
            (0, &[], [None; 4]),
            (3, &[], [None; 4]),
        ] {
            let later: Vec<_> = ahead.iter().skip(1).map(step).collect();
            let mut body = json!({ "state": "running", "percent": 1, "seed": "s", "later": later });
            if let Some(next) = ahead.first() {
                body["next"] = step(next);
            }
            let rollout = serde_json::from_value(body).unwrap();
            assert_eq!(begin_times(&rollout, 4, present), expected, "{ahead:?} at {present}");
        }
    }
}
