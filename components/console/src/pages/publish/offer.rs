//! The part of the form that says when clients see the release, and who gets it first.

use maud::{Markup, html};
use spindrift_core::MAX_PATCHES_OF_FILE;

use crate::pages::release;
use crate::{parts, rollout};

/// The pace of a release for everybody.
const EVERYBODY: &str = "100";

/// The facts about the application that decide what the form suggests.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfferFacts {
    /// Devices of the application that were seen in 30 days.
    pub(super) devices: u64,
    /// Whether it takes failure reports.
    pub(super) reports: bool,
}

impl OfferFacts {
    /// The pace that is chosen at first. Where devices would notice a bad release, it is careful.
    fn pace(self) -> &'static str {
        if self.devices > 0 { rollout::PRESETS[0].plan } else { EVERYBODY }
    }

    /// The action of the guard that is chosen at first: without reports, a guard learns nothing.
    const fn guard(self) -> &'static str {
        if self.reports { "halt" } else { "" }
    }
}

/// When clients see the release.
pub(super) fn begin() -> Markup {
    html! {
        fieldset.choices {
            legend { "When" }
            label.check { input type="radio" name="when" value="now" checked; "Now" }
            label.check { input type="radio" name="when" value="at"; "At a time" }
            label.at.under { span { "Time" span #zone {} } input type="datetime-local" name="publish_at"; }
            label.check {
                input type="radio" name="when" value="draft"; "As a draft, which nobody sees until you publish it"
            }
        }
    }
}

/// The clients that get the release first, and the guard that stops it.
pub(super) fn audience(facts: OfferFacts) -> Markup {
    let chosen = facts.pace();
    html! {
        fieldset.choices {
            legend { "Who gets it" }
            @for preset in &rollout::PRESETS {
                (pace(preset.plan, chosen, &html! { (preset.name) ": " (preset.in_words()) }))
            }
            (pace(EVERYBODY, chosen, &html! { "Everybody at once" }))
            (pace("part", chosen, &html! { "A fixed part, until you change it" }))
            div.slider.under {
                input #rollout type="range" name="rollout" min="0" max="100" value="10" aria-label="Percentage of devices";
                output for="rollout" { "10 %" }
            }
            (pace("own", chosen, &html! { "A plan of your own" }))
            label.under { "Plan" input type="text" name="plan" autocomplete="off" spellcheck="false" placeholder="1:1d,20:12h,100"; }
            (parts::select("on_unhealthy", "If it turns out to be unhealthy", facts.guard(), release::GUARD_ACTIONS))
            @if !facts.reports {
                p.hint { "The application takes no failure reports, so a guard would learn nothing. You can turn them on in the setup." }
            }
        }
    }
}

fn pace(value: &str, chosen: &str, label: &Markup) -> Markup {
    html! {
        label.check { input type="radio" name="pace" value=(value) checked[value == chosen]; span { (label) } }
    }
}

/// Fields that few releases need. `cures`: the versions that the release is a fix for.
pub(super) fn more(cures: &str) -> Markup {
    html! {
        details.choice open[!cures.is_empty()] {
            summary { strong { "More" } ": patches, critical, cures, a signature" }
            div.stack {
                label { "Patches from older releases"
                    input type="number" name="patches" min="0" max=(MAX_PATCHES_OF_FILE) value="0" required;
                }
                p.hint {
                    "Clients of so many versions before this one then download only what has changed, if they \
                     use the library. This browser makes the patches, which takes six times the memory of a file."
                }
                label.check { input type="checkbox" name="critical"; "Critical: clients should not postpone it" }
                label.check { input type="checkbox" name="intermediate"; "Intermediate: clients must not skip it" }
                label { "Cures versions (optional)" input name="cures" value=(cures) placeholder="2.0, 2.0.1"; }
                p.hint { "Copies of these versions are offered the release at once, whoever else gets it." }
                label { "Signature: the content of the .sig file, for Tauri and others whose updater checks one"
                    textarea.short name="signature" rows="3" {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_suggested_only_before_there_are_devices() {
        for (devices, reports, pace, guard) in [
            (0, false, "value=\"100\" checked", "<option value=\"\" selected>"),
            (1, true, "value=\"1:1d,5:1d,25:1d,100\" checked", "<option value=\"halt\" selected>"),
        ] {
            let shown = audience(OfferFacts { devices, reports }).into_string();
            assert!(shown.contains(pace) && shown.matches(" checked").count() == 1, "{shown}");
            assert!(shown.contains(guard), "{shown}");
            assert_eq!(shown.contains("would learn nothing"), !reports);
        }
    }
}
