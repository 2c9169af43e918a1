//! The forms that set when clients see a release.

use maud::{Markup, html};
use spindrift_core::ReleaseState;

use super::super::entered_values::{EnteredValues, FormPart, PUBLICATION};
use super::super::forms::Forms;
use super::super::guard::GuardFields;
use super::buttons::no_button_for_enter;
use super::offer_view::OfferView;
use crate::{Address, moment, parts};

/// The form for the current state.
pub(super) fn forms(offered: &OfferView<'_>, forms: &Forms<'_>) -> Markup {
    let why = parts::reason(forms.entered.reason(FormPart::Publication));
    let form = |call: &str, fields: &Markup| {
        let content = html! {
            input type="hidden" name="part" value=(PUBLICATION);
            (no_button_for_enter())
            (fields)
            (why)
        };
        forms.form(call, &content)
    };
    match offered.visibility() {
        ReleaseState::Draft => form("offer", &draft(offered, forms.entered)),
        ReleaseState::Scheduled => form("offer", &scheduled(offered, &forms.entered.publish_at)),
        ReleaseState::Published => unpublish_choice(&form("offer", &unpublish())),
        ReleaseState::Withdrawn => form("restore", &restore()),
    }
}

/// The form that takes a release, or its schedule, back. Empty for drafts and withdrawn releases.
pub(super) fn unpublication(offered: &OfferView<'_>, forms: &Forms<'_>) -> Markup {
    let form = |fields: &Markup| {
        let part = html! { input type="hidden" name="part" value=(PUBLICATION); (fields) };
        forms.form("offer", &part)
    };
    match offered.visibility() {
        ReleaseState::Scheduled => form(&html! { div.controls { (take_back()) } }),
        ReleaseState::Published => unpublish_choice(&form(&unpublish())),
        ReleaseState::Draft | ReleaseState::Withdrawn => html! {},
    }
}

fn unpublish_choice(form: &Markup) -> Markup {
    html! {
        details.choice {
            summary { strong { "Unpublish" } ": make it a draft again, which nobody sees" }
            (form)
        }
    }
}

fn take_back() -> Markup {
    html! {
        button.plain type="submit" name="action" value="draft" formnovalidate data-stop { "Take the schedule back" }
    }
}

/// An existing guard of a draft stays.
fn draft(offered: &OfferView<'_>, entered: &EnteredValues) -> Markup {
    let guard = entered.refusal(FormPart::Publication).map(|_| &entered.guard);
    html! {
        fieldset {
            legend { "Publish it" }
            div.controls {
                (publish_now())
                (time("Publish at (UTC)", &entered.publish_at))
                button.plain type="submit" name="action" value="schedule" { "Publish at this time" }
            }
            @if offered.offer.guard.is_none() { (guard.unwrap_or(&GuardFields::default()).action_field()) }
        }
    }
}

fn scheduled(offered: &OfferView<'_>, entered: &str) -> Markup {
    let present = offered.offer.publish_at.as_deref().map(moment::field).unwrap_or_default();
    html! {
        fieldset {
            legend { "Schedule" }
            div.controls {
                (take_back())
                (publish_now())
                (time("Publish at (UTC)", if entered.is_empty() { present } else { entered }))
                button.plain type="submit" name="action" value="schedule" { "Change the time" }
            }
        }
    }
}

fn publish_now() -> Markup {
    html! { button type="submit" name="action" value="publish" formnovalidate { "Publish now" } }
}

/// Browsers send the time without a zone.
fn time(label: &str, value: &str) -> Markup {
    html! { label.at { (label) input type="datetime-local" name="publish_at" value=(value); } }
}

fn unpublish() -> Markup {
    html! {
        p.hint { "Copies that have it keep it. Clients that run it are not told." }
        div.controls {
            button.plain type="submit" name="action" value="draft" formnovalidate data-stop { "Make it a draft" }
        }
    }
}

fn restore() -> Markup {
    html! {
        div.controls {
            button.plain type="submit" { "Restore" }
            span.hint { "It becomes a draft: nobody sees it until it is published." }
        }
    }
}

/// The link to the page that withdraws the release. Not needed if no client could ever see it.
pub(super) fn withdrawal(offered: &OfferView<'_>, page: &Address) -> Markup {
    let was_seen = !offered.is_hidden() || offered.offer.offered_at.is_some();
    html! {
        @if offered.is_withdrawn() {
            p.withdrawal { a href=(page.clone().with_segment("withdraw")) { "Change the reason" } }
        } @else if was_seen {
            p.withdrawal {
                a.button.danger href=(page.clone().with_segment("withdraw")) { "Withdraw it…" }
            }
        }
    }
}
