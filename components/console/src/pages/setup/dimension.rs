//! The pages of channels, platforms and architectures.

use http::StatusCode;
use maud::{Markup, html};
use spindrift_core::Action;
use spindrift_service::Ports;
use spindrift_web::{Request, Response};

use super::cut_off::{FORCE, Insist};
use super::dimension_form::{fields, read};
use super::kind::{Item, Kind};
use super::overview::article;
use crate::address::{self, Address};
use crate::catalog::Catalog;
use crate::confirm::Confirm;
use crate::context::Context;
use crate::error::ConsoleError;
use crate::fields::Fields;
use crate::layout::Place;
use crate::notice::Notice;
use crate::parts;
use crate::respond::{self, Policy};
use crate::rights;

fn kind(request: &Request) -> Result<Kind, ConsoleError> {
    Kind::of_segment(&address::segment(request.path(), 2)?)
}

/// `GET /console/setup/{kind}/new`.
pub(super) async fn create_form<P: Ports>(
    context: &Context<'_, P>,
    request: &Request,
) -> Result<Response, ConsoleError> {
    form(context, kind(request)?, &Item::default(), None).await
}

/// `POST /console/setup/{kind}/new`.
pub(super) async fn create<P: Ports>(
    context: &Context<'_, P>,
    request: Request,
) -> Result<Response, ConsoleError> {
    let kind = kind(&request)?;
    let sent = context.form(request).await?.into();
    save(context, kind, read(kind, None, &sent), &sent).await
}

/// `GET /console/setup/{kind}/{id}`.
pub(super) async fn edit_form<P: Ports>(
    context: &Context<'_, P>,
    request: &Request,
) -> Result<Response, ConsoleError> {
    let (kind, id) = (kind(request)?, address::segment(request.path(), 3)?);
    let item = kind.item(&Catalog::load(context).await?, &id)?;
    form(context, kind, &item, None).await
}

/// `POST /console/setup/{kind}/{id}`.
pub(super) async fn update<P: Ports>(
    context: &Context<'_, P>,
    request: Request,
) -> Result<Response, ConsoleError> {
    let (kind, id) = (kind(&request)?, address::segment(request.path(), 3)?);
    let id = spindrift_core::Id::from_text(id);
    let sent = context.form(request).await?.into();
    save(context, kind, read(kind, Some(id), &sent), &sent).await
}

/// A form that the service refuses is shown again, with the reason.
async fn save<P: Ports>(
    context: &Context<'_, P>,
    kind: Kind,
    item: Item,
    sent: &Fields,
) -> Result<Response, ConsoleError> {
    let notice = if item.id.is_some() { Notice::Saved } else { Notice::Created };
    match kind.save(context, item.clone(), sent.has(FORCE)).await {
        Ok(()) => Ok(respond::see_other(&notice.on(Address::page(["setup"])))),
        Err(ConsoleError::WouldCutOff(problem)) => {
            let me = context.me().await?;
            let id = item.id.as_ref().map(ToString::to_string).unwrap_or_default();
            let insist = Insist {
                title: &format!("Change this {} nonetheless?", kind.noun()),
                problem: &problem,
                button: "Change it",
                action: kind.page(&[&id]),
                fields: sent.pairs(),
            };
            Ok(insist.show(context, &me))
        }
        Err(error) => form(context, kind, &item, Some(error.about_form()?)).await,
    }
}

async fn form<P: Ports>(
    context: &Context<'_, P>,
    kind: Kind,
    item: &Item,
    problem: Option<(StatusCode, String)>,
) -> Result<Response, ConsoleError> {
    let (me, catalog) = futures::join!(context.me(), Catalog::load(context));
    let (me, catalog) = (me?, catalog?);
    let of = kind.resource();
    let needed = if item.id.is_some() { Action::Edit(of) } else { Action::Create(of) };
    if !rights::actor(&me).may(needed, item.id.as_ref()) {
        return Err(ConsoleError::of_forbidden_form(problem));
    }
    let (title, action, button) = match &item.id {
        None => (format!("Create {} {}", article(kind), kind.noun()), kind.page(&["new"]), "Create"),
        Some(id) => (format!("Edit a {}", kind.noun()), kind.page(&[id.as_str()]), "Save"),
    };
    let inner = html! {
        div.stack {
            (fields(kind, item, &catalog))
            div.row { button type="submit" { (button) } a href=(Address::page(["setup"])) { "Cancel" } }
        }
    };
    let content = html! {
        (parts::trail(&[("Setup", Address::page(["setup"]))], &title))
        h1 { (title) }
        @if let Some((_, problem)) = &problem { p.problem role="alert" { (problem) } }
        @if item.id.is_some() { (after_renaming(kind)) }
        (parts::form(&action, &context.form_token(), &inner))
    };
    let status = problem.map_or(StatusCode::OK, |(status, _)| status);
    let frame = context.frame(&title, &me, Some(Place::Setup), None);
    Ok(respond::page(status, frame.around(&content), &Policy::default()))
}

fn after_renaming(kind: Kind) -> Markup {
    html! { p.hint { "Installed copies ask for " (article(kind)) " " (kind.noun()) " by its name. If a change would cut any off, you are told how many first." } }
}

/// `GET /console/setup/{kind}/{id}/delete`.
pub(super) async fn ask_delete<P: Ports>(
    context: &Context<'_, P>,
    request: &Request,
) -> Result<Response, ConsoleError> {
    confirm(context, kind(request)?, &address::segment(request.path(), 3)?, None).await
}

async fn confirm<P: Ports>(
    context: &Context<'_, P>,
    kind: Kind,
    id: &str,
    problem: Option<(StatusCode, String)>,
) -> Result<Response, ConsoleError> {
    let (me, catalog) = futures::join!(context.me(), Catalog::load(context));
    let (me, item) = (me?, kind.item(&catalog?, id)?);
    let confirm = Confirm {
        title: &format!("Delete this {}?", kind.noun()),
        what: html! {
            p { "The " (kind.noun()) " " strong { (item.name) } " is deleted, also from the lists of team users. It can be deleted only while no release uses it." }
            @if kind == Kind::Channel { p { "Download tokens for this channel end, and no channel includes it any more." } }
        },
        button: &format!("Delete {}", item.name),
        action: kind.page(&[id, "delete"]),
        back: Address::page(["setup"]),
        problem: problem.as_ref().map(|(_, text)| text.as_str()),
    };
    let content = confirm.show(context);
    let status = problem.map_or(StatusCode::OK, |(status, _)| status);
    let frame = context.frame("Delete", &me, Some(Place::Setup), None);
    Ok(respond::page(status, frame.around(&content), &Policy::default()))
}

/// `POST /console/setup/{kind}/{id}/delete`.
pub(super) async fn delete<P: Ports>(
    context: &Context<'_, P>,
    request: Request,
) -> Result<Response, ConsoleError> {
    let (kind, id) = (kind(&request)?, address::segment(request.path(), 3)?);
    let sent = Fields::from(context.form(request).await?);
    match kind.delete(context, &id, sent.has(FORCE)).await {
        Ok(()) => Ok(respond::see_other(&Notice::Deleted.on(Address::page(["setup"])))),
        Err(ConsoleError::WouldCutOff(problem)) => {
            let me = context.me().await?;
            let insist = Insist {
                title: &format!("Delete this {} nonetheless?", kind.noun()),
                problem: &problem,
                button: "Delete it",
                action: kind.page(&[&id, "delete"]),
                fields: sent.pairs(),
            };
            Ok(insist.show(context, &me))
        }
        Err(error) => confirm(context, kind, &id, Some(error.about_form()?)).await,
    }
}
