//! The channels that offer a release, and the forms for promoting it to others.

use maud::{Markup, html};
use spindrift_api::{ChannelEntry, OfferBody, ReleaseBody};
use spindrift_core::ReleaseState;

use super::entered_values::{FormPart, FormRefusal, PROMOTION};
use super::forms::{Forms, channel_field};
use super::requested_release::{CHANNEL, RequestedRelease};
use crate::{parts, release_state, rollout};

/// The field with the channel to promote to. `channel` is the one that is shown.
pub(super) const TO: &str = "to";

/// Links to the release in each of its channels.
pub(super) fn channels(found: &RequestedRelease, release: &ReleaseBody) -> Markup {
    html! {
        @if release.offers.len() > 1 {
            nav.ranges aria-label="Channels of the release" {
                @for offer in &release.offers {
                    @let is_shown = offer.channel == found.release.channel;
                    @let channel = if offer.own { "" } else { &offer.channel };
                    a href=(found.address().with(CHANNEL, channel)) aria-current=[is_shown.then_some("page")] {
                        (offer.channel) ": " (brief(offer))
                    }
                }
            }
        }
    }
}

/// `draft`, or how far the rollout is.
fn brief(offer: &OfferBody) -> String {
    match release_state::parse(&offer.state) {
        Some(ReleaseState::Published) => rollout::brief(offer.rollout.part(), &offer.rollout.state),
        _ => offer.state.clone(),
    }
}

/// The forms that promote the release and end its promotion. Empty if the visitor may not, or no
/// channel is left.
pub(super) fn section(
    found: &RequestedRelease,
    release: &ReleaseBody,
    channels: &[ChannelEntry],
    forms: Option<&Forms<'_>>,
) -> Markup {
    let is_free = |channel: &&ChannelEntry| {
        release.offers.iter().all(|offer| offer.channel != channel.channel_name && !offer.channel.is_empty())
    };
    let free: Vec<&str> =
        channels.iter().filter(is_free).map(|channel| channel.channel_name.as_str()).collect();
    let is_promoted = found.release.channel != found.own_channel;
    html! {
        @if let Some(forms) = forms {
            @if is_promoted || !free.is_empty() {
                section #promotion {
                    h2 { "Channels" }
                    @if let Some(refusal) = forms.entered.refusal(FormPart::Promotion) { (refusal_text(refusal)) }
                    @if is_promoted { (end(found, forms)) }
                    @if !free.is_empty() && release.withdrawn.is_none() { (start(&free, forms)) }
                }
            }
        }
    }
}

fn refusal_text(refusal: &FormRefusal) -> Markup {
    let (FormRefusal::Problem(problem) | FormRefusal::Changed(problem)) = refusal;
    parts::problem(&problem.text)
}

fn start(free: &[&str], forms: &Forms<'_>) -> Markup {
    let content = html! {
        input type="hidden" name="part" value=(PROMOTION);
        (channel_field(forms.channel.as_deref()))
        div.stack {
            p.hint { "The release is offered there too, with a rollout of its own. Nothing is uploaded again." }
            (parts::select(TO, "Channel", "", free.iter().map(|channel| (*channel, *channel))))
            label { "Percentage of devices there"
                input type="number" name="percent" min="0" max="100" step="0.01" inputmode="decimal" autocomplete="off"
                    placeholder="100";
            }
            (parts::reason(forms.entered.reason(FormPart::Promotion)))
            div.row {
                button.plain type="submit" name="action" value="publish" { "Publish it there" }
                button.plain type="submit" name="action" value="draft" { "Make a draft there" }
            }
        }
    };
    let is_open = forms.entered.refusal(FormPart::Promotion).is_some();
    html! {
        details.choice open[is_open] {
            summary { strong { "Promote" } ": offer this build in a further channel" }
            (parts::form(&forms.page.clone().with_segment("promote"), forms.token, &content))
        }
    }
}

fn end(found: &RequestedRelease, forms: &Forms<'_>) -> Markup {
    let content = html! {
        input type="hidden" name="part" value=(PROMOTION);
        input type="hidden" name=(CHANNEL) value=(found.release.channel);
        p.hint { "Clients of " (found.release.channel) " are not offered it any more. It stays in " (found.own_channel) "." }
        div.row { button.danger type="submit" { "End the promotion" } }
    };
    html! {
        p { "It was uploaded to " (found.own_channel) " and promoted to " (found.release.channel) "." }
        details.choice {
            summary { strong { "End the promotion" } ": offer it no more in " (found.release.channel) }
            (parts::form(&forms.page.clone().with_segment("demote"), forms.token, &content))
        }
    }
}
