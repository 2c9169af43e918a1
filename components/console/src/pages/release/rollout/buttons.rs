//! The buttons that change a rollout.

use maud::{Markup, html};
use spindrift_core::{BasisPoints, ReleaseState, RolloutState};

use super::super::entered_values::{EnteredValues, FormPart};
use super::offer_view::OfferView;
use crate::parts;

/// The percentages that have a button.
const STAGES: [u8; 5] = [1, 5, 25, 50, 100];

/// The content of the form with all buttons but Halt. `steps`: those of the plan. Only the button beside the number reads
/// it, so a mistake there cannot block another button.
pub(super) fn all_buttons(offered: &OfferView<'_>, entered: &EnteredValues, steps: &Markup) -> Markup {
    html! {
        (no_button_for_enter())
        @if let Some(buttons) = other_buttons(offered) { div.controls { (buttons) } }
        (steps)
        details #percentage .choice open[!entered.percent.is_empty()] {
            summary { strong { "Change the percentage" } }
            (stages(offered, entered))
            (parts::reason(entered.reason(FormPart::Buttons)))
        }
    }
}

/// Enter presses the first button of a form: this one changes nothing.
pub(super) fn no_button_for_enter() -> Markup {
    html! { button type="submit" disabled hidden {} }
}

fn stages(offered: &OfferView<'_>, entered: &EnteredValues) -> Markup {
    html! {
        fieldset.stages {
            legend { "Offer it to" }
            div.controls {
                @for stage in STAGES { (stage_button(offered, BasisPoints::from_percent(stage))) }
                label.other { "Other percentage"
                    input type="number" name="percent" min="0" max="100" step="0.01" inputmode="decimal"
                        autocomplete="off" value=(entered.percent);
                }
                button.plain type="submit" name="action" value="set" { "Set" }
            }
            @if let Some(hint) = stages_hint(offered) { p.hint { (hint) } }
        }
    }
}

/// Always available, even while another button waits for its answer. `is_urgent`: whether the release fails.
pub(super) fn halt(is_urgent: bool) -> Markup {
    html! {
        button.danger.halt.calm[!is_urgent] type="submit" name="action" value="halt" formnovalidate data-stop { "Halt" }
    }
}

fn other_buttons(offered: &OfferView<'_>) -> Option<Markup> {
    let state = offered.state();
    let resumes = matches!(state, RolloutState::Halted | RolloutState::Paused);
    let pause = pause(offered);
    let next = offered.next().filter(|_| offered.is_going());
    let buttons = || {
        html! {
            @if resumes { (resume(offered)) }
            @if let Some(pause) = &pause { (pause) }
            @if let Some(next) = next { (action("advance", &format!("Begin the next step now: {next} %"))) }
        }
    };
    (resumes || pause.is_some() || next.is_some()).then(buttons)
}

/// The button that pauses a rollout. `None`: there is nothing to pause.
pub(super) fn pause(offered: &OfferView<'_>) -> Option<Markup> {
    let pauses = offered.state() == RolloutState::Running && offered.is_going();
    pauses.then(|| action("pause", "Pause"))
}

/// The button of a release that fails or failed leads to a question first, and is not the one to press.
fn resume(offered: &OfferView<'_>) -> Markup {
    html! {
        button.plain[offered.needs_caution()] type="submit" name="action" value="resume" formnovalidate {
            @if offered.needs_caution() { "Resume…" } @else { "Resume" }
        }
    }
}

fn action(name: &str, text: &str) -> Markup {
    html! { button.plain type="submit" name="action" value=(name) formnovalidate { (text) } }
}

/// 100 % is the action `complete`, which also ends a pause. During a halt it only sets the
/// percentage at which the rollout resumes.
fn stage_button(offered: &OfferView<'_>, stage: BasisPoints) -> Markup {
    let is_present = stage == offered.part() && (offered.plan().is_empty() || offered.part().is_all());
    let is_off = is_present || stage < offered.least();
    let (name, value) = if stage.is_all() && !offered.is_halted() {
        ("action", "complete".to_owned())
    } else {
        ("set", stage.to_string())
    };
    html! {
        button.plain.stage type="submit" name=(name) value=(value) formnovalidate disabled[is_off]
            aria-current=[is_present.then_some("true")] { (stage) " %" }
    }
}

fn stages_hint(offered: &OfferView<'_>) -> Option<&'static str> {
    if offered.is_halted() {
        Some("It stays halted: this is the percentage from which Resume goes on.")
    } else if offered.visibility() == ReleaseState::Scheduled {
        Some("From the time on when clients see it.")
    } else if offered.is_hidden() {
        Some("Once it is published.")
    } else if !offered.plan().is_empty() && offered.state() != RolloutState::Complete {
        Some("A percentage ends the plan. Halt keeps further devices from the release at any percentage.")
    } else {
        None
    }
}
