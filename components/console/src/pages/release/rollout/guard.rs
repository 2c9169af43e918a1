//! The form for the guard.

use maud::{Markup, html};

use super::super::entered_values::{FormPart, FormRefusal, GUARD};
use super::super::forms::Forms;
use super::super::guard::GuardFields;
use super::offer_view::OfferView;
use crate::parts;

/// `takes_reports`: whether the application accepts failure reports.
pub(in super::super) fn section(
    offered: &OfferView<'_>,
    forms: Option<&Forms<'_>>,
    takes_reports: bool,
) -> Markup {
    let present = GuardFields::of(offered.offer.guard.as_ref());
    html! {
        @if !offered.is_withdrawn() {
            section #guard {
                h2 { "Guard" }
                p.hint {
                    "A guard run compares its failures with those of the week before clients saw it. A pause \
                     needs a plan that runs; "
                    "a halt works at any percentage. A guard never lets a release go further."
                    @if !takes_reports {
                        " This application takes no failure reports, so its guard has nothing to go by."
                    }
                }
                @match forms {
                    None => p { "If it turns out to be unhealthy: " (present.summary()) "." },
                    Some(forms) => (form(offered, forms, &present)),
                }
            }
        }
    }
}

fn form(offered: &OfferView<'_>, forms: &Forms<'_>, present: &GuardFields) -> Markup {
    let entered = forms.entered;
    let refusal = entered.refusal(FormPart::Guard);
    let choice = if refusal.is_some() { &entered.guard } else { present };
    let wrong = match refusal {
        Some(FormRefusal::Problem(problem)) => Some(problem.text.as_str()),
        Some(FormRefusal::Changed(_)) | None => None,
    };
    let fields = html! {
        input type="hidden" name="part" value=(GUARD);
        div.stack {
            (choice.action_field())
            (choice.limit_fields(wrong))
            (parts::reason(entered.reason(FormPart::Guard)))
            div.row { button.plain type="submit" { "Save the guard" } }
        }
    };
    html! {
        @match refusal {
            Some(FormRefusal::Problem(problem)) => (parts::problem(&problem.text)),
            Some(FormRefusal::Changed(problem)) => p.problem role="alert" {
                (problem.text) ". Now it is: " (offered.headline())
                ". If it turns out to be unhealthy: " (present.summary()) "."
            },
            None => {},
        }
        (forms.form("offer", &fields))
    }
}
