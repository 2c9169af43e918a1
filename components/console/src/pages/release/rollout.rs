//! A release's rollout: where it is, what comes next, and the buttons that change it.

mod buttons;
mod guard;
mod offer_view;
mod publish;
mod start;
mod steps;

use maud::{Markup, html};
use spindrift_api::ReleaseBody;

use self::offer_view::OfferView;
use super::devices::Devices;
use super::entered_values::{EnteredValues, FormRefusal};
use super::forms::{Forms, channel_field};
use super::requested_release::RequestedRelease;
use crate::{Address, Result, parts};

pub(super) struct RolloutSection<'s> {
    pub(super) found: &'s RequestedRelease,
    pub(super) release: &'s ReleaseBody,
    pub(super) devices: &'s Devices,
    pub(super) entered: &'s EnteredValues,
    /// `None`: the visitor may not change it.
    pub(super) forms: Option<&'s Forms<'s>>,
}

impl RolloutSection<'_> {
    pub(super) fn show(&self) -> Result<Markup> {
        let offered = OfferView::of(self.release, self.found.offer(self.release)?, self.devices.all);
        let offered = OfferView { is_intermediate: self.found.release.intermediate, ..offered };
        Ok(html! {
            (section(&offered, self.entered, self.forms))
            (guard::section(&offered, self.forms, self.found.app.reports))
        })
    }
}

/// A form with only the button that halts a release. `page`: of the release. `channel`: given if
/// several channels offer it.
pub(super) fn halt(page: &Address, channel: Option<&str>, token: &str) -> Markup {
    let content = html! { (channel_field(channel)) (buttons::halt("Halt", false)) };
    parts::form(&page.clone().with_segment("rollout"), token, &content)
}

fn section(offered: &OfferView<'_>, entered: &EnteredValues, forms: Option<&Forms<'_>>) -> Markup {
    let steps = steps::line(offered, forms.is_some());
    html! {
        section #rollout {
            h2 { "Rollout" }
            @if let Some(refusal) = entered.refusal_of_rollout() { (refusal_text(refusal, offered)) }
            @if offered.is_shut_off { (shut_off(offered.app)) }
            div.cockpit.(offered.class()) {
                p.headline { strong { (offered.headline()) } }
                (offered.bar())
                p.outlook { (offered.outlook()) }
                @if let Some(freeze) = offered.freeze() { p.outlook { (freeze) } }
                @if let Some(groups) = offered.admitted_groups() { p.outlook { (groups) } }
                @if offered.holds_back() {
                    p.outlook { strong { "Copies with older versions get no update past it, because clients \
                        must not skip this release." } }
                }
                @match forms {
                    None => (steps),
                    Some(forms) => {
                        (forms.form("rollout", &buttons::all_buttons(offered, forms.entered, &steps)))
                        (publish::forms(offered, forms))
                        (start::choice(offered, &forms.offer_page(), forms.entered, |fields| forms.form("rollout", fields)))
                        (publish::withdrawal(offered, &forms.page))
                    }
                }
            }
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

/// The rest of the section shows what would be offered without the shut-off.
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
