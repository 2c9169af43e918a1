//! The routes of the console.

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_service::log;
use spindrift_web::{Request, Response, Routes};

use crate::pages::device_groups::DeviceGroupCall;
use crate::pages::failures::FailureCall;
use crate::pages::people::PeopleCall;
use crate::pages::publish::for_script;
use crate::pages::release::ReleaseCall;
use crate::pages::setup::SetupCall;
use crate::pages::shutoffs::ShutoffCall;
use crate::respond::Policy;
use crate::{Address, ConsoleError, Context, Cookie, Host, Page, Problem, Result, assets, pages, respond};

/// The pages, and the actions of their forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// Redirects to the overview.
    Home,
    /// A style, script or picture.
    Asset,
    ShowLogin,
    Login,
    Logout,
    /// The form that creates the first admin.
    ShowSignup,
    /// Creates the first admin.
    Signup,
    Overview,
    /// An application: its releases, and their adoption.
    Application,
    /// The adoption of an application's versions, as a file.
    AdoptionFile,
    /// Requests and devices.
    Telemetry,
    /// A table of requests and devices, as a file.
    TelemetryFile,
    /// Failures of installed copies.
    Failures(FailureCall),
    /// The audit log.
    History,
    /// A part of the audit log, as a file.
    HistoryFile,
    /// Applications, channels, platforms and architectures.
    Setup(SetupCall),
    /// The team, tokens and keys.
    People(PeopleCall),
    /// Signed metadata of all applications.
    Trust,
    /// Signed metadata of one application.
    TrustOfApplication,
    ShowPublish,
    /// Which of the chosen files are feeds. Called by the form's script, like the next four.
    PublishPlan,
    /// The files that patches are made from.
    PublishBases,
    /// Starts an upload.
    PublishInit,
    /// Requests new addresses for an upload.
    PublishRenew,
    PublishComplete,
    /// The page "What would a client get?".
    Client,
    Release(ReleaseCall),
    DeviceGroups(DeviceGroupCall),
    /// Shuts off an application's updates, and lifts that.
    Shutoffs(ShutoffCall),
    /// The page does not exist.
    Nothing,
}

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
    (Method::GET, "/console/apps/{app}/adoption.csv", Call::AdoptionFile),
    (Method::GET, "/console/telemetry", Call::Telemetry),
    (Method::GET, "/console/telemetry.csv", Call::TelemetryFile),
    (Method::GET, "/console/failures", Call::Failures(FailureCall::List)),
    (Method::POST, "/console/failures", Call::Failures(FailureCall::ChangeMany)),
    (Method::GET, "/console/failures/{hash}", Call::Failures(FailureCall::Show)),
    (Method::GET, "/console/failures/{hash}/trend.csv", Call::Failures(FailureCall::Trend)),
    (Method::POST, "/console/failures/{hash}", Call::Failures(FailureCall::Change)),
    (Method::GET, "/console/failures/{hash}/delete", Call::Failures(FailureCall::AskDelete)),
    (Method::POST, "/console/failures/{hash}/delete", Call::Failures(FailureCall::Delete)),
    (Method::GET, "/console/failures/{hash}/details/{id}", Call::Failures(FailureCall::Details)),
    (Method::GET, "/console/history", Call::History),
    (Method::GET, "/console/history.jsonl", Call::HistoryFile),
    (Method::GET, "/console/setup", Call::Setup(SetupCall::Show)),
    (Method::GET, "/console/setup/snippets", Call::Setup(SetupCall::Snippets)),
    (Method::GET, "/console/setup/apps/new", Call::Setup(SetupCall::NewApp)),
    (Method::POST, "/console/setup/apps/new", Call::Setup(SetupCall::CreateApp)),
    (Method::GET, "/console/setup/apps/{id}", Call::Setup(SetupCall::EditApp)),
    (Method::POST, "/console/setup/apps/{id}", Call::Setup(SetupCall::UpdateApp)),
    (Method::GET, "/console/setup/apps/{id}/delete", Call::Setup(SetupCall::AskDeleteApp)),
    (Method::POST, "/console/setup/apps/{id}/delete", Call::Setup(SetupCall::DeleteApp)),
    (Method::GET, "/console/setup/webhooks/new", Call::Setup(SetupCall::NewWebhook)),
    (Method::POST, "/console/setup/webhooks/new", Call::Setup(SetupCall::CreateWebhook)),
    (Method::GET, "/console/setup/webhooks/{id}", Call::Setup(SetupCall::AskTestWebhook)),
    (Method::POST, "/console/setup/webhooks/{id}", Call::Setup(SetupCall::TestWebhook)),
    (Method::GET, "/console/setup/webhooks/{id}/delete", Call::Setup(SetupCall::AskDeleteWebhook)),
    (Method::POST, "/console/setup/webhooks/{id}/delete", Call::Setup(SetupCall::DeleteWebhook)),
    (Method::GET, "/console/setup/{kind}/new", Call::Setup(SetupCall::New)),
    (Method::POST, "/console/setup/{kind}/new", Call::Setup(SetupCall::Create)),
    (Method::GET, "/console/setup/{kind}/{id}", Call::Setup(SetupCall::Edit)),
    (Method::POST, "/console/setup/{kind}/{id}", Call::Setup(SetupCall::Update)),
    (Method::GET, "/console/setup/{kind}/{id}/delete", Call::Setup(SetupCall::AskDelete)),
    (Method::POST, "/console/setup/{kind}/{id}/delete", Call::Setup(SetupCall::Delete)),
    (Method::GET, "/console/people", Call::People(PeopleCall::Show)),
    (Method::GET, "/console/people/shown", Call::People(PeopleCall::Secret)),
    (Method::POST, "/console/people/password", Call::People(PeopleCall::ChangePassword)),
    (Method::GET, "/console/people/users/new", Call::People(PeopleCall::NewUser)),
    (Method::POST, "/console/people/users/new", Call::People(PeopleCall::CreateUser)),
    (Method::GET, "/console/people/users/{id}", Call::People(PeopleCall::EditUser)),
    (Method::POST, "/console/people/users/{id}", Call::People(PeopleCall::UpdateUser)),
    (Method::GET, "/console/people/users/{id}/delete", Call::People(PeopleCall::AskDeleteUser)),
    (Method::POST, "/console/people/users/{id}/delete", Call::People(PeopleCall::DeleteUser)),
    (Method::GET, "/console/people/tokens/new", Call::People(PeopleCall::NewToken)),
    (Method::POST, "/console/people/tokens/new", Call::People(PeopleCall::CreateToken)),
    (Method::GET, "/console/people/tokens/{id}/delete", Call::People(PeopleCall::AskRevokeToken)),
    (Method::POST, "/console/people/tokens/{id}/delete", Call::People(PeopleCall::RevokeToken)),
    (Method::GET, "/console/people/download-tokens/{app}", Call::People(PeopleCall::AskDownloadToken)),
    (Method::POST, "/console/people/download-tokens/{app}", Call::People(PeopleCall::ReplaceDownloadToken)),
    (Method::POST, "/console/people/report-keys/{app}", Call::People(PeopleCall::ShowReportKey)),
    (Method::GET, "/console/people/report-keys/{app}/replace", Call::People(PeopleCall::AskReportKey)),
    (Method::POST, "/console/people/report-keys/{app}/replace", Call::People(PeopleCall::ReplaceReportKey)),
    (Method::GET, "/console/trust", Call::Trust),
    (Method::GET, "/console/trust/{app}", Call::TrustOfApplication),
    (Method::GET, "/console/apps/{app}/client", Call::Client),
    (Method::GET, "/console/apps/{app}/publish", Call::ShowPublish),
    (Method::POST, "/console/apps/{app}/publish/plan", Call::PublishPlan),
    (Method::POST, "/console/apps/{app}/publish/bases", Call::PublishBases),
    (Method::POST, "/console/apps/{app}/publish/init", Call::PublishInit),
    (Method::POST, "/console/apps/{app}/publish/renew", Call::PublishRenew),
    (Method::POST, "/console/apps/{app}/publish/complete", Call::PublishComplete),
    (Method::GET, "/console/apps/{app}/releases/{id}", Call::Release(ReleaseCall::Show)),
    (Method::POST, "/console/apps/{app}/releases/{id}", Call::Release(ReleaseCall::Edit)),
    (Method::POST, "/console/apps/{app}/releases/{id}/rollout", Call::Release(ReleaseCall::Order)),
    (Method::POST, "/console/apps/{app}/releases/{id}/offer", Call::Release(ReleaseCall::Publish)),
    (Method::POST, "/console/apps/{app}/releases/{id}/promote", Call::Release(ReleaseCall::Promote)),
    (Method::POST, "/console/apps/{app}/releases/{id}/demote", Call::Release(ReleaseCall::Demote)),
    (Method::POST, "/console/apps/{app}/releases/{id}/groups", Call::Release(ReleaseCall::LetIn)),
    (Method::POST, "/console/apps/{app}/releases/{id}/requires", Call::Release(ReleaseCall::Require)),
    (Method::GET, "/console/apps/{app}/releases/{id}/withdraw", Call::Release(ReleaseCall::AskWithdraw)),
    (Method::POST, "/console/apps/{app}/releases/{id}/withdraw", Call::Release(ReleaseCall::Withdraw)),
    (Method::POST, "/console/apps/{app}/releases/{id}/restore", Call::Release(ReleaseCall::Restore)),
    (Method::GET, "/console/apps/{app}/releases/{id}/delete", Call::Release(ReleaseCall::AskDelete)),
    (Method::POST, "/console/apps/{app}/releases/{id}/delete", Call::Release(ReleaseCall::Delete)),
    (
        Method::GET,
        "/console/apps/{app}/releases/{id}/artifacts/{artifact}/delete",
        Call::Release(ReleaseCall::AskDeleteArtifact),
    ),
    (
        Method::POST,
        "/console/apps/{app}/releases/{id}/artifacts/{artifact}/delete",
        Call::Release(ReleaseCall::DeleteArtifact),
    ),
    (Method::GET, "/console/apps/{app}/groups", Call::DeviceGroups(DeviceGroupCall::Show)),
    (Method::POST, "/console/apps/{app}/groups", Call::DeviceGroups(DeviceGroupCall::Create)),
    (Method::GET, "/console/apps/{app}/groups/{id}", Call::DeviceGroups(DeviceGroupCall::ShowOne)),
    (Method::POST, "/console/apps/{app}/groups/{id}", Call::DeviceGroups(DeviceGroupCall::ChangeDevices)),
    (Method::GET, "/console/apps/{app}/groups/{id}/key", Call::DeviceGroups(DeviceGroupCall::AskKey)),
    (Method::POST, "/console/apps/{app}/groups/{id}/key", Call::DeviceGroups(DeviceGroupCall::ReplaceKey)),
    (Method::GET, "/console/apps/{app}/groups/{id}/delete", Call::DeviceGroups(DeviceGroupCall::AskDelete)),
    (Method::POST, "/console/apps/{app}/groups/{id}/delete", Call::DeviceGroups(DeviceGroupCall::Delete)),
    (Method::GET, "/console/apps/{app}/stop", Call::Shutoffs(ShutoffCall::AskStop)),
    (Method::POST, "/console/apps/{app}/stop", Call::Shutoffs(ShutoffCall::Stop)),
    (Method::GET, "/console/apps/{app}/shutoffs/{id}/lift", Call::Shutoffs(ShutoffCall::AskLift)),
    (Method::POST, "/console/apps/{app}/shutoffs/{id}/lift", Call::Shutoffs(ShutoffCall::Lift)),
    (Method::GET, "/console/{rest...}", Call::Nothing),
]);

/// Answers every request with a page, even after an error.
pub(crate) async fn answer(host: &dyn Host, call: Call, request: Request) -> Response {
    let accepted = respond::accepted(&request).map(ToOwned::to_owned);
    // The address of a form may not be a page, so a login does not return to it.
    let is_page = *request.method() == Method::GET;
    let path = if is_page { request.target().to_owned() } else { Address::page([]).to_string() };
    let answer = match Context::new(host, &request) {
        Ok(context) if context.came_from_elsewhere(&request) => come_again(),
        Ok(context) => {
            let answer = page(&context, call, request).await;
            let answer = answer.unwrap_or_else(|error| failed(&context, &error, &path));
            // Shared caches store assets for everybody, and would hand out one visitor's cookie.
            let has_own = call == Call::Asset || answer.headers().contains_key(http::header::SET_COOKIE);
            respond::with_cookie(answer, context.new_cookie().filter(|_| !has_own))
        }
        Err(error) => problem(&error),
    };
    respond::compressed(answer, accepted.as_deref())
}

async fn page(context: &Context<'_>, call: Call, request: Request) -> Result<Response> {
    match call {
        Call::Home => Ok(respond::see_other(&Address::page([]))),
        Call::Asset => assets::serve(&request),
        Call::ShowLogin => pages::login::show(context, &request).await,
        Call::Login => pages::login::login(context, request).await,
        Call::Logout => pages::login::logout(context, request).await,
        Call::ShowSignup => Ok(pages::signup::show(context)),
        Call::Signup => pages::signup::signup(context, request).await,
        Call::Overview => pages::overview::show(context, &request).await,
        Call::Application => pages::application::show(context, &request).await,
        Call::AdoptionFile => pages::application::adoption_csv(context, &request).await,
        Call::Telemetry => pages::telemetry::show(context, &request).await,
        Call::TelemetryFile => pages::telemetry::csv(context, &request).await,
        Call::Failures(call) => pages::failures::answer(context, call, request).await,
        Call::History => pages::history::show(context, &request).await,
        Call::HistoryFile => pages::history::file(context, &request).await,
        Call::Setup(call) => pages::setup::answer(context, call, request).await,
        Call::People(call) => pages::people::answer(context, call, request).await,
        Call::Trust => pages::trust::show(context, &request).await,
        Call::TrustOfApplication => pages::trust::show_application(context, &request).await,
        Call::ShowPublish => pages::publish::show(context, &request).await,
        Call::PublishPlan => Ok(for_script(pages::publish::plan(context, request).await)),
        Call::PublishBases => Ok(for_script(pages::publish::bases(context, request).await)),
        Call::PublishInit => Ok(for_script(pages::publish::init(context, request).await)),
        Call::PublishRenew => Ok(for_script(pages::publish::renew(context, request).await)),
        Call::PublishComplete => Ok(for_script(pages::publish::complete(context, request).await)),
        Call::Client => pages::client::show(context, &request).await,
        Call::Release(call) => pages::release::answer(context, call, request).await,
        Call::DeviceGroups(call) => pages::device_groups::answer(context, call, request).await,
        Call::Shutoffs(call) => pages::shutoffs::answer(context, call, request).await,
        Call::Nothing => Err(ConsoleError::NoPage),
    }
}

/// A page that reloads itself: this time the request comes from this site, so the browser sends the
/// login.
fn come_again() -> Response {
    let markup = html! {
        (maud::DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; meta http-equiv="refresh" content="0"; title { "Spindrift" } }
            body { p { "One moment. " a href="" { "Go on" } } }
        }
    };
    respond::page(StatusCode::OK, markup, &Policy::default())
}

/// The page for an error. Visitors who are not logged in are sent to the login, and return from
/// there.
fn failed(context: &Context<'_>, error: &ConsoleError, wanted: &str) -> Response {
    if let ConsoleError::NoAnswer(reason) = error {
        log::warn("a page of the console failed", reason);
    }
    if !matches!(error, ConsoleError::LoggedOut) {
        return problem(error);
    }
    let over = Cookie::Session.remove(context.is_secure()).filter(|_| context.service.has_token());
    respond::with_cookie(respond::see_other(&pages::login::address(wanted)), over)
}

fn problem(error: &ConsoleError) -> Response {
    let status = error.status();
    let page = Page::new("Problem").after(Some(Problem::new(status, error.to_string())));
    let to_overview = html! { p { a href=(Address::page([])) { "To the overview" } } };
    if matches!(error, ConsoleError::NoPage) {
        return page.show(&html! {
            section.alone {
                h1 { "There is no such page" }
                p { "The address is wrong, it names something that was deleted, or you may not see it." }
                (to_overview)
            }
        });
    }
    let heading = if status.is_server_error() { "Something failed" } else { "That did not work" };
    page.show_alone(heading, &html! { (advice(error, status)) (to_overview) })
}

fn advice(error: &ConsoleError, status: StatusCode) -> Markup {
    html! {
        @if let ConsoleError::Refused { request_id: Some(id), .. } = error {
            p { "The log has the cause under the request id " code { (id) } "." }
        }
        @if matches!(error, ConsoleError::Stale) {
            p {
                "Nothing has been changed. Go back in your browser, copy what you have typed, and load the page again: "
                "only then can it be sent."
            }
        } @else if status.is_client_error() {
            p { "Nothing has been changed. Go back in your browser: your input is still there." }
        }
    }
}

#[cfg(test)]
mod tests {
    use spindrift_web::ResponseBody;

    use super::*;

    #[test]
    fn only_failed_forms_say_that_nothing_changed() {
        let shown = |error: &ConsoleError| {
            let answer = problem(error);
            let ResponseBody::Full(text) = answer.body() else { panic!("a full body") };
            String::from_utf8(text.to_vec()).unwrap()
        };
        let missing = shown(&ConsoleError::NoPage);
        assert!(missing.contains("There is no such page") && !missing.contains("changed"), "{missing}");
        let forged = shown(&ConsoleError::Forged);
        assert!(forged.contains("did not work") && forged.contains("Nothing has been changed"), "{forged}");
    }
}
