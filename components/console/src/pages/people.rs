//! The team, tokens and keys, with their permissions.

mod account;
mod ci_tokens;
mod download_tokens;
mod invitations;
mod logins;
mod names;
mod overview;
mod pages;
mod passkeys;
mod permissions;
mod publishers;
mod report_keys;
mod roles;
mod secret;
mod sso;
mod users;

use spindrift_api::DeviceGroupEntry;
use spindrift_web::{Request, Response};

pub(crate) use self::passkeys::{PasskeyCall, new_page as new_passkey_page};
pub(crate) use self::roles::explanation as role_explanation;
pub(crate) use self::sso::SsoCall;
use crate::{Context, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeopleCall {
    Show,
    /// Changes the visitor's own password.
    ChangePassword,
    /// Ends one of the visitor's logins.
    EndLogin,
    /// Ends the visitor's logins but the one of this browser.
    EndOtherLogins,
    /// The visitor's passkeys, and those of the team.
    Passkeys(PasskeyCall),
    /// Single sign-on of the visitor, and of the team.
    Sso(SsoCall),
    NewInvitation,
    CreateInvitation,
    /// Asks before an invitation is revoked.
    AskRevokeInvitation,
    RevokeInvitation,
    NewUser,
    CreateUser,
    EditUser,
    UpdateUser,
    /// Asks before a team user is deleted.
    AskDeleteUser,
    DeleteUser,
    NewToken,
    CreateToken,
    /// Asks before a CI token is revoked.
    AskRevokeToken,
    RevokeToken,
    NewPublisher,
    CreatePublisher,
    /// Asks before a publisher is removed.
    AskRemovePublisher,
    RemovePublisher,
    /// Asks before a download token is replaced.
    AskDownloadToken,
    ReplaceDownloadToken,
    ShowReportKey,
    /// Asks before a report key is replaced.
    AskReportKey,
    ReplaceReportKey,
    /// Shows a secret, once.
    Secret,
}

/// Redirects to the page that shows the secret of a new webhook, once.
pub(crate) fn show_webhook_secret(context: &Context<'_>, name: &str, secret: &str) -> Result<Response> {
    secret::hand_over(context, secret::SecretKind::Webhook, name, secret)
}

/// Redirects to the page that shows the key of a group of devices, once.
pub(crate) fn show_group_key(context: &Context<'_>, made: &DeviceGroupEntry) -> Result<Response> {
    let kind = secret::SecretKind::GroupKey;
    secret::hand_over_of(context, kind, &made.app, &made.name, made.key.as_deref().unwrap_or_default())
}

pub(crate) async fn answer(context: &Context<'_>, call: PeopleCall, request: Request) -> Result<Response> {
    match call {
        PeopleCall::Show => overview::show(context).await,
        PeopleCall::ChangePassword => account::change_password(context, request).await,
        PeopleCall::EndLogin => logins::end(context, request).await,
        PeopleCall::EndOtherLogins => logins::end_others(context, request).await,
        PeopleCall::Passkeys(call) => passkeys::answer(context, call, request).await,
        PeopleCall::Sso(call) => sso::answer(context, call, request).await,
        PeopleCall::NewInvitation => invitations::create_form(context).await,
        PeopleCall::CreateInvitation => invitations::create(context, request).await,
        PeopleCall::AskRevokeInvitation => invitations::ask_revoke(context, &request).await,
        PeopleCall::RevokeInvitation => invitations::revoke(context, request).await,
        PeopleCall::NewUser => users::create_form(context).await,
        PeopleCall::CreateUser => users::create(context, request).await,
        PeopleCall::EditUser => users::edit_form(context, &request).await,
        PeopleCall::UpdateUser => users::update(context, request).await,
        PeopleCall::AskDeleteUser => users::ask_delete(context, &request).await,
        PeopleCall::DeleteUser => users::delete(context, request).await,
        PeopleCall::NewToken => ci_tokens::create_form(context).await,
        PeopleCall::CreateToken => ci_tokens::create(context, request).await,
        PeopleCall::AskRevokeToken => ci_tokens::ask_revoke(context, &request).await,
        PeopleCall::RevokeToken => ci_tokens::revoke(context, request).await,
        PeopleCall::NewPublisher => publishers::create_form(context, &request).await,
        PeopleCall::CreatePublisher => publishers::create(context, request).await,
        PeopleCall::AskRemovePublisher => publishers::ask_remove(context, &request).await,
        PeopleCall::RemovePublisher => publishers::remove(context, request).await,
        PeopleCall::AskDownloadToken => download_tokens::ask(context, &request).await,
        PeopleCall::ReplaceDownloadToken => download_tokens::replace(context, request).await,
        PeopleCall::ShowReportKey => report_keys::show(context, request).await,
        PeopleCall::AskReportKey => report_keys::ask(context, &request).await,
        PeopleCall::ReplaceReportKey => report_keys::replace(context, request).await,
        PeopleCall::Secret => secret::show(context, &request).await,
    }
}
