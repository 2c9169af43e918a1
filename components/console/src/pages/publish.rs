//! Publishing a release: a form whose script hashes the files and sends them straight to the storage.

mod form;
mod send;

use http::StatusCode;
use maud::{Markup, html};
use spindrift_api::AppEntry;
use spindrift_core::{Action, Resource};
use spindrift_service::Ports;
use spindrift_web::{Request, Response};

use self::form::{Choices, Filled};
pub(crate) use self::send::{complete, init, plan, renew};
use crate::address::{Address, segment};
use crate::catalog::Catalog;
use crate::context::Context;
use crate::error::ConsoleError;
use crate::layout::Place;
use crate::respond::{self, Policy};
use crate::sending::Sending;
use crate::{parts, rights};

/// `GET /console/apps/{app}/publish`.
pub(crate) async fn show<P: Ports>(
    context: &Context<'_, P>,
    request: &Request,
) -> Result<Response, ConsoleError> {
    let name = segment(request.path(), 2)?;
    let (me, catalog) = futures::join!(context.me(), Catalog::load_for(context, &name));
    let (me, catalog) = (me?, catalog?);
    let app = catalog.app_named(&name)?;
    if !rights::actor(&me).may(Action::Upload(Resource::App), Some(&app.id)) {
        return Err(ConsoleError::Refused {
            status: StatusCode::FORBIDDEN,
            message: format!("your permissions do not allow publishing {name}"),
            request_id: None,
        });
    }
    let sending = Sending::read(context.ports)?;
    let form = match &sending {
        Sending::To(_) => form::form(
            app,
            &Choices { catalog: &catalog, is_admin: me.is_admin },
            &Filled::of(&request.query()?),
            &context.form_token(),
        ),
        Sending::Nowhere => by_program(app, &context.api_url),
    };
    let trail = [("Overview", Address::page([])), (&*name, Address::page(["apps", &name]))];
    let content = html! {
        (parts::trail(&trail, "Publish"))
        h1 { "Publish a release of " (name) }
        (form)
    };
    let title = format!("Publish {name}");
    let mut frame = context.frame(&title, &me, Some(Place::Overview), None);
    frame.scripts = &["publish.js"];
    Ok(respond::page(StatusCode::OK, frame.around(&content), &policy(sending)))
}

/// The page sends to the storage. Its worker, which runs WebAssembly, has a policy of its own.
fn policy(sending: Sending) -> Policy {
    match sending {
        Sending::To(storage) => Policy { connections: storage, ..Policy::default() },
        Sending::Nowhere => Policy::default(),
    }
}

/// Where browsers cannot reach the storage, the service has to pass the files on.
fn by_program(app: &AppEntry, api_url: &str) -> Markup {
    let command = format!(
        "spindrift publish --url {api_url} --app \"{}\" --version 1.0.0 --publish FILE…",
        app.app_name
    );
    parts::empty(
        "Browsers cannot reach the storage of this installation.",
        &html! {
            "Its setting " code { "storage_driver" } " is " code { "s3_internal" } ", so files go through the service. "
            "Publish with the program instead, from CI or by hand: " (parts::copyable(&command))
        },
    )
}
