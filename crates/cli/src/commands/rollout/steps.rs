//! Formats the steps of a plan.

use std::cmp::Ordering;

use spindrift_api::{OfferBody, OfferRolloutBody, PlanStepBody};
use spindrift_core::{StepLength, Timestamp};

use super::sentences::{is_published, time, time_of};

/// The steps of the plan: the percentage, the length, and whether the step is over or current, or
/// when it begins. Empty without a plan.
pub(crate) fn steps(offer: &OfferBody) -> Vec<String> {
    let rollout = &offer.rollout;
    let (Some(plan), Some(present)) = (&rollout.plan, rollout.step) else { return Vec::new() };
    let mut begins = begin_times(rollout, plan.get(present + 1..).unwrap_or_default()).into_iter();
    let last = plan.len().saturating_sub(1);
    let described = plan.iter().enumerate().map(|(place, step)| {
        let when = match place.cmp(&present) {
            Ordering::Less => Some("over".to_owned()),
            Ordering::Equal => Some(present_word(offer)),
            Ordering::Greater => begins.next().map(|at| format!("from {}", time_of(at))),
        };
        let when = when.map(|when| format!(", {when}")).unwrap_or_default();
        format!("{} %{}{when}", step.percent, length(step, place == last))
    });
    described.collect()
}

/// When each later step begins. A step without a length ends only by a command, so the times after
/// it are unknown.
fn begin_times(rollout: &OfferRolloutBody, later: &[PlanStepBody]) -> Vec<Timestamp> {
    let next = rollout.next.as_ref().and_then(|next| Timestamp::from_rfc3339(&next.at));
    let begins = later.iter().scan(next, |begin, step| {
        let at = (*begin)?;
        let lasts = step.lasts.as_deref().and_then(|lasts| lasts.parse::<StepLength>().ok());
        *begin = lasts.map(|lasts| at.plus_seconds(lasts.seconds()));
        Some(at)
    });
    begins.collect()
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
