//! Publishes a release: the form's script hashes the files, and sends them directly to the storage.

mod bases;
mod form;
mod offer;
mod receipt;
mod send;

use http::StatusCode;
use maud::{Markup, html};
use spindrift_api::{AppEntry, TelemetryBody};
use spindrift_core::Action;
use spindrift_settings::S3_PUBLIC_URL;
use spindrift_web::{Request, Response};

pub(crate) use self::bases::bases;
use self::form::{NameChoices, PrefilledFields};
use self::offer::OfferFacts;
pub(crate) use self::receipt::receipt;
pub(crate) use self::send::{complete, for_script, init, plan, renew};
use crate::address::segment;
use crate::context::origin;
use crate::respond::Policy;
use crate::storage_access::StorageAccess;
use crate::{Address, Catalog, ConsoleError, Context, MenuEntry, Result, parts, rights};

/// `GET /console/apps/{app}/publish`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let name = segment(request.path(), 2)?;
    let (me, catalog) = context.with_me(Catalog::load_for(context, &name)).await?;
    let app = catalog.app_named(&name)?;
    if !rights::actor(&me).may(Action::Upload, Some(&app.id)) {
        let message = format!("your permissions do not allow publishing {name}");
        return Err(ConsoleError::refused(StatusCode::FORBIDDEN, message));
    }
    let sending = StorageAccess::read(&context.host)?;
    let form = match &sending {
        StorageAccess::To(_) => form::form(
            app,
            &NameChoices { catalog: &catalog, is_admin: me.is_admin },
            &PrefilledFields::of(&request.query()?),
            OfferFacts { devices: devices(context, &name).await?, reports: app.reports },
            &context.form_token(),
        ),
        StorageAccess::Nowhere => by_program(app, &context.api_url),
    };
    let trail = [("Overview", Address::page([])), (&*name, Address::page(["apps", &name]))];
    let content = html! {
        (parts::trail(&trail, "Publish"))
        h1 { "Publish a release of " (name) }
        (form)
    };
    let page = context.page(format!("Publish {name}"), &me, MenuEntry::Overview).with_script("publish.js");
    Ok(page.with_policy(policy(context, sending)?).show(&content))
}

/// The application's devices that were seen in 30 days.
async fn devices(context: &Context<'_>, app: &str) -> Result<u64> {
    let call = Address::call("/telemetry").with("apps", app).with("range", "month");
    let body: TelemetryBody = context.service.get(&call).await?;
    Ok(body.summary.unique_clients)
}

/// The policy of the page, which uploads to the storage and reads older files there. Its workers,
/// which run WebAssembly, have a policy of their own.
fn policy(context: &Context<'_>, sending: StorageAccess) -> Result<Policy> {
    let StorageAccess::To(storage) = sending else { return Ok(Policy::default()) };
    let public = S3_PUBLIC_URL.read(&context.host).map_err(ConsoleError::no_answer)?;
    let public = origin(&public);
    let connections = if public == storage { storage } else { format!("{storage} {public}") };
    Ok(Policy { connections, ..Policy::default() })
}

/// If browsers cannot reach the storage, the service has to forward the files: shows the commands
/// for that.
fn by_program(app: &AppEntry, api_url: &str) -> Markup {
    let command = format!(
        "spindrift publish --url {api_url} --app \"{}\" --version 1.0.0 --publish FILE…",
        app.app_name
    );
    parts::empty(
        "Browsers cannot reach the storage of this service.",
        &html! {
            "Its setting " code { "storage_driver" } " is " code { "s3_internal" } ", so files go through \
                the service. "
            "Publish with the program instead, from CI or by hand: " (parts::copyable(&command))
        },
    )
}
