//! All groups of an application, and the form for a new one.

use futures::future::try_join;
use http::Method;
use maud::{Markup, html};
use spindrift_api::{DeviceGroupCreateBody, DeviceGroupEntry};
use spindrift_core::MAX_NAME_LENGTH;
use spindrift_web::{Query, Request, Response};

use super::pages::{PURPOSE, page, parent_pages};
use super::requested_group::{load, may_edit};
use crate::address::segment;
use crate::pages::people;
use crate::table::{column, extra, table, value};
use crate::{Address, ConsoleError, Context, MenuEntry, Problem, Result, catalog, parts};

/// The fields of the form.
#[derive(Default)]
struct NewGroupForm {
    name: String,
    reason: String,
}

impl NewGroupForm {
    fn of(form: &Query) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
        Self { name: text("name"), reason: text("reason") }
    }

    fn body(&self, app: &str) -> DeviceGroupCreateBody {
        DeviceGroupCreateBody {
            app: Some(app.to_owned()),
            name: Some(self.name.clone()),
            reason: Some(self.reason.clone()).filter(|reason| !reason.is_empty()),
        }
    }
}

/// `GET /console/apps/{app}/groups`.
pub(super) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    with_form(context, &segment(request.path(), 2)?, &NewGroupForm::default(), None).await
}

/// `POST /console/apps/{app}/groups`: redirects to the page that shows the key.
pub(super) async fn create(context: &Context<'_>, request: Request) -> Result<Response> {
    let app = segment(request.path(), 2)?;
    let filled = NewGroupForm::of(&context.form(request).await?);
    let call = Address::call("/device-groups");
    match context.service.send_json(Method::POST, &call, &filled.body(&app)).await {
        Ok(made) => people::show_group_key(context, &made),
        Err(error) => with_form(context, &app, &filled, Some(error.about_form()?)).await,
    }
}

/// `problem`: why the form was refused.
async fn with_form(
    context: &Context<'_>,
    name: &str,
    filled: &NewGroupForm,
    problem: Option<Problem>,
) -> Result<Response> {
    let loaded = try_join(catalog::app_named(context, name), load(context, name));
    let (me, (app, groups)) = context.with_me(loaded).await?;
    let may_edit = may_edit(&me, &app);
    if problem.is_some() && !may_edit {
        return Err(ConsoleError::of_forbidden_form(problem));
    }
    let content = html! {
        (parts::trail(&parent_pages(name), "Groups"))
        h1 { "Groups" }
        (explanation())
        (list(name, &groups, may_edit))
        @if may_edit { (form(name, filled, problem.as_ref(), &context.form_token())) }
    };
    let page = context.page(format!("{name}: groups"), &me, MenuEntry::Overview).with_problem(problem);
    Ok(page.show(&content))
}

fn explanation() -> Markup {
    html! {
        p.hint {
            (PURPOSE) " Make a group of them here, and let it in on the page of a release. A device is in a \
                       group if its id is in "
            "the list of the group, or if its user enters the key of the group in the application."
        }
    }
}

fn list(app: &str, groups: &[DeviceGroupEntry], may_edit: bool) -> Markup {
    let head = html! {
        (column("Name")) (value("Devices in the list")) (extra("Created")) @if may_edit { (column("Actions")) }
    };
    html! {
        @if groups.is_empty() {
            (parts::empty("No groups yet.", &html! {
                @if may_edit { "Create the first one." }
                @else { "Users who may edit the application can create them." }
            }))
        } @else { (table("Groups", &head, &html! { @for group in groups { (row(app, group, may_edit)) } })) }
    }
}

fn row(app: &str, group: &DeviceGroupEntry, may_edit: bool) -> Markup {
    let own = page(app).with_segment(group.id.as_str());
    html! {
        tr {
            th.words scope="row" { (group.name) }
            td.value { (parts::number(group.devices)) }
            td.extra { (parts::time(&group.created_at)) }
            @if may_edit {
                td { div.links {
                    a href=(own) { "Devices" }
                    a href=(own.clone().with_segment("key")) { "New key" }
                    a href=(own.with_segment("delete")) { "Delete" }
                } }
            }
        }
    }
}

fn form(app: &str, filled: &NewGroupForm, problem: Option<&Problem>, token: &str) -> Markup {
    let is_wrong = problem.is_some();
    let fields = html! {
        div.stack {
            label { "Name"
                input type="text" name="name" value=(filled.name) required maxlength=(MAX_NAME_LENGTH) autocomplete="off"
                    aria-describedby="group-name" aria-invalid=[is_wrong.then_some("true")] autofocus[is_wrong];
            }
            p #group-name .hint { "Letters, digits, dots, hyphens and underscores, such as " code { "qa" } ". It cannot be changed later." }
            (parts::reason(&filled.reason))
            div.row { button type="submit" { "Create" } }
        }
    };
    html! {
        section {
            h2 { "Create a group" }
            p { "After you create it, its key is shown once." }
            @if let Some(problem) = problem { (parts::problem(&problem.text)) }
            (parts::form(&page(app), token, &fields))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn groups(names: &[&str]) -> Vec<DeviceGroupEntry> {
        let group = |name: &&str| {
            let group = json!({ "id": "g1", "app": "a/b", "name": name, "devices": 1234, "created_at": "t" });
            serde_json::from_value(group).unwrap()
        };
        names.iter().map(group).collect()
    }

    #[test]
    fn only_those_who_may_edit_see_actions() {
        let page = list("a/b", &groups(&["<b>"]), true).into_string();
        for part in [
            "&lt;b&gt;</th>",
            "<td class=\"value\">1\u{202f}234</td>",
            "href=\"/console/apps/a%2Fb/groups/g1\">Devices</a>",
            "href=\"/console/apps/a%2Fb/groups/g1/key\">New key</a>",
            "href=\"/console/apps/a%2Fb/groups/g1/delete\">Delete</a>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let page = list("a/b", &groups(&["qa"]), false).into_string();
        assert!(page.contains("qa</th>") && !page.contains("<a ") && !page.contains("Actions"), "{page}");
        assert!(list("a/b", &[], true).into_string().contains("Create the first one."));
        assert!(list("a/b", &[], false).into_string().contains("Users who may edit"));
    }

    #[test]
    fn a_refused_name_stays_in_its_field() {
        let filled = NewGroupForm::of(&Query::parse("name=+a%2Fb+&reason=new").unwrap());
        let body = serde_json::to_value(filled.body("notes")).unwrap();
        assert_eq!(body, json!({ "app": "notes", "name": "a/b", "reason": "new" }));
        let problem = Problem::new(http::StatusCode::BAD_REQUEST, "invalid name parameter");
        let shown = form("notes", &filled, Some(&problem), "token").into_string();
        for part in [
            "role=\"alert\">invalid name",
            "value=\"a/b\"",
            "aria-invalid=\"true\" autofocus",
            "value=\"new\"",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(
            !form("notes", &NewGroupForm::default(), None, "token").into_string().contains("aria-invalid")
        );
    }
}
