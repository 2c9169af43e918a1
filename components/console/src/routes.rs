//! The routes of the console.

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_service::log;
use spindrift_web::{Request, Response, Routes};

use crate::pages::device_groups::DeviceGroupCall;
use crate::pages::failures::FailureCall;
use crate::pages::people::{PasskeyCall, PeopleCall, SsoCall};
use crate::pages::prove::Unproved;
use crate::pages::publish::for_script;
use crate::pages::release::ReleaseCall;
use crate::pages::setup::SetupCall;
use crate::pages::shutoffs::ShutoffCall;
use crate::{
    Address, ConsoleError, ConsolePage, Context, Cookie, Host, Problem, Result, assets, pages, parts, respond,
};

/// The pages, and the actions of their forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsoleCall {
    /// Redirects to the overview.
    Home,
    /// A style, script or picture.
    Asset,
    ShowLogin,
    Login,
    /// Asks for a passkey to log in with.
    AskForPasskey,
    /// Logs in with a passkey.
    LoginWithPasskey,
    /// Logs in with a recovery code.
    Recover,
    /// Leads to the provider for single sign-on.
    BeginSignIn,
    /// The way back from the provider.
    FinishSignIn,
    Logout,
    /// Asks for a fresh proof of identity.
    ShowProof,
    Prove,
    /// Asks whether a program may log in.
    ShowDevice,
    AnswerDevice,
    /// The form that creates the first admin.
    ShowSignup,
    /// Creates the first admin.
    Signup,
    /// Asks before a release is halted with a link from a message.
    ShowHalt,
    /// Halts a release with a link from a message.
    Halt,
    /// The form with which an invited person joins a team.
    ShowInvitation,
    /// Joins the team.
    AcceptInvitation,
    Overview,
    /// Finds applications, releases, people and pages by name.
    Find,
    /// An application: its releases, and their adoption.
    Application,
    /// The page for a bad release, with its buttons.
    Emergency,
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
    /// Which of the chosen files are feeds. Called by the form's script, like the next five.
    PublishPlan,
    /// The receipt of the release that the form describes.
    PublishReceipt,
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
    /// The freezes, and the form for a new one.
    ShowFreezes,
    /// Adds a freeze.
    Freeze,
    /// Ends a freeze early.
    EndFreeze,
    /// The page does not exist.
    Nothing,
}

pub const ROUTES: Routes<ConsoleCall> = Routes(&[
    (Method::GET, "/console", ConsoleCall::Home),
    (Method::GET, "/console/", ConsoleCall::Overview),
    (Method::GET, "/console/assets/{name}", ConsoleCall::Asset),
    (Method::GET, "/console/login", ConsoleCall::ShowLogin),
    (Method::POST, "/console/login", ConsoleCall::Login),
    (Method::POST, "/console/login/passkey", ConsoleCall::AskForPasskey),
    (Method::POST, "/console/login/answer", ConsoleCall::LoginWithPasskey),
    (Method::POST, "/console/login/recover", ConsoleCall::Recover),
    (Method::POST, "/console/login/sso", ConsoleCall::BeginSignIn),
    (Method::GET, "/console/sso", ConsoleCall::FinishSignIn),
    (Method::POST, "/console/logout", ConsoleCall::Logout),
    (Method::GET, "/console/prove", ConsoleCall::ShowProof),
    (Method::POST, "/console/prove", ConsoleCall::Prove),
    (Method::GET, "/console/device", ConsoleCall::ShowDevice),
    (Method::POST, "/console/device", ConsoleCall::AnswerDevice),
    (Method::GET, "/console/invitation", ConsoleCall::ShowInvitation),
    (Method::POST, "/console/invitation", ConsoleCall::AcceptInvitation),
    (Method::GET, "/console/signup", ConsoleCall::ShowSignup),
    (Method::POST, "/console/signup", ConsoleCall::Signup),
    (Method::GET, "/console/find", ConsoleCall::Find),
    (Method::GET, "/console/halt", ConsoleCall::ShowHalt),
    (Method::POST, "/console/halt", ConsoleCall::Halt),
    (Method::GET, "/console/apps/{app}", ConsoleCall::Application),
    (Method::GET, "/console/apps/{app}/emergency", ConsoleCall::Emergency),
    (Method::GET, "/console/apps/{app}/adoption.csv", ConsoleCall::AdoptionFile),
    (Method::GET, "/console/telemetry", ConsoleCall::Telemetry),
    (Method::GET, "/console/telemetry.csv", ConsoleCall::TelemetryFile),
    (Method::GET, "/console/failures", ConsoleCall::Failures(FailureCall::List)),
    (Method::POST, "/console/failures", ConsoleCall::Failures(FailureCall::ChangeMany)),
    (Method::GET, "/console/failures/{hash}", ConsoleCall::Failures(FailureCall::Show)),
    (Method::GET, "/console/failures/{hash}/trend.csv", ConsoleCall::Failures(FailureCall::Trend)),
    (Method::POST, "/console/failures/{hash}", ConsoleCall::Failures(FailureCall::Change)),
    (Method::GET, "/console/failures/{hash}/delete", ConsoleCall::Failures(FailureCall::AskDelete)),
    (Method::POST, "/console/failures/{hash}/delete", ConsoleCall::Failures(FailureCall::Delete)),
    (Method::GET, "/console/failures/{hash}/details/{id}", ConsoleCall::Failures(FailureCall::Details)),
    (Method::GET, "/console/history", ConsoleCall::History),
    (Method::GET, "/console/history.jsonl", ConsoleCall::HistoryFile),
    (Method::GET, "/console/setup", ConsoleCall::Setup(SetupCall::Show)),
    (Method::GET, "/console/setup/start", ConsoleCall::Setup(SetupCall::Start)),
    (Method::POST, "/console/setup/start", ConsoleCall::Setup(SetupCall::CreateFirst)),
    (Method::GET, "/console/setup/snippets", ConsoleCall::Setup(SetupCall::Snippets)),
    (Method::GET, "/console/setup/apps/new", ConsoleCall::Setup(SetupCall::NewApp)),
    (Method::POST, "/console/setup/apps/new", ConsoleCall::Setup(SetupCall::CreateApp)),
    (Method::GET, "/console/setup/apps/{id}", ConsoleCall::Setup(SetupCall::EditApp)),
    (Method::POST, "/console/setup/apps/{id}", ConsoleCall::Setup(SetupCall::UpdateApp)),
    (Method::GET, "/console/setup/apps/{id}/delete", ConsoleCall::Setup(SetupCall::AskDeleteApp)),
    (Method::POST, "/console/setup/apps/{id}/delete", ConsoleCall::Setup(SetupCall::DeleteApp)),
    (Method::GET, "/console/setup/webhooks/new", ConsoleCall::Setup(SetupCall::NewWebhook)),
    (Method::POST, "/console/setup/webhooks/new", ConsoleCall::Setup(SetupCall::CreateWebhook)),
    (Method::GET, "/console/setup/webhooks/{id}", ConsoleCall::Setup(SetupCall::AskTestWebhook)),
    (Method::POST, "/console/setup/webhooks/{id}", ConsoleCall::Setup(SetupCall::TestWebhook)),
    (Method::GET, "/console/setup/webhooks/{id}/edit", ConsoleCall::Setup(SetupCall::EditWebhook)),
    (Method::POST, "/console/setup/webhooks/{id}/edit", ConsoleCall::Setup(SetupCall::UpdateWebhook)),
    (Method::GET, "/console/setup/webhooks/{id}/delete", ConsoleCall::Setup(SetupCall::AskDeleteWebhook)),
    (Method::POST, "/console/setup/webhooks/{id}/delete", ConsoleCall::Setup(SetupCall::DeleteWebhook)),
    (Method::GET, "/console/setup/{kind}/new", ConsoleCall::Setup(SetupCall::New)),
    (Method::POST, "/console/setup/{kind}/new", ConsoleCall::Setup(SetupCall::Create)),
    (Method::GET, "/console/setup/{kind}/{id}", ConsoleCall::Setup(SetupCall::Edit)),
    (Method::POST, "/console/setup/{kind}/{id}", ConsoleCall::Setup(SetupCall::Update)),
    (Method::GET, "/console/setup/{kind}/{id}/delete", ConsoleCall::Setup(SetupCall::AskDelete)),
    (Method::POST, "/console/setup/{kind}/{id}/delete", ConsoleCall::Setup(SetupCall::Delete)),
    (Method::GET, "/console/people", ConsoleCall::People(PeopleCall::Show)),
    (Method::GET, "/console/people/shown", ConsoleCall::People(PeopleCall::Secret)),
    (Method::POST, "/console/people/password", ConsoleCall::People(PeopleCall::ChangePassword)),
    (Method::POST, "/console/people/logins/others", ConsoleCall::People(PeopleCall::EndOtherLogins)),
    (Method::POST, "/console/people/logins/{id}", ConsoleCall::People(PeopleCall::EndLogin)),
    (
        Method::POST,
        "/console/people/passkeys",
        ConsoleCall::People(PeopleCall::Passkeys(PasskeyCall::Create)),
    ),
    (
        Method::GET,
        "/console/people/passkeys/new",
        ConsoleCall::People(PeopleCall::Passkeys(PasskeyCall::New)),
    ),
    (
        Method::POST,
        "/console/people/passkeys/new",
        ConsoleCall::People(PeopleCall::Passkeys(PasskeyCall::Ask)),
    ),
    (
        Method::GET,
        "/console/people/passkeys/codes",
        ConsoleCall::People(PeopleCall::Passkeys(PasskeyCall::AskCodes)),
    ),
    (
        Method::POST,
        "/console/people/passkeys/codes",
        ConsoleCall::People(PeopleCall::Passkeys(PasskeyCall::ReplaceCodes)),
    ),
    (
        Method::GET,
        "/console/people/passkeys/requirement",
        ConsoleCall::People(PeopleCall::Passkeys(PasskeyCall::AskDemand)),
    ),
    (
        Method::POST,
        "/console/people/passkeys/requirement",
        ConsoleCall::People(PeopleCall::Passkeys(PasskeyCall::Demand)),
    ),
    (
        Method::GET,
        "/console/people/passkeys/{id}/delete",
        ConsoleCall::People(PeopleCall::Passkeys(PasskeyCall::AskRemove)),
    ),
    (
        Method::POST,
        "/console/people/passkeys/{id}/delete",
        ConsoleCall::People(PeopleCall::Passkeys(PasskeyCall::Remove)),
    ),
    (Method::POST, "/console/people/sso", ConsoleCall::People(PeopleCall::Sso(SsoCall::Bind))),
    (
        Method::GET,
        "/console/people/sso/requirement",
        ConsoleCall::People(PeopleCall::Sso(SsoCall::AskRequirement)),
    ),
    (Method::POST, "/console/people/sso/requirement", ConsoleCall::People(PeopleCall::Sso(SsoCall::Require))),
    (Method::GET, "/console/people/invitations/new", ConsoleCall::People(PeopleCall::NewInvitation)),
    (Method::POST, "/console/people/invitations/new", ConsoleCall::People(PeopleCall::CreateInvitation)),
    (
        Method::GET,
        "/console/people/invitations/{id}/delete",
        ConsoleCall::People(PeopleCall::AskRevokeInvitation),
    ),
    (
        Method::POST,
        "/console/people/invitations/{id}/delete",
        ConsoleCall::People(PeopleCall::RevokeInvitation),
    ),
    (Method::GET, "/console/people/users/new", ConsoleCall::People(PeopleCall::NewUser)),
    (Method::POST, "/console/people/users/new", ConsoleCall::People(PeopleCall::CreateUser)),
    (Method::GET, "/console/people/users/{id}", ConsoleCall::People(PeopleCall::EditUser)),
    (Method::POST, "/console/people/users/{id}", ConsoleCall::People(PeopleCall::UpdateUser)),
    (Method::GET, "/console/people/users/{id}/delete", ConsoleCall::People(PeopleCall::AskDeleteUser)),
    (Method::POST, "/console/people/users/{id}/delete", ConsoleCall::People(PeopleCall::DeleteUser)),
    (Method::GET, "/console/people/tokens/new", ConsoleCall::People(PeopleCall::NewToken)),
    (Method::POST, "/console/people/tokens/new", ConsoleCall::People(PeopleCall::CreateToken)),
    (Method::GET, "/console/people/tokens/{id}/delete", ConsoleCall::People(PeopleCall::AskRevokeToken)),
    (Method::POST, "/console/people/tokens/{id}/delete", ConsoleCall::People(PeopleCall::RevokeToken)),
    (Method::GET, "/console/people/publishers/new", ConsoleCall::People(PeopleCall::NewPublisher)),
    (Method::POST, "/console/people/publishers/new", ConsoleCall::People(PeopleCall::CreatePublisher)),
    (
        Method::GET,
        "/console/people/publishers/{id}/delete",
        ConsoleCall::People(PeopleCall::AskRemovePublisher),
    ),
    (
        Method::POST,
        "/console/people/publishers/{id}/delete",
        ConsoleCall::People(PeopleCall::RemovePublisher),
    ),
    (Method::GET, "/console/people/download-tokens/{app}", ConsoleCall::People(PeopleCall::AskDownloadToken)),
    (
        Method::POST,
        "/console/people/download-tokens/{app}",
        ConsoleCall::People(PeopleCall::ReplaceDownloadToken),
    ),
    (Method::POST, "/console/people/report-keys/{app}", ConsoleCall::People(PeopleCall::ShowReportKey)),
    (Method::GET, "/console/people/report-keys/{app}/replace", ConsoleCall::People(PeopleCall::AskReportKey)),
    (
        Method::POST,
        "/console/people/report-keys/{app}/replace",
        ConsoleCall::People(PeopleCall::ReplaceReportKey),
    ),
    (Method::GET, "/console/trust", ConsoleCall::Trust),
    (Method::GET, "/console/trust/{app}", ConsoleCall::TrustOfApplication),
    (Method::GET, "/console/apps/{app}/client", ConsoleCall::Client),
    (Method::GET, "/console/apps/{app}/publish", ConsoleCall::ShowPublish),
    (Method::POST, "/console/apps/{app}/publish/plan", ConsoleCall::PublishPlan),
    (Method::POST, "/console/apps/{app}/publish/receipt", ConsoleCall::PublishReceipt),
    (Method::POST, "/console/apps/{app}/publish/bases", ConsoleCall::PublishBases),
    (Method::POST, "/console/apps/{app}/publish/init", ConsoleCall::PublishInit),
    (Method::POST, "/console/apps/{app}/publish/renew", ConsoleCall::PublishRenew),
    (Method::POST, "/console/apps/{app}/publish/complete", ConsoleCall::PublishComplete),
    (Method::GET, "/console/apps/{app}/releases/{id}", ConsoleCall::Release(ReleaseCall::Show)),
    (Method::POST, "/console/apps/{app}/releases/{id}", ConsoleCall::Release(ReleaseCall::Edit)),
    (Method::POST, "/console/apps/{app}/releases/{id}/rollout", ConsoleCall::Release(ReleaseCall::Order)),
    (Method::POST, "/console/apps/{app}/releases/{id}/offer", ConsoleCall::Release(ReleaseCall::Publish)),
    (Method::POST, "/console/apps/{app}/releases/{id}/promote", ConsoleCall::Release(ReleaseCall::Promote)),
    (Method::POST, "/console/apps/{app}/releases/{id}/demote", ConsoleCall::Release(ReleaseCall::Demote)),
    (Method::POST, "/console/apps/{app}/releases/{id}/groups", ConsoleCall::Release(ReleaseCall::LetIn)),
    (Method::POST, "/console/apps/{app}/releases/{id}/requires", ConsoleCall::Release(ReleaseCall::Require)),
    (
        Method::GET,
        "/console/apps/{app}/releases/{id}/withdraw",
        ConsoleCall::Release(ReleaseCall::AskWithdraw),
    ),
    (Method::POST, "/console/apps/{app}/releases/{id}/withdraw", ConsoleCall::Release(ReleaseCall::Withdraw)),
    (Method::POST, "/console/apps/{app}/releases/{id}/restore", ConsoleCall::Release(ReleaseCall::Restore)),
    (Method::GET, "/console/apps/{app}/releases/{id}/delete", ConsoleCall::Release(ReleaseCall::AskDelete)),
    (Method::POST, "/console/apps/{app}/releases/{id}/delete", ConsoleCall::Release(ReleaseCall::Delete)),
    (
        Method::GET,
        "/console/apps/{app}/releases/{id}/artifacts/{artifact}/delete",
        ConsoleCall::Release(ReleaseCall::AskDeleteArtifact),
    ),
    (
        Method::POST,
        "/console/apps/{app}/releases/{id}/artifacts/{artifact}/delete",
        ConsoleCall::Release(ReleaseCall::DeleteArtifact),
    ),
    (Method::GET, "/console/apps/{app}/groups", ConsoleCall::DeviceGroups(DeviceGroupCall::Show)),
    (Method::POST, "/console/apps/{app}/groups", ConsoleCall::DeviceGroups(DeviceGroupCall::Create)),
    (Method::GET, "/console/apps/{app}/groups/{id}", ConsoleCall::DeviceGroups(DeviceGroupCall::ShowOne)),
    (
        Method::POST,
        "/console/apps/{app}/groups/{id}",
        ConsoleCall::DeviceGroups(DeviceGroupCall::ChangeDevices),
    ),
    (Method::GET, "/console/apps/{app}/groups/{id}/key", ConsoleCall::DeviceGroups(DeviceGroupCall::AskKey)),
    (
        Method::POST,
        "/console/apps/{app}/groups/{id}/key",
        ConsoleCall::DeviceGroups(DeviceGroupCall::ReplaceKey),
    ),
    (
        Method::GET,
        "/console/apps/{app}/groups/{id}/delete",
        ConsoleCall::DeviceGroups(DeviceGroupCall::AskDelete),
    ),
    (
        Method::POST,
        "/console/apps/{app}/groups/{id}/delete",
        ConsoleCall::DeviceGroups(DeviceGroupCall::Delete),
    ),
    (Method::GET, "/console/freezes", ConsoleCall::ShowFreezes),
    (Method::POST, "/console/freezes", ConsoleCall::Freeze),
    (Method::POST, "/console/freezes/{id}/end", ConsoleCall::EndFreeze),
    (Method::GET, "/console/apps/{app}/stop", ConsoleCall::Shutoffs(ShutoffCall::AskStop)),
    (Method::POST, "/console/apps/{app}/stop", ConsoleCall::Shutoffs(ShutoffCall::Stop)),
    (Method::GET, "/console/apps/{app}/shutoffs/{id}/lift", ConsoleCall::Shutoffs(ShutoffCall::AskLift)),
    (Method::POST, "/console/apps/{app}/shutoffs/{id}/lift", ConsoleCall::Shutoffs(ShutoffCall::Lift)),
    (Method::GET, "/console/{rest...}", ConsoleCall::Nothing),
]);

/// Answers every request with a page, even after an error.
pub(crate) async fn answer(host: &dyn Host, call: ConsoleCall, request: Request) -> Response {
    let accepted = respond::accepted_codings(&request).map(ToOwned::to_owned);
    let known = request.header("if-none-match").map(ToOwned::to_owned);
    let is_page = *request.method() == Method::GET;
    let target = request.target().to_owned();
    // The link is all that such a page needs: no login, and no cookie.
    let is_link = matches!(call, ConsoleCall::ShowHalt | ConsoleCall::Halt);
    // The address of the page has a link's token, or the provider's code.
    let has_secret = is_link || call == ConsoleCall::FinishSignIn;
    let answer = match Context::new(host, &request) {
        Ok(context) if !is_link && context.came_from_elsewhere(&request) => reload_with_login(),
        Ok(context) => {
            let answer = match page(&context, call, request).await {
                Ok(answer) => answer,
                Err(error) => error_page(&context, error, (target.as_str(), is_page)).await,
            };
            // Shared caches store assets for everybody, and would hand out one visitor's cookie.
            let has_own = is_link
                || call == ConsoleCall::Asset
                || answer.headers().contains_key(http::header::SET_COOKIE);
            respond::with_cookie(answer, context.new_cookie().filter(|_| !has_own))
        }
        Err(error) => problem(&error),
    };
    let answer = if has_secret { respond::without_referrer(answer) } else { answer };
    respond::compress(respond::unless_known(answer, known.as_deref()), accepted.as_deref())
}

async fn page(context: &Context<'_>, call: ConsoleCall, request: Request) -> Result<Response> {
    match call {
        ConsoleCall::Home => Ok(respond::see_other(&Address::page([]))),
        ConsoleCall::Asset => assets::serve(&request),
        ConsoleCall::ShowLogin => pages::login::show(context, &request).await,
        ConsoleCall::Login => pages::login::login(context, request).await,
        ConsoleCall::AskForPasskey => pages::login::ask(context, request).await,
        ConsoleCall::LoginWithPasskey => pages::login::answer(context, request).await,
        ConsoleCall::Recover => pages::login::recover(context, request).await,
        ConsoleCall::BeginSignIn => pages::login::begin_sign_in(context, request).await,
        ConsoleCall::FinishSignIn => pages::sso::finish(context, &request).await,
        ConsoleCall::Logout => pages::login::logout(context, request).await,
        ConsoleCall::ShowProof => pages::prove::show(context, &request).await,
        ConsoleCall::Prove => pages::prove::prove(context, request).await,
        ConsoleCall::ShowDevice => pages::device::show(context, &request).await,
        ConsoleCall::AnswerDevice => pages::device::answer(context, request).await,
        ConsoleCall::ShowSignup => Ok(pages::signup::show(context)),
        ConsoleCall::Signup => pages::signup::signup(context, request).await,
        ConsoleCall::ShowHalt => pages::halt::show(context, &request).await,
        ConsoleCall::Halt => pages::halt::halt(context, request).await,
        ConsoleCall::ShowInvitation => pages::invitation::show(context, &request).await,
        ConsoleCall::AcceptInvitation => pages::invitation::accept(context, request).await,
        ConsoleCall::Overview => pages::overview::show(context, &request).await,
        ConsoleCall::Find => pages::find::show(context, &request).await,
        ConsoleCall::Application => pages::application::show(context, &request).await,
        ConsoleCall::Emergency => pages::application::emergency(context, &request).await,
        ConsoleCall::AdoptionFile => pages::application::adoption_csv(context, &request).await,
        ConsoleCall::Telemetry => pages::telemetry::show(context, &request).await,
        ConsoleCall::TelemetryFile => pages::telemetry::csv(context, &request).await,
        ConsoleCall::Failures(call) => pages::failures::answer(context, call, request).await,
        ConsoleCall::History => pages::history::show(context, &request).await,
        ConsoleCall::HistoryFile => pages::history::file(context, &request).await,
        ConsoleCall::Setup(call) => pages::setup::answer(context, call, request).await,
        ConsoleCall::People(call) => pages::people::answer(context, call, request).await,
        ConsoleCall::Trust => pages::trust::show(context, &request).await,
        ConsoleCall::TrustOfApplication => pages::trust::show_application(context, &request).await,
        ConsoleCall::ShowPublish => pages::publish::show(context, &request).await,
        ConsoleCall::PublishPlan => Ok(for_script(pages::publish::plan(context, request).await)),
        ConsoleCall::PublishReceipt => Ok(for_script(pages::publish::receipt(context, request).await)),
        ConsoleCall::PublishBases => Ok(for_script(pages::publish::bases(context, request).await)),
        ConsoleCall::PublishInit => Ok(for_script(pages::publish::init(context, request).await)),
        ConsoleCall::PublishRenew => Ok(for_script(pages::publish::renew(context, request).await)),
        ConsoleCall::PublishComplete => Ok(for_script(pages::publish::complete(context, request).await)),
        ConsoleCall::Client => pages::client::show(context, &request).await,
        ConsoleCall::Release(call) => pages::release::answer(context, call, request).await,
        ConsoleCall::DeviceGroups(call) => pages::device_groups::answer(context, call, request).await,
        ConsoleCall::Shutoffs(call) => pages::shutoffs::answer(context, call, request).await,
        ConsoleCall::ShowFreezes => pages::freezes::show(context, &request).await,
        ConsoleCall::Freeze => pages::freezes::create(context, request).await,
        ConsoleCall::EndFreeze => pages::freezes::end(context, request).await,
        ConsoleCall::Nothing => Err(ConsoleError::NoPage),
    }
}

/// A page that reloads itself: this time the request comes from this site, so the browser sends the
/// login.
fn reload_with_login() -> Response {
    respond::lead_on("")
}

/// The page for an error. Visitors who are not logged in are sent to the login, and return from there. Some errors are
/// questions: for a fresh proof, or for a passkey that the visitor has to add. `target`: path and query of the request.
async fn error_page(context: &Context<'_>, error: ConsoleError, (target, is_page): (&str, bool)) -> Response {
    let error = match ask_for_proof(context, error, (target, is_page)).await {
        Ok(question) => return question,
        Err(error) => error,
    };
    if let ConsoleError::NoAnswer(reason) = &error {
        log::warn("a page of the console failed", reason);
    }
    match error {
        ConsoleError::LoggedOut => {
            // The address of a form may not be a page, so a login does not return to it.
            let wanted = if is_page { target.to_owned() } else { Address::page([]).to_string() };
            let over = Cookie::Session.remove(context.is_secure()).filter(|_| context.service.has_token());
            respond::with_cookie(respond::see_other(&pages::login::address(&wanted)), over)
        }
        ConsoleError::PasskeyRequired => respond::see_other(&pages::people::new_passkey_page()),
        error => problem(&error),
    }
}

/// The question for a fresh proof, if the error is that there was none. `Err`: another error.
async fn ask_for_proof(
    context: &Context<'_>,
    error: ConsoleError,
    (target, is_page): (&str, bool),
) -> Result<Response> {
    let problem = match error {
        ConsoleError::FreshLoginRequired => None,
        ConsoleError::NotProved(text) => Some(Problem::new(StatusCode::FORBIDDEN, text)),
        other => return Err(other),
    };
    let page = if is_page { target.to_owned() } else { page_of_form(target) };
    pages::prove::ask(context, &Unproved { target, page: &page, is_form: !is_page }, problem).await
}

/// The page to return to from a form: the page with its address, or else the nearest one above.
fn page_of_form(target: &str) -> String {
    let path = target.split('?').next().unwrap_or_default();
    let is_page = |path: &str| {
        path.starts_with("/console/")
            && ROUTES.find(&Method::GET, path).is_ok_and(|call| call != ConsoleCall::Nothing)
    };
    if is_page(path) {
        return target.to_owned();
    }
    let mut above = std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0));
    above.find(|path| is_page(path)).map_or_else(|| Address::page([]).to_string(), ToOwned::to_owned)
}

fn problem(error: &ConsoleError) -> Response {
    let status = error.status();
    let page = ConsolePage::new("Problem").with_problem(Some(Problem::new(status, error.to_string())));
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
            (parts::request_id(id))
        }
        @if matches!(error, ConsoleError::Stale) {
            p {
                "Nothing has been changed. Go back in your browser, copy what you have typed, and load the \
                 page again: "
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
    fn a_form_leads_back_to_a_page() {
        for (form, page) in [
            ("/console/people/users/new", "/console/people/users/new"),
            (
                "/console/people/download-tokens/1?channel_id=2",
                "/console/people/download-tokens/1?channel_id=2",
            ),
            ("/console/people/password", "/console/people"),
            ("/console/people/passkeys", "/console/people"),
            ("/console/people/sso", "/console/people"),
            ("/console/apps/notes/releases/1/rollout?x=1", "/console/apps/notes/releases/1"),
            ("/console/logout", "/console/"),
        ] {
            assert_eq!(page_of_form(form), page);
        }
    }

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
