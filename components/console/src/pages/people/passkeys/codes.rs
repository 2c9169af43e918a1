//! Recovery codes.

use http::Method;
use maud::html;
use spindrift_api::{RecoveryCodesBody, WhoamiBody};
use spindrift_web::{Request, Response};

use crate::pages::people::pages::{home, parent_pages, passkeys};
use crate::{Address, Confirm, Context, MenuEntry, Result, parts};

/// `GET /console/people/passkeys/codes`.
pub(super) async fn ask(context: &Context<'_>) -> Result<Response> {
    let me = context.me().await?;
    let confirm = Confirm {
        title: "Make new recovery codes?",
        consequences: html! { p { "All your earlier codes end at once." } },
        button: "Make new codes",
        action: passkeys(["codes"]),
        back: home(),
    };
    Ok(confirm.show(context, context.page("New recovery codes", &me, MenuEntry::People)))
}

/// `POST /console/people/passkeys/codes`.
pub(super) async fn replace(context: &Context<'_>, request: Request) -> Result<Response> {
    let _ = context.form(request).await?;
    // Loaded first: if it failed afterwards, nobody would see the codes.
    let me = context.me().await?;
    let call = Address::call("/passkeys/recovery-codes");
    let made: RecoveryCodesBody =
        context.service.send_json(Method::POST, &call, &serde_json::json!({})).await?;
    Ok(show(context, &me, "Your earlier codes have ended.", &made.recovery_codes))
}

/// The page that shows codes, in the answer to the form that made them: a reload cannot show them again.
pub(super) fn show(context: &Context<'_>, me: &WhoamiBody, done: &str, codes: &[String]) -> Response {
    let content = html! {
        p.done role="status" { (done) }
        p {
            "If you lose your passkeys, log in with your password and one of these codes. Each is good once. "
            strong { "Keep them outside this computer" } ", for example on paper. They are not shown again."
        }
        (parts::copyable_list("Recovery codes", codes))
        p { a.button href=(home()) { "Done" } }
    };
    let page = context.page("Your recovery codes", me, MenuEntry::People);
    page.with_parents(&parent_pages()).show_titled(&content)
}
