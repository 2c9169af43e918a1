//! Deletes a group.

use maud::html;
use spindrift_api::MessageBody;
use spindrift_web::{Request, Response};

use super::pages::page;
use super::requested_group::RequestedGroup;
use crate::{Address, Confirm, Context, MenuEntry, Notice, Problem, Result, respond};

/// `GET /console/apps/{app}/groups/{id}/delete`.
pub(super) async fn ask(context: &Context<'_>, request: &Request) -> Result<Response> {
    question(context, &RequestedGroup::of(context, request).await?, None)
}

/// `POST /console/apps/{app}/groups/{id}/delete`.
pub(super) async fn delete(context: &Context<'_>, request: Request) -> Result<Response> {
    let found = RequestedGroup::of(context, &request).await?;
    let _ = context.form(request).await?;
    let call = Address::call("/device-groups").with("id", &found.group.id);
    match context.service.delete::<MessageBody>(&call).await {
        Ok(_) => Ok(respond::see_other(&Notice::Deleted.add_to(page(&found.group.app)))),
        Err(error) => question(context, &found, Some(error.about_form()?)),
    }
}

/// The page that asks. `problem`: why the service refused the deletion.
fn question(context: &Context<'_>, found: &RequestedGroup, problem: Option<Problem>) -> Result<Response> {
    found.require_edit(problem.as_ref())?;
    let confirm = Confirm {
        title: "Delete this group?",
        consequences: html! {
            p { "The group " strong { (found.group.name) } " is deleted, with its key and its list of \
                devices." }
            p { "It can be deleted only while no release lets it in." }
        },
        button: "Delete the group",
        action: found.page().with_segment("delete"),
        back: found.page(),
    };
    let above = found.parent_pages_of_question();
    let page = context
        .page("Delete a group", &found.me, MenuEntry::Overview)
        .with_parents(&above)
        .with_problem(problem);
    Ok(confirm.show(context, page))
}
