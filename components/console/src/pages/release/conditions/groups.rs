//! The groups of devices that a release admits in addition to its rollout.

use maud::{Markup, html};
use spindrift_api::{DeviceGroupEntry, OfferBody};

use super::super::entered_values::{FormPart, FormRefusal, GROUPS};
use super::super::forms::Forms;
use crate::pages::device_groups;
use crate::parts;

/// `all`: the application's groups. `forms`: for visitors who may change them.
pub(super) fn section(
    app: &str,
    offer: &OfferBody,
    all: &[DeviceGroupEntry],
    forms: Option<&Forms<'_>>,
) -> Markup {
    let page = device_groups::page(app);
    html! {
        section #groups {
            h2 { "Groups" }
            @if all.is_empty() {
                (parts::empty("No groups yet.", &html! {
                    (device_groups::PURPOSE)
                    @if forms.is_some() { " " a href=(page) { "Create a group" } "." }
                }))
            } @else {
                p.hint {
                    (device_groups::PURPOSE) " A halt also keeps it from them. "
                    a href=(page) { "All groups of " (app) } "."
                }
                @match forms {
                    None => p { (group_names(&offer.groups)) },
                    Some(forms) => (form(offer, all, forms)),
                }
            }
        }
    }
}

fn group_names(groups: &[String]) -> Markup {
    html! {
        @if groups.is_empty() { "No group is let in." } @else { "Let in: " (groups.join(", ")) "." }
    }
}

fn form(offer: &OfferBody, all: &[DeviceGroupEntry], forms: &Forms<'_>) -> Markup {
    let entered = forms.entered;
    let refusal = entered.refusal(FormPart::Groups);
    let chosen = if refusal.is_some() { &entered.groups } else { &offer.groups };
    let fields = html! {
        input type="hidden" name="part" value=(GROUPS);
        div.stack {
            fieldset.boxes {
                legend { "Let in" }
                @for group in all { (parts::check("groups", &group.name, &group.name, chosen.contains(&group.name))) }
            }
            (parts::reason(entered.reason(FormPart::Groups)))
            div.row { button.plain type="submit" { "Save the groups" } }
        }
    };
    html! {
        @match refusal {
            Some(FormRefusal::Problem(problem)) => (parts::problem(&problem.text)),
            Some(FormRefusal::Changed(problem)) => p.problem role="alert" { (problem.text) ". " (group_names(&offer.groups)) },
            None => {},
        }
        (forms.form("groups", &fields))
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use serde_json::json;

    use super::super::super::entered_values::EnteredValues;
    use super::*;
    use crate::{Address, Problem};

    fn group(name: &str) -> DeviceGroupEntry {
        let group = json!({ "id": name, "app": "notes", "name": name, "devices": 2, "created_at": "t" });
        serde_json::from_value(group).unwrap()
    }

    fn shown(all: &[DeviceGroupEntry], let_in: &[&str], entered: Option<&EnteredValues>) -> String {
        let offer = json!({
            "channel": "", "own": true, "state": "published", "revision": 7, "groups": let_in,
            "rollout": { "state": "fixed", "percent": 0, "seed": "s" },
        });
        let page = Address::page(["apps", "notes", "releases", "1"]);
        let forms =
            entered.map(|entered| Forms { page, revision: 7, channel: None, entered, token: "the token" });
        section("notes", &serde_json::from_value(offer).unwrap(), all, forms.as_ref()).into_string()
    }

    #[test]
    fn boxes_are_checked_for_groups_that_are_let_in() {
        let page = shown(&[group("beta"), group("qa")], &["qa"], Some(&EnteredValues::default()));
        assert!(page.contains("action=\"/console/apps/notes/releases/1/groups\""), "{page}");
        assert!(page.contains("name=\"groups\" value=\"qa\" checked>qa"), "{page}");
        assert!(page.contains("name=\"groups\" value=\"beta\">beta"), "{page}");
        let none = shown(&[], &[], Some(&EnteredValues::default()));
        assert!(none.contains("href=\"/console/apps/notes/groups\">Create a group</a>"), "{none}");
        for (all, let_in, message) in [
            (&[group("qa")][..], &["qa"][..], "<p>Let in: qa.</p>"),
            (&[group("qa")], &[], "<p>No group is let in.</p>"),
            (&[], &[], "No groups yet."),
        ] {
            let page = shown(all, let_in, None);
            assert!(page.contains(message) && !page.contains("<form") && !page.contains("Create"), "{page}");
        }
    }

    #[test]
    fn a_refused_choice_stays() {
        let entered = |refusal| EnteredValues {
            groups: vec!["beta".to_owned()],
            reason: "a reason".to_owned(),
            part: FormPart::Groups,
            refusal: Some(refusal),
            ..EnteredValues::default()
        };
        let problem = |text: &str| Problem::new(StatusCode::CONFLICT, text);
        let all = [group("beta"), group("qa")];
        let page = shown(&all, &["qa"], Some(&entered(FormRefusal::Changed(problem("changed")))));
        for part in
            [">changed. Let in: qa.</p>", "value=\"beta\" checked", "value=\"qa\">", "value=\"a reason\""]
        {
            assert!(page.contains(part), "{part}: {page}");
        }
        let page = shown(&all, &["qa"], Some(&entered(FormRefusal::Problem(problem("unknown group: x")))));
        assert!(page.contains("role=\"alert\">unknown group: x</p>"), "{page}");
    }
}
