//! Single sign-on: the link of the visitor's account, and whether the team may log in with passwords.

mod requirement;

use maud::{Markup, html};
use spindrift_api::WhoamiBody;
use spindrift_web::{Request, Response};

pub(super) use self::requirement::change_requirement;
use super::pages::sso as page;
use crate::pages::sso::{self, Purpose};
use crate::{Context, Result, parts};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SsoCall {
    /// Links the visitor's account to one at the provider.
    Bind,
    /// Asks before password logins of the team are turned off or allowed.
    AskRequirement,
    Require,
}

/// For the visitor's own account. `provider`: its name.
pub(super) fn of_account(context: &Context<'_>, me: &WhoamiBody, provider: &str) -> Markup {
    let button = html! { button.plain type="submit" { "Link " (provider) } };
    html! {
        @if me.has_sso {
            p { "You can sign in with " (provider) "." }
        } @else {
            (parts::form(&page([]), &context.form_token(), &button))
            p.hint { "You can then sign in with " (provider) " too." }
        }
    }
}

pub(super) async fn answer(context: &Context<'_>, call: SsoCall, request: Request) -> Result<Response> {
    match call {
        SsoCall::Bind => bind(context, request).await,
        SsoCall::AskRequirement => requirement::ask(context, &request).await,
        SsoCall::Require => requirement::set(context, request).await,
    }
}

/// `POST /console/people/sso`.
async fn bind(context: &Context<'_>, request: Request) -> Result<Response> {
    let _ = context.form(request).await?;
    sso::begin(context, Purpose::Bind, None).await
}
