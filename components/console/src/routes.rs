//! Which page is where.

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_service::{Ports, log};
use spindrift_web::{Request, Response, Routes};

use crate::address::Address;
use crate::context::Context;
use crate::cookies::Cookie;
use crate::error::ConsoleError;
use crate::layout::Frame;
use crate::respond::{self, Policy};
use crate::{assets, pages};

/// The pages, and what their forms do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// To the overview.
    Home,
    /// A style, script or picture.
    Asset,
    /// The form to log in.
    ShowLogin,
    /// Logs in.
    Login,
    /// Logs out.
    Logout,
    /// The form that makes the first admin.
    ShowSignup,
    /// Makes the first admin.
    Signup,
    /// All applications.
    Overview,
    /// An application: its releases and how they are adopted.
    Application,
    /// The form that publishes a release.
    ShowPublish,
    /// Which of the files that were chosen are feeds; for the form's script, like the next two.
    PublishPlan,
    /// Begins an upload.
    PublishInit,
    /// Completes an upload.
    PublishComplete,
    /// What a client would get.
    Client,
    /// A release.
    Release,
    /// Changes a release.
    EditRelease,
    /// Asks whether a release is to be deleted.
    ShowDeleteRelease,
    /// Deletes it.
    DeleteRelease,
    /// Asks whether a file of a release is to be deleted.
    ShowDeleteArtifact,
    /// Deletes it.
    DeleteArtifact,
    /// There is no such page.
    Nothing,
}

/// The routes of this component.
pub const ROUTES: Routes<Call> = Routes(&[
    (Method::GET, "/console", Call::Home),
    (Method::GET, "/console/", Call::Overview),
    (Method::GET, "/console/assets/{name}", Call::Asset),
    (Method::GET, "/console/login", Call::ShowLogin),
    (Method::POST, "/console/login", Call::Login),
    (Method::POST, "/console/logout", Call::Logout),
    (Method::GET, "/console/signup", Call::ShowSignup),
    (Method::POST, "/console/signup", Call::Signup),
    (Method::GET, "/console/apps/{app}", Call::Application),
    (Method::GET, "/console/apps/{app}/client", Call::Client),
    (Method::GET, "/console/apps/{app}/publish", Call::ShowPublish),
    (Method::POST, "/console/apps/{app}/publish/plan", Call::PublishPlan),
    (Method::POST, "/console/apps/{app}/publish/init", Call::PublishInit),
    (Method::POST, "/console/apps/{app}/publish/complete", Call::PublishComplete),
    (Method::GET, "/console/apps/{app}/releases/{id}", Call::Release),
    (Method::POST, "/console/apps/{app}/releases/{id}", Call::EditRelease),
    (Method::GET, "/console/apps/{app}/releases/{id}/delete", Call::ShowDeleteRelease),
    (Method::POST, "/console/apps/{app}/releases/{id}/delete", Call::DeleteRelease),
    (Method::GET, "/console/apps/{app}/releases/{id}/artifacts/{artifact}/delete", Call::ShowDeleteArtifact),
    (Method::POST, "/console/apps/{app}/releases/{id}/artifacts/{artifact}/delete", Call::DeleteArtifact),
    (Method::GET, "/console/{rest...}", Call::Nothing),
]);

/// Answers a request with a page, whatever happens.
pub(crate) async fn answer<P: Ports>(ports: &P, call: Call, request: Request) -> Response {
    let accepted = respond::accepted(&request).map(ToOwned::to_owned);
    let path = request.target().to_owned();
    let answer = match Context::new(ports, &request) {
        Ok(context) => {
            let answer = page(&context, call, request).await;
            let answer = answer.unwrap_or_else(|error| failed(&context, &error, &path));
            with_cookie(answer, context.new_cookie())
        }
        Err(error) => problem(&error),
    };
    respond::compressed(answer, accepted.as_deref())
}

async fn page<P: Ports>(
    context: &Context<'_, P>,
    call: Call,
    request: Request,
) -> Result<Response, ConsoleError> {
    match call {
        Call::Home => Ok(respond::see_other(&Address::page([]))),
        Call::Asset => assets::serve(&request),
        Call::ShowLogin => pages::login::show(context, &request),
        Call::Login => pages::login::login(context, request).await,
        Call::Logout => pages::login::logout(context, request).await,
        Call::ShowSignup => pages::signup::show(context),
        Call::Signup => pages::signup::signup(context, request).await,
        Call::Overview => pages::overview::show(context, &request).await,
        Call::Application => pages::application::show(context, &request).await,
        Call::ShowPublish => pages::publish::show(context, &request).await,
        Call::PublishPlan => Ok(pages::publish::plan(context, request).await),
        Call::PublishInit => Ok(pages::publish::init(context, request).await),
        Call::PublishComplete => Ok(pages::publish::complete(context, request).await),
        Call::Client => pages::client::show(context, &request).await,
        Call::Release => pages::release::show(context, &request).await,
        Call::EditRelease => pages::release::edit(context, request).await,
        Call::ShowDeleteRelease => pages::release::show_delete_release(context, &request).await,
        Call::DeleteRelease => pages::release::delete_release(context, request).await,
        Call::ShowDeleteArtifact => pages::release::show_delete_artifact(context, &request).await,
        Call::DeleteArtifact => pages::release::delete_artifact(context, request).await,
        Call::Nothing => Err(ConsoleError::NoPage),
    }
}

fn with_cookie(mut answer: Response, cookie: Option<http::HeaderValue>) -> Response {
    if let Some(cookie) = cookie.filter(|_| !answer.headers().contains_key(http::header::SET_COOKIE)) {
        answer.headers_mut().append(http::header::SET_COOKIE, cookie);
    }
    answer
}

/// The page that says why there is no other. Who is not logged in goes to the login, and comes back from there.
fn failed<P: Ports>(context: &Context<'_, P>, error: &ConsoleError, wanted: &str) -> Response {
    if let ConsoleError::NoAnswer(reason) = error {
        log::warn("a page of the console failed", reason);
    }
    if !matches!(error, ConsoleError::LoggedOut) {
        return problem(error);
    }
    let mut answer = respond::see_other(&pages::login::address(wanted));
    let over = Cookie::Session.remove(context.is_secure());
    if let Some(over) = over.filter(|_| context.service.has_token()) {
        answer.headers_mut().append(http::header::SET_COOKIE, over);
    }
    answer
}

fn problem(error: &ConsoleError) -> Response {
    let status = error.status();
    let frame = Frame { title: "Problem", visitor: None, scripts: &[], refresh_seconds: None };
    respond::page(status, frame.around(&explained(error, status)), &Policy::default())
}

fn explained(error: &ConsoleError, status: StatusCode) -> Markup {
    html! {
        section.alone {
            h1 { @if status.is_server_error() { "Something failed" } @else { "That did not work" } }
            p.problem role="alert" { (error) }
            @if let ConsoleError::Refused { request_id: Some(id), .. } = error {
                p { "The log has the cause under the request id " code { (id) } "." }
            }
            @if status.is_client_error() { p { "Nothing has been changed. Go back in your browser: your input is still there." } }
            p { a href=(Address::page([])) { "To the overview" } }
        }
    }
}
