//! The steps of a plan, with their times.

use maud::{Markup, html};
use spindrift_api::PlanStepBody;
use spindrift_core::{RolloutState, StepLength, Timestamp};

use super::offer_view::OfferView;
use crate::{parts, rollout};

/// The plan as a line of steps. Omitted for a withdrawn release, which becomes a draft before they
/// matter. `may_edit`: whether the visitor may begin a step.
pub(super) fn line(offered: &OfferView<'_>, may_edit: bool) -> Markup {
    let plan = offered.plan();
    let next = offered.offer.rollout.next.as_ref().and_then(|next| Timestamp::from_rfc3339(&next.at));
    let begins = begin_times(plan, offered.step(), next);
    html! {
        @if !plan.is_empty() && !offered.is_withdrawn() {
            ol.steps aria-label="Plan" {
                @for (place, (step, begins)) in plan.iter().zip(begins).enumerate() {
                    @let (class, word) = stage(offered, place);
                    li class=(class) aria-current=[(class == "now").then_some("step")] {
                        strong { (step.percent) " %" }
                        span.lasts { (length_text(step, place + 1 == plan.len(), may_edit)) }
                        span.stage { (word) @if let Some(begins) = begins { ", " (parts::time(&begins.to_rfc3339())) } }
                    }
                }
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

/// When each step begins, if that is known: the steps after the current one, up to the first that
/// follows a step without a length. `next`: when the step after the current one begins.
fn begin_times(plan: &[PlanStepBody], present: usize, next: Option<Timestamp>) -> Vec<Option<Timestamp>> {
    let mut following = next;
    let mut begin = |place: usize, step: &PlanStepBody| {
        if place <= present {
            return None;
        }
        let begins = following;
        let lasts = step.lasts.as_ref().and_then(|lasts| lasts.parse::<StepLength>().ok());
        following = begins.zip(lasts).map(|(begins, lasts)| begins.plus_seconds(lasts.seconds()));
        begins
    };
    plan.iter().enumerate().map(|(place, step)| begin(place, step)).collect()
}

#[cfg(test)]
mod tests {
    use spindrift_core::Plan;

    use super::*;

    fn steps(plan: &str) -> Vec<PlanStepBody> {
        serde_json::from_value(plan.parse::<Plan>().unwrap().to_json()).unwrap()
    }

    #[test]
    fn times_follow_from_the_next_one_and_the_lengths() {
        let at = Timestamp::from_millis(1_795_225_422_000);
        let (hour, day) = (at.plus_seconds(3600), at.plus_seconds(3600 + 86_400));
        for (plan, present, next, expected) in [
            ("1:1d,5:1h,25:1d,100", 0, Some(at), vec![None, Some(at), Some(hour), Some(day)]),
            ("1:1d,5:1h,25:1d,100", 2, Some(at), vec![None, None, None, Some(at)]),
            // A step without a length ends when somebody advances the plan, so later times are
            // unknown.
            ("1:1d,5,25:1d,100", 0, Some(at), vec![None, Some(at), None, None]),
            ("1:1d,5:1h,100", 0, None, vec![None, None, None]),
            ("1:1d,100", 1, None, vec![None, None]),
        ] {
            assert_eq!(begin_times(&steps(plan), present, next), expected, "{plan} at {present}");
        }
    }
}
