//! Formats the steps of a plan.

use std::cmp::Ordering;

use spindrift_api::{OfferBody, PlanBody, PlanStepBody};

use super::sentences::{is_published, time};

/// The steps of the plan: the percentage, the length, and whether the step is over or current, or
/// when it begins, if it begins by itself. Empty without a plan.
pub(crate) fn steps(offer: &OfferBody) -> Vec<String> {
    let rollout = &offer.rollout;
    let (Some(plan), Some(present)) = (&rollout.plan, rollout.step) else { return Vec::new() };
    let plan = plan.steps();
    let mut ahead = rollout.ahead();
    let last = plan.len().saturating_sub(1);
    let described = plan.iter().enumerate().map(|(place, step)| {
        let when = match place.cmp(&present) {
            Ordering::Less => Some("over".to_owned()),
            Ordering::Equal => Some(present_word(offer)),
            Ordering::Greater => ahead.next().map(|next| format!("from {}", time(&next.at))),
        };
        let when = when.map(|when| format!(", {when}")).unwrap_or_default();
        format!("{} %{}{when}", step.percent, length(step, place == last))
    });
    described.collect()
}

/// The hours in which later steps begin. `None`: they begin at any time.
pub(crate) fn hours(offer: &OfferBody) -> Option<String> {
    offer.rollout.plan.as_ref().and_then(PlanBody::begin).map(ToString::to_string)
}

fn present_word(offer: &OfferBody) -> String {
    let word = match (offer.rollout.state.as_str(), &offer.publish_at) {
        ("halted", _) => "halted now",
        ("paused", _) => "paused now",
        _ if is_published(offer) => "now",
        (_, Some(at)) => return format!("from {}", time(at)),
        (_, None) => "once published",
    };
    word.to_owned()
}

fn length(step: &PlanStepBody, is_last: bool) -> String {
    match &step.lasts {
        Some(lasts) => format!(" for {lasts}"),
        None if is_last => String::new(),
        None => " until `rollout advance`".to_owned(),
    }
}
