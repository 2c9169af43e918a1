//! Withdraws a release from all clients, after a page that asks for the reason.

use http::Method;
use maud::{Markup, html};
use spindrift_api::{ReleaseBody, WithdrawBody};
use spindrift_core::MAX_PUBLIC_REASON_CHARS;
use spindrift_web::{Request, Response};

use super::devices::Devices;
use super::requested_release::{RequestedRelease, address};
use super::skip;
use crate::address::segment;
use crate::force_confirmation::FORCE;
use crate::{Address, Confirm, ConsoleError, Context, MenuEntry, Notice, Problem, Result, parts, respond};

/// `GET /console/apps/{app}/releases/{id}/withdraw`.
pub(super) async fn ask(context: &Context<'_>, request: &Request) -> Result<Response> {
    let found = RequestedRelease::of(context, request).await?;
    let call = Address::call("/releases").with_segment(found.release.id.as_str());
    let release: ReleaseBody = context.service.get(&call).await?;
    let reason = release.withdrawn.map(|withdrawal| withdrawal.reason);
    question(context, &found, reason.as_deref(), None).await
}

/// `POST /console/apps/{app}/releases/{id}/withdraw`.
pub(super) async fn withdraw(context: &Context<'_>, request: Request) -> Result<Response> {
    let (app, id) = (segment(request.path(), 2)?, segment(request.path(), 4)?);
    let form = context.form(request).await?;
    let reason = form.get("reason").unwrap_or_default();
    let body = WithdrawBody { reason: Some(reason.to_owned()), force: form.get(FORCE).is_some() };
    let call = Address::call("/releases").with_segment(&id).with_segment("withdraw");
    let done: Result<ReleaseBody> = context.service.send_json(Method::POST, &call, &body).await;
    match done {
        Ok(_) => Ok(respond::see_other(&Notice::Withdrawn.add_to(address(&app, &id)))),
        Err(ConsoleError::WouldCutOff(problem)) => {
            let back = address(&app, &id);
            skip::ask(context, &problem, (back.clone().with_segment("withdraw"), back), form).await
        }
        Err(error) => {
            let problem = error.about_form()?;
            let found = RequestedRelease::load(context, &app, &id, None).await?;
            question(context, &found, Some(reason), Some(problem)).await
        }
    }
}

/// The page that asks. `reason`: the previous input.
async fn question(
    context: &Context<'_>,
    found: &RequestedRelease,
    reason: Option<&str>,
    problem: Option<Problem>,
) -> Result<Response> {
    let devices = Devices::of(context, &found.release).await?;
    let title = format!("Withdraw {} {}?", found.app.app_name, found.release.version);
    let confirm = Confirm {
        title: &title,
        consequences: consequences(&devices),
        button: "Withdraw the release",
        action: found.address().with_segment("withdraw"),
        back: found.address(),
    };
    let above = found.parent_pages().into_iter().chain([(&*found.release.version, found.address())]);
    let above: Vec<_> = above.collect();
    let page =
        context.page("Withdraw", &found.me, MenuEntry::Overview).with_parents(&above).with_problem(problem);
    Ok(confirm.show_with(context, page, &public_reason(reason.unwrap_or_default())))
}

fn consequences(devices: &Devices) -> Markup {
    html! {
        p { "The release is no longer offered, and its private files can no longer be downloaded. Links to \
             public files keep working." }
        p {
            (parts::count(devices.on_this, "device")) " had this version in the last 30 days. Those with the \
                updater "
            code { "manual" } " are told your reason, and that their next update is critical. Clients of \
                electron-builder, "
            "Sparkle, Squirrel, Tauri and Velopack are not told. No client goes back to an older version by itself."
        }
    }
}

fn public_reason(value: &str) -> Markup {
    html! {
        label { "Why"
            input type="text" name="reason" value=(value) required maxlength=(MAX_PUBLIC_REASON_CHARS) autocomplete="off"
                aria-describedby="public" autofocus;
        }
        p #public .hint { "Clients with the updater manual that run the version are shown this. Up to " (MAX_PUBLIC_REASON_CHARS) " characters." }
    }
}
