//! The limits of a guard.

use maud::{Markup, html};

/// A limit, with its name in the service.
pub(super) struct GuardLimit {
    pub(super) name: &'static str,
    label: &'static str,
    explanation: &'static str,
    /// The default, or a text that there is none.
    default: &'static str,
    /// The minimum and the maximum.
    range: (&'static str, &'static str),
    step: &'static str,
}

pub(super) const LIMITS: [GuardLimit; 5] = [
    GuardLimit {
        name: "alpha",
        label: "Chance of a false alarm (alpha)",
        explanation: "The chance that a release is stopped although it does not fail more often than is \
            allowed. 0.001 to 0.1.",
        default: "0.01",
        range: ("0.001", "0.1"),
        step: "0.001",
    },
    GuardLimit {
        name: "factor",
        label: "Times as often as before (factor)",
        explanation: "How many times as often as the version before it may fail. 1 to 10.",
        default: "1.25",
        range: ("1", "10"),
        step: "0.001",
    },
    GuardLimit {
        name: "min_failing",
        label: "Minimum of failing devices (min_failing)",
        explanation: "With fewer failing devices, a comparison says nothing. 3 to 1000.",
        default: "5",
        range: ("3", "1000"),
        step: "1",
    },
    GuardLimit {
        name: "max_per_1000",
        label: "Maximum of failing devices per 1000 device-days (max_per_1000)",
        explanation: "For crashes and failed starts, in place of the comparison with the version before. A \
            device-day is a device that was seen on a day. 0.001 to 1000.",
        default: "compare with the version before",
        range: ("0.001", "1000"),
        step: "0.001",
    },
    GuardLimit {
        name: "max_failing",
        label: "Maximum of failing devices (max_failing)",
        explanation: "With more, it is unhealthy whatever else is known. Useful for few devices. 1 to \
            1000000.",
        default: "no such limit",
        range: ("1", "1000000"),
        step: "1",
    },
];

impl GuardLimit {
    /// The field of the limit. `problem`: why the form was refused.
    pub(super) fn field(&self, value: &str, problem: Option<&str>) -> Markup {
        let hint = format!("limit-{}", self.name);
        let (min, max) = self.range;
        let is_wrong =
            problem.is_some_and(|problem| problem.contains(&format!("invalid guard: {}: ", self.name)));
        html! {
            div {
                label { (self.label)
                    input type="number" name=(self.name) value=(value) min=(min) max=(max) step=(self.step)
                        placeholder=(self.default) inputmode="decimal" autocomplete="off" aria-describedby=(hint)
                        aria-invalid=[is_wrong.then_some("true")] autofocus[is_wrong];
                }
                span.hint id=(hint) { (self.explanation) }
            }
        }
    }
}
