//! The pages of channels, platforms and architectures.

use maud::{Markup, html};
use spindrift_core::Action;
use spindrift_web::{Request, Response};

use super::cut_off::{CutOffConfirmation, FORCE};
use super::dimension_form::{fields, read};
use super::kind::{SetupItem, SetupKind};
use super::overview::article;
use crate::{
    Address, Catalog, Confirm, ConsoleError, Context, FormFields, MenuEntry, Notice, Problem, Result,
    address, parts, respond, rights,
};

fn kind(request: &Request) -> Result<SetupKind> {
    SetupKind::of_segment(&address::segment(request.path(), 2)?)
}

/// `GET /console/setup/{kind}/new`.
pub(super) async fn create_form(context: &Context<'_>, request: &Request) -> Result<Response> {
    form(context, kind(request)?, &SetupItem::default(), None).await
}

/// `POST /console/setup/{kind}/new`.
pub(super) async fn create(context: &Context<'_>, request: Request) -> Result<Response> {
    let kind = kind(&request)?;
    let sent = context.form(request).await?.into();
    save(context, kind, read(kind, None, &sent), &sent).await
}

/// `GET /console/setup/{kind}/{id}`.
pub(super) async fn edit_form(context: &Context<'_>, request: &Request) -> Result<Response> {
    let (kind, id) = (kind(request)?, address::segment(request.path(), 3)?);
    let item = kind.item(&Catalog::load(context).await?, &id)?;
    form(context, kind, &item, None).await
}

/// `POST /console/setup/{kind}/{id}`.
pub(super) async fn update(context: &Context<'_>, request: Request) -> Result<Response> {
    let (kind, id) = (kind(&request)?, address::segment(request.path(), 3)?);
    let id = spindrift_core::Id::from_text(id);
    let sent = context.form(request).await?.into();
    save(context, kind, read(kind, Some(id), &sent), &sent).await
}

/// Saves the form. If the service refuses it, the form is shown again with the reason.
async fn save(
    context: &Context<'_>,
    kind: SetupKind,
    item: SetupItem,
    sent: &FormFields,
) -> Result<Response> {
    let notice = if item.id.is_some() { Notice::Saved } else { Notice::Created };
    match kind.save(context, item.clone(), sent.has(FORCE)).await {
        Ok(()) => Ok(respond::see_other(&notice.add_to(Address::page(["setup"])))),
        Err(ConsoleError::WouldCutOff(problem)) => {
            let id = item.id.as_ref().map(ToString::to_string).unwrap_or_default();
            let confirmation = CutOffConfirmation {
                title: &format!("Change this {} nonetheless?", kind.noun()),
                problem: &problem,
                button: "Change it",
                action: kind.page(&[&id]),
                fields: sent.pairs(),
            };
            confirmation.show(context).await
        }
        Err(error) => form(context, kind, &item, Some(error.about_form()?)).await,
    }
}

async fn form(
    context: &Context<'_>,
    kind: SetupKind,
    item: &SetupItem,
    problem: Option<Problem>,
) -> Result<Response> {
    let (me, catalog) = context.with_me(Catalog::load(context)).await?;
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
        @if item.id.is_some() { (after_renaming(kind)) }
        (parts::form(&action, &context.form_token(), &inner))
    };
    let page = context.page(title, &me, MenuEntry::Setup).with_problem(problem);
    Ok(page.with_parents(&[("Setup", Address::page(["setup"]))]).show_titled(&content))
}

fn after_renaming(kind: SetupKind) -> Markup {
    html! {
        p.hint {
            "Installed copies ask for " (article(kind)) " " (kind.noun()) " by its name. "
            "If a change would cut any off, you are told how many first."
        }
    }
}

/// `GET /console/setup/{kind}/{id}/delete`.
pub(super) async fn ask_delete(context: &Context<'_>, request: &Request) -> Result<Response> {
    confirm(context, kind(request)?, &address::segment(request.path(), 3)?, None).await
}

async fn confirm(
    context: &Context<'_>,
    kind: SetupKind,
    id: &str,
    problem: Option<Problem>,
) -> Result<Response> {
    let (me, catalog) = context.with_me(Catalog::load(context)).await?;
    let item = kind.item(&catalog, id)?;
    let confirm = Confirm {
        title: &format!("Delete this {}?", kind.noun()),
        consequences: html! {
            p {
                "The " (kind.noun()) " " strong { (item.name) } " is deleted, also from the lists of team users. "
                "It can be deleted only while no release uses it."
            }
            @if kind == SetupKind::Channel {
                p { "Download tokens for this channel end, and no channel includes it any more." }
            }
        },
        button: &format!("Delete {}", item.name),
        action: kind.page(&[id, "delete"]),
        back: Address::page(["setup"]),
    };
    Ok(confirm.show(context, context.page("Delete", &me, MenuEntry::Setup).with_problem(problem)))
}

/// `POST /console/setup/{kind}/{id}/delete`.
pub(super) async fn delete(context: &Context<'_>, request: Request) -> Result<Response> {
    let (kind, id) = (kind(&request)?, address::segment(request.path(), 3)?);
    let sent = FormFields::from(context.form(request).await?);
    match kind.delete(context, &id, sent.has(FORCE)).await {
        Ok(()) => Ok(respond::see_other(&Notice::Deleted.add_to(Address::page(["setup"])))),
        Err(ConsoleError::WouldCutOff(problem)) => {
            let confirmation = CutOffConfirmation {
                title: &format!("Delete this {} nonetheless?", kind.noun()),
                problem: &problem,
                button: "Delete it",
                action: kind.page(&[&id, "delete"]),
                fields: sent.pairs(),
            };
            confirmation.show(context).await
        }
        Err(error) => confirm(context, kind, &id, Some(error.about_form()?)).await,
    }
}
