//! A release's guard, as form fields.

mod limits;

use maud::{Markup, html};
use serde_json::{Map, Value};
use spindrift_api::GuardBody;
use spindrift_core::{Guard, GuardAction};
use spindrift_web::Query;

use self::limits::LIMITS;
use crate::parts;

/// The steps to choose from. Empty: no guard.
pub(crate) const ACTIONS: [(&str, &str); 3] =
    [("", "do nothing"), ("pause", "pause the plan"), ("halt", "halt the rollout")];

/// A guard in form fields. Empty limits mean the defaults.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GuardFields {
    action: String,
    limits: [String; LIMITS.len()],
}

impl GuardFields {
    /// The values of a form.
    pub(super) fn sent(form: &Query) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
        Self { action: text("on_unhealthy"), limits: LIMITS.map(|limit| text(limit.name)) }
    }

    /// The guard of an offer.
    pub(super) fn of(guard: Option<&GuardBody>) -> Self {
        let Some(guard) = guard else { return Self::default() };
        let value = |guard| serde_json::to_value(guard).unwrap_or_default();
        let (own, default) = (value(guard.clone()), value(GuardBody::from(Guard::new(GuardAction::Pause))));
        let limit = |name: &str| own.get(name).filter(|limit| default.get(name) != Some(limit));
        let text = |name: &str| limit(name).map(ToString::to_string).unwrap_or_default();
        let action = own["on_unhealthy"].as_str().unwrap_or_default().to_owned();
        Self { action, limits: LIMITS.map(|limit| text(limit.name)) }
    }

    /// The guard for a call. `None`: removes the guard. The service validates the limits.
    pub(super) fn to_json(&self) -> Option<Value> {
        if self.action.is_empty() {
            return None;
        }
        let number = |text: &str| text.parse().map_or_else(|_| text.into(), Value::Number);
        let limits = LIMITS.iter().zip(&self.limits).filter(|(_, text)| !text.is_empty());
        let limits = limits.map(|(limit, text)| (limit.name.to_owned(), number(text.as_str())));
        let action = ("on_unhealthy".to_owned(), self.action.as_str().into());
        Some(Value::Object(std::iter::once(action).chain(limits).collect::<Map<_, _>>()))
    }

    /// The guard in words.
    pub(super) fn summary(&self) -> &'static str {
        let found = ACTIONS.into_iter().find(|(action, _)| *action == self.action);
        found.map_or(ACTIONS[0].1, |(_, text)| text)
    }

    pub(super) fn action_field(&self) -> Markup {
        parts::select("on_unhealthy", "If it turns out to be unhealthy", &self.action, ACTIONS)
    }

    /// The fields for the limits, closed at first, because open fields stop the page from
    /// reloading. `problem`: why the form was refused; it names the invalid field.
    pub(super) fn limit_fields(&self, problem: Option<&str>) -> Markup {
        html! {
            details.choice open[problem.is_some()] {
                summary { strong { "Limits" } ": when it counts as unhealthy" }
                div.stack {
                    @for (limit, value) in LIMITS.iter().zip(&self.limits) { (limit.field(value, problem)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_show_the_limits_that_are_not_defaults() {
        let guard =
            json!({ "on_unhealthy": "halt", "alpha": 0.01, "factor": 2, "min_failing": 5, "max_failing": 3 });
        let choice = GuardFields::of(Some(&serde_json::from_value(guard).unwrap()));
        assert_eq!(choice.summary(), "halt the rollout");
        let shown = html! { (choice.action_field()) (choice.limit_fields(None)) }.into_string();
        for part in [
            "<option value=\"halt\" selected>",
            "name=\"alpha\" value=\"\" min=\"0.001\"",
            "name=\"factor\" value=\"2\"",
            "name=\"max_failing\" value=\"3\"",
            "placeholder=\"0.01\"",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains(" open") && !shown.contains("aria-invalid"), "{shown}");
        assert_eq!(GuardFields::of(None), GuardFields::default());
    }

    #[test]
    fn a_refusal_marks_its_field() {
        let shown = GuardFields::default()
            .limit_fields(Some("invalid guard: factor: 1 to 10, not 0.9"))
            .into_string();
        assert_eq!(shown.matches("aria-invalid=\"true\" autofocus").count(), 1, "{shown}");
        assert!(shown.contains("<details class=\"choice\" open>"), "{shown}");
    }
}
