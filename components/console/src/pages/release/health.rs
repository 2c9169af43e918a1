//! A release's health.

use maud::{Markup, html};
use spindrift_api::{AuditItem, ReleaseEntry, ReleaseHealthBody, SeriesBody};
use spindrift_core::RolloutState;
use spindrift_core::audit::{AuditKind, GUARD_REASON};

use crate::pages::history::actor_phrase;
use crate::release_state::{FailureFigures, Stop, decimal};
use crate::{Address, Context, Result, parts};

/// The findings about a release. `Ok(None)`: it is not published, so there are none.
pub(super) async fn load(context: &Context<'_>, release: &ReleaseEntry) -> Result<Option<ReleaseHealthBody>> {
    if !release.published {
        return Ok(None);
    }
    let call = Address::call("/releases").with_segment(release.id.as_str()).with_segment("health");
    let call = call.with("channel", &release.channel);
    context.service.get(&call).await.map(Some)
}

/// The pause or halt of the release, according to its latest changes, newest first.
pub(super) fn stop(items: &[AuditItem], channel: &str, state: RolloutState) -> Option<Stop> {
    let kind = match state {
        RolloutState::Halted => AuditKind::RolloutHalt,
        RolloutState::Paused => AuditKind::RolloutPause,
        RolloutState::Fixed | RolloutState::Running | RolloutState::Complete => return None,
    };
    let is_of = |item: &&AuditItem| {
        item.kind == kind.as_str() && item.channel.as_deref().unwrap_or_default() == channel
    };
    let item = items.iter().find(is_of)?;
    let is_guard = item.reason.as_deref().is_some_and(|reason| reason.starts_with(GUARD_REASON));
    let by = if is_guard { "the guard".to_owned() } else { actor_phrase(&item.actor) };
    Some(Stop { by, at: item.at.clone() })
}

/// The failures of a round, compared with those before. Empty if no device failed.
pub(super) fn figures_list(figures: &FailureFigures<'_>) -> Markup {
    let all = [("crashed or did not start", figures.running), ("failed to update to it", figures.updating)];
    html! {
        @if all.iter().any(|(_, series)| series.k > 0) {
            ul {
                @for (did, series) in all {
                    @if series.k > 0 { li { (sentence(figures.since, did, series)) } }
                }
            }
        }
    }
}

/// If devices are not counted, the service counts one device-day for each failing device: such a
/// rate means nothing.
fn sentence(since: Option<&str>, did: &str, series: &SeriesBody) -> Markup {
    html! {
        (parts::count(series.k, "device")) " " (did)
        @if series.n > series.k { " in " (parts::count(series.n, "device-day")) }
        @if let Some(since) = since { " since " (parts::time(since)) }
        @if let Some(rate) = series.per_1000.filter(|_| series.n > series.k) { ": " (decimal(rate)) " in 1,000" }
        "."
        @if let Some((before, rate)) = series.baseline.as_ref().and_then(|before| Some((before, before.per_1000?))) {
            " Before"
            @if let Some(version) = &before.version { ", with " (version) }
            ": " (decimal(rate)) " in 1,000."
        }
    }
}

#[cfg(test)]
mod tests;
