//! Deletes a release, or one of its files, after a page that lists what will be deleted.

use maud::{Markup, html};
use spindrift_api::{
    ArtifactEntry, ArtifactRef, ArtifactsDeleteData, ArtifactsDeletedBody, ReleaseDeletedBody,
};
use spindrift_web::{Request, Response, parse_parameter};

use super::artifacts::file_name;
use super::devices::Devices;
use super::requested_release::{RequestedRelease, address};
use super::skip;
use crate::address::segment;
use crate::force_confirmation::FORCE;
use crate::{Address, Confirm, ConsoleError, Context, MenuEntry, Notice, Result, parts, respond};

/// `GET /console/apps/{app}/releases/{id}/delete`.
pub(super) async fn show_delete_release(context: &Context<'_>, request: &Request) -> Result<Response> {
    let found = RequestedRelease::of(context, request).await?;
    let devices = Devices::of(context, &found.release).await?;
    let release = &found.release;
    let title = format!("Delete {} {}?", found.app.app_name, release.version);
    let consequences = html! {
        p { "These files are deleted with it, and their links stop working:" }
        (files(&release.artifacts))
        p { (devices_text(devices.on_this)) }
    };
    let (action, back) = (found.address().with_segment("delete"), found.address());
    Ok(ask(
        context,
        &found,
        &Confirm { title: &title, consequences, button: "Delete the release", action, back },
    ))
}

/// `POST /console/apps/{app}/releases/{id}/delete`.
pub(super) async fn delete_release(context: &Context<'_>, request: Request) -> Result<Response> {
    let (app, id) = (segment(request.path(), 2)?, segment(request.path(), 4)?);
    let form = context.form(request).await?;
    let call = Address::call("/apps/delete").with("id", &id);
    let call = if form.get(FORCE).is_some() { call.with(FORCE, true) } else { call };
    match context.service.delete::<ReleaseDeletedBody>(&call).await {
        Ok(_) => Ok(respond::see_other(&Notice::Deleted.add_to(Address::page(["apps", &app])))),
        Err(ConsoleError::WouldCutOff(problem)) => {
            let back = address(&app, &id);
            skip::ask(context, &problem, (back.clone().with_segment("delete"), back), form).await
        }
        Err(error) => Err(error),
    }
}

/// `GET /console/apps/{app}/releases/{id}/artifacts/{artifact}/delete`.
pub(super) async fn show_delete_artifact(context: &Context<'_>, request: &Request) -> Result<Response> {
    let (found, artifact) = of_release(context, request).await?;
    let devices = Devices::of(context, &found.release).await?;
    let is_last = found.release.artifacts.len() == 1;
    let title = format!("Delete a file of {} {}?", found.app.app_name, found.release.version);
    let consequences = html! {
        (files(std::slice::from_ref(&artifact)))
        @if is_last { p { "It is the last file of the release, which is then offered to nobody." } }
        p { (devices_text(devices.on_this)) }
    };
    let action = deletion(&found, &artifact);
    let back = found.address();
    Ok(ask(
        context,
        &found,
        &Confirm { title: &title, consequences, button: "Delete the file", action, back },
    ))
}

/// `POST /console/apps/{app}/releases/{id}/artifacts/{artifact}/delete`.
pub(super) async fn delete_artifact(context: &Context<'_>, request: Request) -> Result<Response> {
    let (found, artifact) = of_release(context, &request).await?;
    let form = context.form(request).await?;
    let data = ArtifactsDeleteData {
        id: found.release.id.to_string(),
        app_name: parse_parameter("app_name", &found.app.app_name)?,
        version: parse_parameter("version", &found.release.version)?,
        artifacts_to_delete: vec![ArtifactRef::Text(artifact.id.to_string())],
        force: form.get(FORCE).is_some().then_some(true),
    };
    let call = Address::call("/artifact/delete");
    match context.service.send_data::<ArtifactsDeletedBody>(&call, &data).await {
        Ok(_) => Ok(respond::see_other(&Notice::Deleted.add_to(found.address()))),
        Err(ConsoleError::WouldCutOff(problem)) => {
            skip::ask(context, &problem, (deletion(&found, &artifact), found.address()), form).await
        }
        Err(error) => Err(error),
    }
}

/// The address of the form that deletes an artifact.
fn deletion(found: &RequestedRelease, artifact: &ArtifactEntry) -> Address {
    found.address().with_segment("artifacts").with_segment(artifact.id.as_str()).with_segment("delete")
}

/// The artifact in an address.
async fn of_release(context: &Context<'_>, request: &Request) -> Result<(RequestedRelease, ArtifactEntry)> {
    let id = segment(request.path(), 6)?;
    let found = RequestedRelease::of(context, request).await?;
    let artifact = found.release.artifacts.iter().find(|artifact| artifact.id.as_str() == id).cloned();
    Ok((found, artifact.ok_or(ConsoleError::NoPage)?))
}

fn files(artifacts: &[ArtifactEntry]) -> Markup {
    html! {
        ul.files {
            @for artifact in artifacts {
                li {
                    code { (file_name(&artifact.link)) } ", " (parts::size(artifact.size))
                    @for place in [&artifact.platform, &artifact.arch] { @if !place.is_empty() { ", " (place) } }
                }
            }
            @if artifacts.is_empty() { li { "no files" } }
        }
    }
}

fn devices_text(devices: u64) -> String {
    format!(
        "{} had this version in the last 30 days. They keep it; nobody can get it any more.",
        parts::count(devices, "device")
    )
}

fn ask(context: &Context<'_>, found: &RequestedRelease, question: &Confirm<'_>) -> Response {
    let above = found.parent_pages().into_iter().chain([(&*found.release.version, found.address())]);
    let above: Vec<_> = above.collect();
    question.show(context, context.page("Delete", &found.me, MenuEntry::Overview).with_parents(&above))
}
