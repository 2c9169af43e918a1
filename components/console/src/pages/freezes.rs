//! Freezes: until one ends, steps of rollouts and scheduled publications wait.

use futures::future::try_join;
use http::Method;
use maud::{Markup, html};
use spindrift_api::{AppEntry, FreezeCreateBody, FreezeEntry, FreezesBody, MessageBody};
use spindrift_core::{Action, MAX_PUBLIC_REASON_CHARS};
use spindrift_web::{Query, Request, Response};

use crate::table::{column, columns, table};
use crate::{
    Address, Catalog, ConsoleError, Context, MenuEntry, Notice, Problem, Result, address, moment, parts,
    respond, rights,
};

/// The fields of the form. Times are in UTC.
#[derive(Debug, Default)]
struct FreezeForm {
    /// Empty: all applications.
    app: String,
    /// Empty: now.
    from: String,
    to: String,
    reason: String,
}

impl FreezeForm {
    fn of(form: &Query) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
        Self { app: text("app"), from: text("from"), to: text("to"), reason: text("reason") }
    }

    fn body(&self) -> FreezeCreateBody {
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        FreezeCreateBody {
            app: given(&self.app),
            from: given(&self.from).map(|from| moment::rfc3339(&from)),
            to: given(&self.to).map(|to| moment::rfc3339(&to)),
            reason: given(&self.reason),
        }
    }
}

fn page() -> Address {
    Address::page(["freezes"])
}

/// `GET /console/freezes`. The query may choose an application of the form.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    with_form(context, &FreezeForm::of(&request.query()?), None).await
}

/// `POST /console/freezes`.
pub(crate) async fn create(context: &Context<'_>, request: Request) -> Result<Response> {
    let filled = FreezeForm::of(&context.form(request).await?);
    let call = Address::call("/freezes");
    let made: Result<FreezeEntry> = context.service.send_json(Method::POST, &call, &filled.body()).await;
    match made {
        Ok(_) => Ok(respond::see_other(&Notice::Frozen.add_to(page()))),
        Err(error) => with_form(context, &filled, Some(error.about_form()?)).await,
    }
}

/// `POST /console/freezes/{id}/end`.
pub(crate) async fn end(context: &Context<'_>, request: Request) -> Result<Response> {
    let id = address::segment(request.path(), 2)?;
    let _ = context.form(request).await?;
    let call = Address::call("/freezes").with_segment(&id);
    let _: MessageBody = context.service.delete(&call).await?;
    Ok(respond::see_other(&Notice::FreezeEnded.add_to(page())))
}

async fn with_form(context: &Context<'_>, filled: &FreezeForm, problem: Option<Problem>) -> Result<Response> {
    let call = Address::call("/freezes");
    let loaded = try_join(Catalog::load(context), context.service.get::<FreezesBody>(&call));
    let (me, (catalog, freezes)) = context.with_me(loaded).await?;
    let actor = rights::actor(&me);
    let may_freeze = |app: &&AppEntry| actor.may(Action::Roll, Some(&app.id));
    let apps: Vec<&AppEntry> = catalog.apps.iter().filter(may_freeze).collect();
    let may_create = me.is_admin || !apps.is_empty();
    if problem.is_some() && !may_create {
        return Err(ConsoleError::of_forbidden_form(problem));
    }
    let token = context.form_token();
    let is_own = |freeze: &FreezeEntry| {
        if freeze.app.is_empty() { me.is_admin } else { apps.iter().any(|app| app.app_name == freeze.app) }
    };
    let content = html! {
        p {
            "Until a freeze ends, the next steps of plans and scheduled publications wait. Stops, and releases \
             that cure a version, never wait."
        }
        @if freezes.freezes.is_empty() { (parts::empty("No freezes.", &html! {})) }
        @else {
            @let head = html! {
                (columns(["Application", "From", "Until", "Why", "By"])) (column("Actions"))
            };
            (table("Freezes", &head, &html! {
                @for freeze in &freezes.freezes { (row(freeze, is_own(freeze).then_some(token.as_str()))) }
            }))
        }
        @if may_create { (form(filled, &apps, me.is_admin, &token)) }
    };
    let page = context.page("Freezes", &me, MenuEntry::Overview).with_problem(problem);
    Ok(page.show_titled(&content))
}

/// `token`: of the form that ends the freeze, for a visitor who may.
fn row(freeze: &FreezeEntry, token: Option<&str>) -> Markup {
    let end = page().with_segment(freeze.id.as_str()).with_segment("end");
    html! {
        tr {
            th scope="row" { @if freeze.app.is_empty() { "all applications" } @else { (freeze.app) } }
            td { (parts::time(&freeze.from)) }
            td { (parts::time(&freeze.to)) }
            td.words { (freeze.reason) }
            td { (freeze.created_by) }
            td { @if let Some(token) = token {
                (parts::form(&end, token, &html! { button.plain type="submit" { "End it now" } }))
            } }
        }
    }
}

fn form(filled: &FreezeForm, apps: &[&AppEntry], is_admin: bool, token: &str) -> Markup {
    let all = is_admin.then_some(("", "all applications"));
    let apps = apps.iter().map(|app| (app.app_name.as_str(), app.app_name.as_str()));
    let fields = html! {
        div.stack {
            (parts::select("app", "Application", &filled.app, all.into_iter().chain(apps)))
            label { "From (UTC; empty: now)" input type="datetime-local" name="from" value=(filled.from); }
            label { "Until (UTC)" input type="datetime-local" name="to" value=(filled.to) required; }
            label { "Why"
                input type="text" name="reason" value=(filled.reason) required maxlength=(MAX_PUBLIC_REASON_CHARS)
                    autocomplete="off";
            }
            div.row { button type="submit" { "Freeze" } }
        }
    };
    html! { section { h2 { "Add a freeze" } (parts::form(&page(), token, &fields)) } }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn empty_fields_are_left_out() {
        let body =
            |form: &str| serde_json::to_value(FreezeForm::of(&Query::parse(form).unwrap()).body()).unwrap();
        assert_eq!(
            body("app=&from=&to=2026-12-24T18:00&reason=+holidays+"),
            json!({ "to": "2026-12-24T18:00:00Z", "reason": "holidays" })
        );
        assert_eq!(
            body("app=notes&from=2026-12-24T08:00&to=&reason="),
            json!({ "app": "notes", "from": "2026-12-24T08:00:00Z" })
        );
    }

    #[test]
    fn a_freeze_is_ended_by_people_who_may() {
        let freeze = json!({
            "id": "f1", "app": "", "from": "2026-12-21T00:00:00Z", "to": "2027-01-04T08:00:00Z",
            "reason": "<b>holidays</b>", "created_by": "ada", "created_at": "2026-12-01T00:00:00Z",
        });
        let freeze: FreezeEntry = serde_json::from_value(freeze).unwrap();
        let shown = row(&freeze, Some("token")).into_string();
        for part in ["all applications", "&lt;b&gt;holidays", "action=\"/console/freezes/f1/end\""] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!row(&freeze, None).into_string().contains("<form"));
    }
}
