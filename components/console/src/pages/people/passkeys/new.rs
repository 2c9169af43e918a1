//! A new passkey: its name, then the browser's question.
//!
//! These pages load nothing but the visitor and the visitor's passkeys: somebody who has to add one may see nothing else.

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_api::{
    PasskeyCreateBody, PasskeyCreatedBody, PasskeyNewBody, PasskeyQuestionBody, PasskeysBody, WhoamiBody,
};
use spindrift_web::{Request, Response};

use super::codes;
use super::list::WHY;
use crate::pages::people::pages::{home, parent_pages, passkeys};
use crate::passkey_form::SCRIPT;
use crate::{
    Address, ConsolePage, Context, MenuEntry, Notice, PasskeyFields, PasskeyForm, PasskeyKind, Problem,
    Result, parts, respond,
};

const TITLE: &str = "Add a passkey";

/// The page with the form.
pub(crate) fn new_page() -> Address {
    passkeys(["new"])
}

/// `GET /console/people/passkeys/new`.
pub(super) async fn show(context: &Context<'_>) -> Result<Response> {
    form(context, "", None).await
}

async fn form(context: &Context<'_>, name: &str, problem: Option<Problem>) -> Result<Response> {
    let call = Address::call("/passkeys");
    let (me, own) = context.with_me(context.service.get::<PasskeysBody>(&call)).await?;
    let is_first = own.passkeys.is_empty();
    let fields = html! {
        div.stack {
            (parts::new_name(name))
            p.hint { "The name tells your passkeys apart, such as \"Laptop\"." }
            @if is_first {
                label { @if me.has_sso { "Your password, if you have one" } @else { "Your password" }
                    input type="password" name="password" autocomplete="current-password" required[!me.has_sso];
                }
            }
            div.row {
                button type="submit" { "Go on" }
                @if !me.needs_passkey { a href=(home()) { "Cancel" } }
            }
        }
    };
    let content = html! {
        @if me.needs_passkey { p.warning { "Your team needs passkeys: add one to go on." } }
        @if is_first { p { (WHY) } }
        (parts::form(&new_page(), &context.form_token(), &fields))
    };
    Ok(show_page(context.page(TITLE, &me, MenuEntry::People).with_problem(problem), &me, &content))
}

/// Somebody who has to add a passkey has no page to go back to.
fn show_page(page: ConsolePage<'_>, me: &WhoamiBody, content: &Markup) -> Response {
    let parents = parent_pages();
    let above: &[(&str, Address)] = if me.needs_passkey { &[] } else { &parents };
    page.with_parents(above).show_titled(content)
}

/// `POST /console/people/passkeys/new`: the page on which the browser makes the passkey.
pub(super) async fn ask(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form(request).await?;
    let name = sent.get("name").unwrap_or_default().trim();
    if name.is_empty() {
        // Checked before the browser makes a passkey that the service would refuse.
        let problem = Problem::new(StatusCode::BAD_REQUEST, "Give the passkey a name.");
        return form(context, name, Some(problem)).await;
    }
    let body = PasskeyNewBody { password: sent.get("password").map(ToOwned::to_owned) };
    let call = Address::call("/passkeys/new");
    let asked: Result<PasskeyQuestionBody> = context.service.send_json(Method::POST, &call, &body).await;
    match asked {
        Ok(asked) => Ok(question(context, &context.me().await?, name, &asked)),
        Err(error) => form(context, name, Some(error.about_form()?)).await,
    }
}

fn question(context: &Context<'_>, me: &WhoamiBody, name: &str, asked: &PasskeyQuestionBody) -> Response {
    let action = passkeys([]);
    let form = PasskeyForm {
        kind: PasskeyKind::Create,
        action: action.as_str(),
        fields: PasskeyFields::OWN,
        button: "Make the passkey",
    };
    let name_field = html! { input type="hidden" name="name" value=(name); };
    let content = html! {
        p { "Your browser asks where to keep " strong { (name) }
            ", and for your fingerprint, your face, a PIN or your security key." }
        (form.show(asked, &context.form_token(), &name_field))
        p { a href=(new_page()) { "Begin again" } }
    };
    show_page(context.page(TITLE, me, MenuEntry::People).with_script(SCRIPT), me, &content)
}

/// `POST /console/people/passkeys`. The first passkey comes with recovery codes.
pub(super) async fn create(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form(request).await?;
    // Loaded first: if it failed afterwards, nobody would see the codes.
    let me = context.me().await?;
    let name = sent.get("name").unwrap_or_default();
    let answer = PasskeyFields::OWN.read(&sent);
    let body = PasskeyCreateBody {
        name: Some(name.to_owned()),
        challenge: answer.challenge,
        credential: answer.credential,
    };
    let call = Address::call("/passkeys");
    let made: Result<PasskeyCreatedBody> = context.service.send_json(Method::POST, &call, &body).await;
    match made {
        Ok(made) if made.recovery_codes.is_empty() => {
            Ok(respond::see_other(&Notice::PasskeyAdded.add_to(home())))
        }
        Ok(made) => Ok(codes::show(context, &me, Notice::PasskeyAdded.text(), &made.recovery_codes)),
        Err(error) => form(context, name, Some(error.about_form()?)).await,
    }
}
