//! The changed fields of an entry, before and after.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use serde_json::Value;
use spindrift_api::AuditItem;
use spindrift_core::Plan;

use crate::rollout;
use crate::table::columns;

type Texts = BTreeMap<String, String>;

/// A table that opens without a script. Empty for a change without fields.
pub(super) fn of(item: &AuditItem) -> Markup {
    let (before, after) = (texts(&item.before), texts(&item.after));
    let fields: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let changed: Vec<&String> =
        fields.into_iter().filter(|field| before.get(*field) != after.get(*field)).collect();
    let cell = |texts: &Texts, field: &String| match texts.get(field).map(String::as_str) {
        None => html! { "–" },
        Some("") => html! { span.quiet { "empty" } },
        Some(text) => html! { (text) },
    };
    html! {
        @if !changed.is_empty() {
            details.difference {
                summary { "Before and after" }
                table {
                    thead { tr { (columns(["Field", "Before", "After"])) } }
                    tbody {
                        @for field in changed {
                            tr {
                                th scope="row" { (field) }
                                td { (cell(&before, field)) }
                                td { (cell(&after, field)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn texts(fields: &BTreeMap<String, Value>) -> Texts {
    let mut texts = Texts::new();
    for (name, value) in fields {
        add(name, value, &mut texts);
    }
    texts
}

/// Adds the fields of nested objects separately, so that only different fields are shown.
fn add(name: &str, value: &Value, texts: &mut Texts) {
    if let Some(plan) = plan(name, value) {
        texts.insert(name.to_owned(), plan);
        return;
    }
    let text = match value {
        Value::Null => return,
        Value::Object(fields) => {
            for (field, value) in fields {
                add(&format!("{name}.{field}"), value, texts);
            }
            return;
        }
        Value::Bool(is_on) => if *is_on { "yes" } else { "no" }.to_owned(),
        Value::Array(all) => all.iter().map(word).collect::<Vec<_>>().join("\n"),
        other => word(other),
    };
    texts.insert(name.to_owned(), text);
}

/// The steps of a rollout's plan, one on each line.
fn plan(name: &str, value: &Value) -> Option<String> {
    let is_plan = name.rsplit('.').next() == Some("plan");
    let plan = match value.as_str().filter(|_| is_plan) {
        Some(text) => text.parse().ok(),
        None => Plan::from_json(value).ok().filter(|_| is_plan),
    };
    let plan = plan?;
    let steps = plan.steps().iter().map(|step| rollout::step(*step));
    let hours = plan.hours().map(|hours| format!("only {hours}"));
    Some(steps.chain(hours).collect::<Vec<_>>().join("\n"))
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(before: &Value, after: &Value) -> String {
        let item = json!({
            "seq": 1, "at": "t", "actor": { "type": "user" }, "kind": "user.update", "text": "", "hash": "",
            "before": before, "after": after,
        });
        of(&serde_json::from_value(item).unwrap()).into_string()
    }

    #[test]
    fn only_fields_that_differ_are_shown() {
        let before =
            json!({ "permissions": { "apps": { "edit": false, "upload": true } }, "tags": [], "old": 1 });
        let after =
            json!({ "permissions": { "apps": { "edit": true, "upload": true } }, "tags": ["<b>", "c"] });
        let shown = shown(&before, &after);
        for row in [
            "<th scope=\"row\">permissions.apps.edit</th><td>no</td><td>yes</td>",
            "<th scope=\"row\">tags</th><td><span class=\"quiet\">empty</span></td><td>&lt;b&gt;\nc</td>",
            "<th scope=\"row\">old</th><td>1</td><td>–</td>",
        ] {
            assert!(shown.contains(row), "{row}: {shown}");
        }
        assert!(!shown.contains("upload"), "{shown}");
    }

    #[test]
    fn rollouts_are_told_in_words() {
        let before = json!({ "rollout": 0.1, "state": "fixed", "plan": null });
        let plan = json!([{ "percent": 0.5, "for": "12h" }, { "percent": 5 }, { "percent": 100 }]);
        let steps = "0.5 % for 12 hours\n5 % until somebody advances\n100 %";
        for plan in [plan, json!("0.5:12h,5,100")] {
            let after = json!({ "rollout": 0.5, "state": "running", "plan": plan });
            let shown = shown(&before, &after);
            for row in [
                "<th scope=\"row\">rollout</th><td>0.1</td><td>0.5</td>",
                "<th scope=\"row\">state</th><td>fixed</td><td>running</td>",
                &format!("<th scope=\"row\">plan</th><td>–</td><td>{steps}</td>"),
            ] {
                assert!(shown.contains(row), "{row}: {shown}");
            }
        }
        let after = shown(&json!({}), &json!({ "plan": "5:1d,100 @ Mon-Thu 09:00-16:00 +01:00" }));
        assert!(after.contains("5 % for a day\n100 %\nonly Mon-Thu 09:00-16:00 +01:00"), "{after}");
        // A field of that name with another content is shown unchanged.
        let other = shown(&json!({ "plan": "a" }), &json!({ "plan": ["b", "c"] }));
        assert!(other.contains("<th scope=\"row\">plan</th><td>a</td><td>b\nc</td>"), "{other}");
    }

    #[test]
    fn a_change_without_fields_has_no_difference() {
        assert_eq!(shown(&json!({}), &json!({})), "");
        assert_eq!(shown(&json!({ "a": { "b": 1 } }), &json!({ "a": { "b": 1 } })), "");
    }
}
