//! Replaces a group's key.

use http::Method;
use maud::html;
use spindrift_web::{Request, Response};

use super::requested_group::RequestedGroup;
use crate::pages::people;
use crate::{Confirm, Context, MenuEntry, Result};

/// `GET /console/apps/{app}/groups/{id}/key`.
pub(super) async fn ask(context: &Context<'_>, request: &Request) -> Result<Response> {
    let found = RequestedGroup::of(context, request).await?;
    found.require_edit(None)?;
    let confirm = Confirm {
        title: "Replace the key of this group?",
        consequences: html! {
            p {
                "The key of " strong { (found.group.name) } " ends at once: testers who have entered it are \
                    not in the group any more, "
                "until they enter the new one. The list of devices stays."
            }
        },
        button: "Replace the key",
        action: found.page().with_segment("key"),
        back: found.page(),
    };
    let above = found.parent_pages_of_question();
    Ok(confirm
        .show(context, context.page("Replace the key", &found.me, MenuEntry::Overview).with_parents(&above)))
}

/// `POST /console/apps/{app}/groups/{id}/key`: redirects to the page that shows the new key.
pub(super) async fn replace(context: &Context<'_>, request: Request) -> Result<Response> {
    let found = RequestedGroup::of(context, &request).await?;
    let _ = context.form(request).await?;
    let made = context.service.send_json(Method::POST, &found.call("key"), &serde_json::json!({})).await?;
    people::show_group_key(context, &made)
}
