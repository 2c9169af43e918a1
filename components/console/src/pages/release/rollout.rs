//! A release's rollout: the line with its state, its plan, and the buttons that change it.

mod buttons;
mod guard;
mod offer_view;
mod publish;
mod start;
mod steps;

use maud::{Markup, html};

pub(super) use self::guard::section as guard_section;
pub(super) use self::offer_view::OfferView;
use super::entered_values::{EnteredValues, FormRefusal};
use super::forms::{Forms, channel_field};
use crate::{Address, parts};

/// The bar that stays on the screen: the state in a line, and Halt. `forms`: for visitors who may stop the release.
pub(super) fn state_bar(offered: &OfferView<'_>, forms: Option<&Forms<'_>>) -> Markup {
    let halt = forms.filter(|_| !offered.is_hidden() && !offered.is_halted());
    html! {
        section #state .state-bar.(offered.tone()) data-live aria-label="State" {
            div.state-line {
                p.headline { strong { (offered.headline()) } }
                @if let Some(forms) = halt { (halt_form(offered, forms)) }
            }
            (offered.bar())
        }
    }
}

/// A form with only the button that halts a release. Nothing else on the page can keep it from being sent.
fn halt_form(offered: &OfferView<'_>, forms: &Forms<'_>) -> Markup {
    let content =
        html! { (channel_field(forms.channel.as_deref())) (buttons::halt(offered.tone() == "bad")) };
    parts::form(&forms.page.clone().with_segment("rollout"), forms.token, &content)
}

/// The plan, and the actions that fit the state.
pub(super) fn section(offered: &OfferView<'_>, entered: &EnteredValues, forms: Option<&Forms<'_>>) -> Markup {
    let steps = steps::line(offered, forms.is_some());
    html! {
        section #rollout .(offered.tone()) data-live aria-label="Rollout" {
            @if let Some(refusal) = entered.refusal_of_rollout() { (refusal_text(refusal, offered)) }
            @if offered.is_shut_off { (shut_off(offered.app)) }
            @if let Some(freeze) = offered.freeze() { p.outlook { (freeze) } }
            @if let Some(groups) = offered.admitted_groups() { p.outlook { (groups) } }
            @if offered.holds_back() {
                p.outlook { strong { "Copies with older versions get no update past it, because clients \
                    must not skip this release." } }
            }
            @match forms {
                None => (steps),
                Some(forms) => (actions(offered, forms, &steps)),
            }
        }
    }
}

fn actions(offered: &OfferView<'_>, forms: &Forms<'_>, steps: &Markup) -> Markup {
    let publication = publish::forms(offered, forms);
    html! {
        @if offered.is_hidden() { (publication) }
        @if !offered.is_withdrawn() {
            (forms.form("rollout", &buttons::all_buttons(offered, forms.entered, steps)))
            (start::choice(offered, &forms.offer_page(), forms.entered, |fields| forms.form("rollout", fields)))
        }
        @if !offered.is_hidden() { (publication) }
        (publish::withdrawal(offered, &forms.page))
    }
}

/// The actions besides Halt of visitors who may stop the release, and may not change its rollout otherwise.
pub(super) fn stops(offered: &OfferView<'_>, forms: &Forms<'_>) -> Markup {
    html! {
        section #stops aria-label="Stop" {
            @if let Some(pause) = buttons::pause(offered) {
                (forms.form("rollout", &html! { div.controls { (pause) } }))
            }
            (publish::unpublication(offered, forms))
            (publish::withdrawal(offered, &forms.page))
        }
    }
}

fn refusal_text(refusal: &FormRefusal, offered: &OfferView<'_>) -> Markup {
    match refusal {
        FormRefusal::Problem(problem) => parts::problem(&problem.text),
        FormRefusal::Changed(problem) => html! {
            p.problem role="alert" { (problem.text) ". Now it is: " (offered.headline()) "." }
        },
    }
}

/// The rest of the page shows what would be offered without the shut-off.
fn shut_off(app: &str) -> Markup {
    html! {
        p.problem {
            "Updates are shut off for clients of its channel: they are offered nothing newer than what they have. "
            a href=(Address::page(["apps", app])) { "See for which" } "."
        }
    }
}

#[cfg(test)]
mod tests;
