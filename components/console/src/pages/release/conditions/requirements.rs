//! The OS versions that a release runs on.

use maud::{Markup, html};
use spindrift_api::{PlaceRequiresBody, ReleaseEntry};

use super::super::entered_values::{FormPart, FormRefusal, REQUIREMENTS};
use super::super::forms::Forms;
use super::super::requirements::{REMOVE, ReleaseTargets};
use crate::parts;

/// `required`: the current requirements. `forms`: for visitors who may change them.
pub(super) fn section(
    release: &ReleaseEntry,
    required: &[PlaceRequiresBody],
    forms: Option<&Forms<'_>>,
) -> Markup {
    let places = ReleaseTargets::of(release, required);
    html! {
        section #requirements {
            h2 { "Requirements" }
            p.hint {
                "Clients whose system does not meet them get the newest release that runs on it. So do \
                 clients that do not say the version of their system, unless you let them have it."
                @if release.intermediate {
                    " This release must not be skipped: such clients stay below it."
                }
            }
            @if places.require_nothing() {
                p { "It runs on all versions of its systems." }
            } @else { (places.table(forms.map(Forms::offer_page).as_ref())) }
            @if let Some(forms) = forms { (form(&places, forms)) }
        }
    }
}

/// The form, closed at first. It is open for a place in the address.
fn form(places: &ReleaseTargets<'_>, forms: &Forms<'_>) -> Markup {
    let entered = forms.entered;
    let refusal = entered.refusal(FormPart::Requirements);
    let choice =
        if refusal.is_some() { entered.requirements.clone() } else { entered.requirements.filled(places) };
    let wrong = match refusal {
        Some(FormRefusal::Problem(problem)) => Some(problem.text.as_str()),
        Some(FormRefusal::Changed(_)) | None => None,
    };
    let fields = html! {
        input type="hidden" name="part" value=(REQUIREMENTS);
        div.stack {
            (choice.fields(places, wrong))
            (parts::reason(entered.reason(FormPart::Requirements)))
            div.row {
                button.plain type="submit" { "Save the requirements" }
                @if !places.require_nothing() {
                    button.plain type="submit" name="action" value=(REMOVE) formnovalidate { "Require nothing" }
                }
            }
        }
    };
    html! {
        @match refusal {
            Some(FormRefusal::Problem(problem)) => (parts::problem(&problem.text)),
            Some(FormRefusal::Changed(problem)) => p.problem role="alert" { (problem.text) ". Its present requirements are shown above." },
            None => {},
        }
        details.choice open[entered.part == FormPart::Requirements] {
            summary { strong { "Set requirements" } ": the versions of the system that it runs on" }
            (forms.form("requires", &fields))
        }
    }
}

#[cfg(test)]
mod tests;
