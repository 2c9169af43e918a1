//! The pages of an application's settings.

use http::{Method, StatusCode};
use maud::html;
use spindrift_api::ResultBody;
use spindrift_core::{Action, Id, Resource};
use spindrift_web::{Form, Request, Response};

use super::app_form::AppForm;
use super::cut_off::{CutOffConfirmation, FORCE};
use crate::{
    Address, Confirm, ConsoleError, Context, FormFields, MenuEntry, Notice, Problem, Result, address,
    catalog, form_token, multipart, respond, rights,
};

fn page(id: &str, below: &[&str]) -> Address {
    Address::page(["setup", "apps", id].into_iter().chain(below.iter().copied()))
}

/// `GET /console/setup/apps/new`.
pub(super) async fn create_form(context: &Context<'_>) -> Result<Response> {
    form(context, &AppForm::default(), "", None).await
}

/// `POST /console/setup/apps/new`.
pub(super) async fn create(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.picture_form(request).await?;
    save(context, Address::call("/app/create"), AppForm::read(None, &sent), &sent).await
}

/// `GET /console/setup/apps/{id}`.
pub(super) async fn edit_form(context: &Context<'_>, request: &Request) -> Result<Response> {
    let id = address::segment(request.path(), 3)?;
    let app = catalog::app_with_id(context, &id).await?.ok_or(ConsoleError::NoPage)?;
    form(context, &AppForm::of_entry(&app), &app.logo, None).await
}

/// `POST /console/setup/apps/{id}`.
pub(super) async fn update(context: &Context<'_>, request: Request) -> Result<Response> {
    let id = address::segment(request.path(), 3)?;
    let sent = context.picture_form(request).await?;
    save(context, Address::call("/app/update"), AppForm::read(Some(id), &sent), &sent).await
}

/// Saves the form. If the service refuses it, the form is shown again with the reason.
async fn save(context: &Context<'_>, call: Address, app: AppForm, sent: &Form) -> Result<Response> {
    let data = serde_json::to_string(&app.data()).map_err(ConsoleError::no_answer)?;
    // Browsers send an empty file if none was chosen.
    let logo = sent.files.iter().map(|file| &file.bytes[..]).find(|bytes| !bytes.is_empty());
    let body = multipart::form(context.host, ("data", &data), logo);
    let notice = if app.id.is_some() { Notice::Saved } else { Notice::Created };
    match context.service.send(Method::POST, &call, Some(body)).await {
        Ok(_) => Ok(respond::see_other(&notice.add_to(Address::page(["setup"])))),
        Err(ConsoleError::WouldCutOff(problem)) => {
            let confirmation = CutOffConfirmation {
                title: &format!("Change {} nonetheless?", app.name),
                problem: &problem,
                button: "Change it",
                action: page(app.id.as_deref().unwrap_or_default(), &[]),
                fields: sent.fields(),
            };
            confirmation.show(context).await
        }
        Err(error) => {
            let problem = error.about_form()?;
            let known = match &app.id {
                Some(id) => catalog::app_with_id(context, id).await?,
                None => None,
            };
            form(context, &app, known.as_ref().map_or("", |known| known.logo.as_str()), Some(problem)).await
        }
    }
}

/// `logo`: the address of the current logo. Empty: none.
async fn form(
    context: &Context<'_>,
    app: &AppForm,
    logo: &str,
    problem: Option<Problem>,
) -> Result<Response> {
    let me = context.me().await?;
    let id = app.id.as_ref().map(Id::from_text);
    let action = if id.is_some() { Action::Edit(Resource::App) } else { Action::Create(Resource::App) };
    if !rights::actor(&me).may(action, id.as_ref()) {
        return Err(ConsoleError::of_forbidden_form(problem));
    }
    let (title, action, button) = match &app.id {
        None => ("Create an application", page("new", &[]), "Create"),
        Some(id) => ("Edit an application", page(id, &[]), "Save"),
    };
    let content = html! {
        @if app.id.is_some() {
            p.hint {
                "Installed copies ask for an application by its name. "
                "If a rename would cut any off, you are told how many first. Links stay valid."
            }
        }
        form.stack method="post" action=(action) enctype="multipart/form-data" {
            input type="hidden" name=(form_token::FIELD) value=(context.form_token());
            (app.fields(logo))
            div.row { button type="submit" { (button) } a href=(Address::page(["setup"])) { "Cancel" } }
        }
    };
    let page =
        context.page(title, &me, MenuEntry::Setup).with_problem(problem).with_policy(context.pictures()?);
    Ok(page.with_parents(&[("Setup", Address::page(["setup"]))]).show_titled(&content))
}

/// `GET /console/setup/apps/{id}/delete`.
pub(super) async fn ask_delete(context: &Context<'_>, request: &Request) -> Result<Response> {
    confirm(context, &address::segment(request.path(), 3)?, None).await
}

async fn confirm(context: &Context<'_>, id: &str, problem: Option<Problem>) -> Result<Response> {
    let (me, app) = context.with_me(catalog::app_with_id(context, id)).await?;
    let app = app.ok_or(ConsoleError::NoPage)?;
    let confirm = Confirm {
        title: "Delete this application?",
        consequences: html! {
            p { "The application " strong { (app.app_name) } " is deleted, with its report key and its \
                download tokens"
                @if app.tuf { ". Its signed metadata ends" } ". Its failures stay until they expire." }
            p { "It can be deleted only while it has no releases: delete those first." }
        },
        button: &format!("Delete {}", app.app_name),
        action: page(id, &["delete"]),
        back: Address::page(["setup"]),
    };
    Ok(confirm
        .show(context, context.page("Delete an application", &me, MenuEntry::Setup).with_problem(problem)))
}

/// `POST /console/setup/apps/{id}/delete`.
pub(super) async fn delete(context: &Context<'_>, request: Request) -> Result<Response> {
    let id = address::segment(request.path(), 3)?;
    let sent = FormFields::from(context.form(request).await?);
    let call = Address::call("/app/delete").with("id", &id);
    let call = if sent.has(FORCE) { call.with(FORCE, true) } else { call };
    match context.service.delete::<ResultBody<u64>>(&call).await {
        Ok(_) => Ok(respond::see_other(&Notice::Deleted.add_to(Address::page(["setup"])))),
        Err(ConsoleError::WouldCutOff(problem)) => {
            let confirmation = CutOffConfirmation {
                title: "Delete this application nonetheless?",
                problem: &problem,
                button: "Delete it",
                action: page(&id, &["delete"]),
                fields: sent.pairs(),
            };
            confirmation.show(context).await
        }
        Err(error) if error.is_refusal(StatusCode::NOT_FOUND) => Err(ConsoleError::NoPage),
        Err(error) => confirm(context, &id, Some(error.about_form()?)).await,
    }
}
