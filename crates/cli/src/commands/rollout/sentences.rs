//! Describes the state of a rollout.

use spindrift_api::{GuardActionName, GuardBody, OfferBody, OfferRolloutBody, ReleaseBody, VerdictName};
use spindrift_core::{BasisPoints, Timestamp};

/// Length of an RFC 3339 time up to the minute.
const TO_THE_MINUTE: usize = "2026-11-26T10:00".len();

/// A sentence about how a release is offered now, and what follows.
pub(super) fn sentence(release: &str, offer: &OfferBody) -> String {
    let rollout = &offer.rollout;
    let part = rollout.part();
    let hidden = match (offer.state.as_str(), &offer.publish_at) {
        ("published", _) => String::new(),
        (_, Some(at)) => format!(", and scheduled for {}", time(at)),
        _ => ", and not published".to_owned(),
    };
    match rollout.state.as_str() {
        _ if offer.state == "withdrawn" => format!("{release} is withdrawn: no client is offered it"),
        "halted" => format!("{release} is halted at {part} %{hidden}: no further device gets it"),
        "paused" => format!("{release} is paused at {part} %{hidden}{}", groups_clause(offer)),
        state if !is_published(offer) => {
            let (when, plan) = match &offer.publish_at {
                Some(at) => (format!("from {} on", time(at)), "; its plan begins then"),
                None => ("once it is published".to_owned(), "; its plan waits until then"),
            };
            let plan = if state == "running" { plan } else { "" };
            format!("{release} will be offered {} {when}{plan}", audience(offer))
        }
        _ => format!("{release} is offered {}{}", audience(offer), next_step_clause(rollout)),
    }
}

/// Only the state: `running`, `halted, not published`.
pub(super) fn state(offer: &OfferBody) -> String {
    let hidden = match (offer.state.as_str(), &offer.publish_at) {
        ("published", _) => String::new(),
        ("withdrawn", _) => ", withdrawn".to_owned(),
        (_, Some(at)) => format!(", scheduled for {}", time(at)),
        _ => ", not published".to_owned(),
    };
    format!("{}{hidden}", offer.rollout.state)
}

/// A sentence about how a guard run treats an unhealthy release.
pub(crate) fn guard_sentence(release: &ReleaseBody, offer: &OfferBody) -> String {
    let name = format!("{} {}", release.app, release.version);
    let Some(guard) = &offer.guard else { return format!("no guard run stops {name}") };
    let has_plan = matches!(offer.rollout.state.as_str(), "running" | "paused");
    let does = match guard.on_unhealthy {
        GuardActionName::Halt => "halts it",
        GuardActionName::Pause if has_plan => "pauses its plan",
        GuardActionName::Pause => {
            "pauses its plan\nno plan runs now: without one, only the guard `halt` stops it"
        }
    };
    format!("a guard run that finds {name} unhealthy {does}")
}

/// Only the guard: `pause (alpha 0.01, factor 1.25, min-failing 5)`.
pub(super) fn guard_words(guard: &GuardBody) -> String {
    let GuardBody { on_unhealthy, alpha, factor, min_failing, max_per_1000, max_failing } = guard;
    let limits = [
        ("alpha", alpha.as_ref().map(ToString::to_string)),
        ("factor", factor.as_ref().map(ToString::to_string)),
        ("min-failing", min_failing.map(|devices| devices.to_string())),
        ("max-per-1000", max_per_1000.as_ref().map(ToString::to_string)),
        ("max-failing", max_failing.map(|devices| devices.to_string())),
    ];
    let limits: Vec<String> =
        limits.into_iter().filter_map(|(name, limit)| Some(format!("{name} {}", limit?))).collect();
    format!("{} ({})", step(*on_unhealthy), limits.join(", "))
}

/// The step of a guard in one word.
pub(crate) const fn step(step: GuardActionName) -> &'static str {
    match step {
        GuardActionName::Pause => "pause",
        GuardActionName::Halt => "halt",
    }
}

/// A verdict in one word.
pub(super) const fn verdict(verdict: VerdictName) -> &'static str {
    match verdict {
        VerdictName::Healthy => "healthy",
        VerdictName::Unhealthy => "unhealthy",
        VerdictName::Unknown => "unknown",
    }
}

/// A time in UTC, to the minute. Other text is returned unchanged.
pub(crate) fn time(text: &str) -> String {
    let Some(at) = Timestamp::from_rfc3339(text) else { return text.to_owned() };
    let text: String = at.to_rfc3339().chars().take(TO_THE_MINUTE).collect();
    format!("{} UTC", text.replace('T', " "))
}

pub(super) fn is_published(offer: &OfferBody) -> bool {
    offer.state == "published"
}

/// To whom a release is offered.
fn audience(offer: &OfferBody) -> String {
    match (offer.rollout.part(), groups(offer)) {
        (BasisPoints::ALL, _) => "to all devices".to_owned(),
        (BasisPoints::NONE, None) => "to no device".to_owned(),
        (BasisPoints::NONE, Some(groups)) => format!("only to {groups}"),
        (part, None) => format!("to {part} % of devices"),
        (part, Some(groups)) => format!("to {part} % of devices and to {groups}"),
    }
}

/// The end of the sentence about a paused release: groups get it despite the pause.
fn groups_clause(offer: &OfferBody) -> String {
    let is_wider = is_published(offer) && offer.rollout.part() != BasisPoints::ALL;
    let groups = groups(offer).filter(|_| is_wider);
    groups.map(|groups| format!("; {groups} may have it too")).unwrap_or_default()
}

/// `the groups qa, beta`. `None`: the release has no groups.
fn groups(offer: &OfferBody) -> Option<String> {
    match offer.groups.as_slice() {
        [] => None,
        [only] => Some(format!("the group {only}")),
        several => Some(format!("the groups {}", several.join(", "))),
    }
}

/// The end of the sentence about a running plan. Empty if no step follows.
fn next_step_clause(rollout: &OfferRolloutBody) -> String {
    if let Some(next) = &rollout.next {
        return format!("; next: {} % at {}", next.percent, time(&next.at));
    }
    let following =
        rollout.plan.as_ref().zip(rollout.step).and_then(|(plan, step)| plan.steps().get(step + 1));
    following.map_or_else(String::new, |step| {
        format!("; next: {} % with `spindrift rollout advance`", step.percent)
    })
}
