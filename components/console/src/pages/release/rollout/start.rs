//! The form that starts a plan.

use maud::{Markup, html};
use spindrift_core::{BasisPoints, Plan};

use super::super::entered_values::{EnteredValues, FormPart, FormRefusal};
use super::offer_view::OfferView;
use crate::{Address, parts, rollout};

/// Maximum length of a plan, in characters: enough for 50 steps with long percentages and lengths.
const MAX_PLAN: u32 = 1000;

/// The form, closed at first. Omitted for a withdrawn release, and if every device may have the
/// release, because a plan cannot start below that. `page`: the release's page.
pub(super) fn choice(
    offered: &OfferView<'_>,
    page: &Address,
    entered: &EnteredValues,
    form: impl FnOnce(&Markup) -> Markup,
) -> Markup {
    let is_useless = offered.least().is_all() && entered.plan.is_none();
    if is_useless || offered.is_withdrawn() {
        return html! {};
    }
    let title = if offered.plan().is_empty() { "Start a plan" } else { "Start another plan" };
    html! {
        details #plan .choice open[entered.plan.is_some()] {
            summary { strong { (title) } ": percentages that follow each other by themselves" }
            (form(&fields(offered, page, entered)))
        }
    }
}

fn fields(offered: &OfferView<'_>, page: &Address, entered: &EnteredValues) -> Markup {
    let is_wrong = matches!(entered.refusal, Some(FormRefusal::Problem(_))) && entered.plan.is_some();
    html! {
        div.stack {
            label { "Plan"
                input type="text" name="plan" value=[entered.plan.as_deref()] required maxlength=(MAX_PLAN)
                    placeholder="0.1:12h,5,20:1d,100" autocomplete="off" spellcheck="false"
                    aria-describedby="plan-form" aria-invalid=[is_wrong.then_some("true")] autofocus[is_wrong];
            }
            p #plan-form .hint {
                "Rising percentages up to 100, with commas. After a colon: how long the step lasts, in \
                 minutes, hours or "
                "days (" code { "30m" } ", " code { "12h" } ", " code { "1d" } "). A step without it waits \
                    until you advance."
            }
            ul.plain.presets {
                @for (name, plan) in presets(offered.least()) {
                    li { a href={ (page.clone().with("plan", &plan)) "#plan" } { (name) } ": " (rollout::in_words(&plan)) }
                }
            }
            @if offered.is_hidden() { p.hint { "The plan waits until the release is published." } }
            @if offered.is_halted() { p.hint { "The release stays halted: the plan begins after Resume." } }
            (parts::reason(entered.reason(FormPart::Plan)))
            div.row { button.plain type="submit" name="action" value="start" { "Start the plan" } }
        }
    }
}

/// The presets, without the steps that the release has passed.
fn presets(least: BasisPoints) -> Vec<(&'static str, Plan)> {
    let ahead = |text: &str| {
        let plan: Plan = text.parse().ok()?;
        let steps: Vec<_> = plan.steps().iter().copied().filter(|step| step.to >= least).collect();
        Plan::new(steps).ok().filter(|plan| plan.steps().len() > 1)
    };
    rollout::PRESETS.into_iter().filter_map(|preset| Some((preset.name, ahead(preset.plan)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_begin_where_the_release_is() {
        let of = |basis_points| {
            let plans = presets(BasisPoints::new(basis_points).unwrap());
            plans.into_iter().map(|(name, plan)| format!("{name} {plan}")).collect::<Vec<_>>()
        };
        assert_eq!(of(0), ["Careful 1:1d,5:1d,25:1d,100", "Quick 5:2h,25:6h,100"]);
        assert_eq!(of(600), ["Careful 25:1d,100", "Quick 25:6h,100"]);
        assert!(of(2600).is_empty());
    }

    #[test]
    fn presets_are_told_in_words() {
        let message: Vec<_> =
            presets(BasisPoints::NONE).iter().map(|(_, plan)| rollout::in_words(plan)).collect();
        assert_eq!(
            message,
            [
                "1 % for a day, 5 % for a day, 25 % for a day, then all",
                "5 % for 2 hours, 25 % for 6 hours, then all"
            ]
        );
    }
}
