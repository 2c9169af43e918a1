//! Lifts a shut-off.

use maud::html;
use spindrift_api::MessageBody;
use spindrift_web::{Request, Response};

use super::load::load;
use crate::address::segment;
use crate::{Address, Confirm, ConsoleError, Context, MenuEntry, Notice, Result, parts, respond};

/// `GET /console/apps/{app}/shutoffs/{id}/lift`.
pub(super) async fn ask(context: &Context<'_>, request: &Request) -> Result<Response> {
    let (app, id) = (segment(request.path(), 2)?, segment(request.path(), 4)?);
    let (me, shutoffs) = context.with_me(load(context, &app)).await?;
    let shutoff = shutoffs.iter().find(|shutoff| shutoff.id.as_str() == id).ok_or(ConsoleError::NoPage)?;
    let page = Address::page(["apps", &app]);
    let confirm = Confirm {
        title: "Lift this shut-off?",
        consequences: html! {
            p {
                "Updates of " strong { (app) } " are shut off for " (shutoff.clients()) ": " (shutoff.reason)
                " (by " (shutoff.created_by) ", " (parts::time(&shutoff.created_at)) ")"
            }
            p { "From the next check on, these clients are offered all published releases again, as far as \
                 they are rolled out." }
        },
        button: "Lift it",
        action: page.clone().with_segment("shutoffs").with_segment(&id).with_segment("lift"),
        back: page.clone(),
    };
    let above = [("Overview", Address::page([])), (&*app, page)];
    Ok(confirm.show(context, context.page("Lift a shut-off", &me, MenuEntry::Overview).with_parents(&above)))
}

/// `POST /console/apps/{app}/shutoffs/{id}/lift`.
pub(super) async fn lift(context: &Context<'_>, request: Request) -> Result<Response> {
    let (app, id) = (segment(request.path(), 2)?, segment(request.path(), 4)?);
    let _ = context.form(request).await?;
    let _: MessageBody = context.service.delete(&Address::call("/shutoffs").with("id", &id)).await?;
    Ok(respond::see_other(&Notice::Lifted.add_to(Address::page(["apps", &app]))))
}
