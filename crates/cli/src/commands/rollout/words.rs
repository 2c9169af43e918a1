//! The state of a rollout in words.

use spindrift_api::{OfferBody, OfferRolloutBody};
use spindrift_core::{BasisPoints, Timestamp};

/// Characters of RFC 3339 up to the minute.
const TO_THE_MINUTE: usize = "2026-11-26T10:00".len();

/// A sentence about how a release is offered now, and next.
pub(super) fn sentence(release: &str, offer: &OfferBody) -> String {
    let rollout = &offer.rollout;
    let part = rollout.part();
    let hidden = if is_published(offer) { "" } else { ", and not published" };
    match rollout.state.as_str() {
        "halted" => format!("{release} is halted at {part} %{hidden}: no further device gets it"),
        "paused" => format!("{release} is paused at {part} %{hidden}"),
        state if !is_published(offer) => {
            let plan = if state == "running" { "; its plan waits until then" } else { "" };
            format!("{release} will be offered to {} once it is published{plan}", devices(part))
        }
        _ => format!("{release} is offered to {}{}", devices(part), next(rollout)),
    }
}

/// The state alone: `running`, `halted, not published`.
pub(super) fn state(offer: &OfferBody) -> String {
    let hidden = if is_published(offer) { "" } else { ", not published" };
    format!("{}{hidden}", offer.rollout.state)
}

/// A time to the minute in UTC. Text that is no time stays as it is.
pub(super) fn time(text: &str) -> String {
    Timestamp::from_rfc3339(text).map_or_else(|| text.to_owned(), time_of)
}

pub(super) fn time_of(at: Timestamp) -> String {
    let text: String = at.to_rfc3339().chars().take(TO_THE_MINUTE).collect();
    format!("{} UTC", text.replace('T', " "))
}

pub(super) fn is_published(offer: &OfferBody) -> bool {
    offer.state == "published"
}

fn devices(part: BasisPoints) -> String {
    match part {
        BasisPoints::ALL => "all devices".to_owned(),
        BasisPoints::NONE => "no device".to_owned(),
        part => format!("{part} % of devices"),
    }
}

/// The end of the sentence about a plan that runs; empty if no step follows.
fn next(rollout: &OfferRolloutBody) -> String {
    if let Some(next) = &rollout.next {
        return format!("; next: {} % at {}", next.percent, time(&next.at));
    }
    let following = rollout.plan.as_ref().zip(rollout.step).and_then(|(plan, step)| plan.get(step + 1));
    following.map_or_else(String::new, |step| {
        format!("; next: {} % with `spindrift rollout advance`", step.percent)
    })
}
