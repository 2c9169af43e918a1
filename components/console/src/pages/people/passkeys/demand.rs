//! The demand of an admin that everybody in the team has a passkey.

use http::Method;
use maud::{Markup, html};
use spindrift_api::{MessageBody, PasskeyRequirementBody, WhoamiBody};
use spindrift_web::{Query, Request, Response};

use crate::pages::people::pages::{home, passkeys};
use crate::{Address, Confirm, ConsoleError, Context, MenuEntry, Notice, Problem, Result, respond};

/// The parameter, and the field of the form: `1` or `0`.
const REQUIRED: &str = "required";

fn page() -> Address {
    passkeys(["requirement"])
}

/// The link that changes the demand. `is_made`: whether it holds now.
pub(in crate::pages::people) fn change_demand(is_made: bool) -> Markup {
    let (text, required) = if is_made { ("Stop requiring passkeys", "0") } else { ("Require passkeys", "1") };
    html! { a.button.plain href=(page().with(REQUIRED, required)) { (text) } }
}

fn is_required(form: &Query) -> bool {
    form.get(REQUIRED) == Some("1")
}

/// `GET /console/people/passkeys/requirement?required=`.
pub(super) async fn ask(context: &Context<'_>, request: &Request) -> Result<Response> {
    let required = is_required(&request.query()?);
    let me = context.me().await?;
    if me.is_admin { Ok(question(context, &me, required, None)) } else { Err(ConsoleError::NoPage) }
}

fn question(context: &Context<'_>, me: &WhoamiBody, required: bool, problem: Option<Problem>) -> Response {
    let (title, text, button) = if required {
        let text = "From their next step on, team users without a passkey can do nothing but add one. Programs that they \
                    have logged in stop working until then. CI tokens go on.";
        ("Require passkeys of the team?", text, "Require passkeys")
    } else {
        let text = "Team users without a passkey then log in with their password alone.";
        ("Stop requiring passkeys of the team?", text, "Stop requiring passkeys")
    };
    let confirm =
        Confirm { title, consequences: html! { p { (text) } }, button, action: page(), back: home() };
    let field = html! { input type="hidden" name=(REQUIRED) value=(if required { "1" } else { "0" }); };
    let page = context.page("Passkeys of the team", me, MenuEntry::People).with_problem(problem);
    confirm.show_with(context, page, &field)
}

/// `POST /console/people/passkeys/requirement`.
pub(super) async fn set(context: &Context<'_>, request: Request) -> Result<Response> {
    let required = is_required(&context.form(request).await?);
    let body = PasskeyRequirementBody { required: Some(required) };
    let call = Address::call("/passkeys/requirement");
    match context.service.send_json::<MessageBody>(Method::POST, &call, &body).await {
        Ok(_) => Ok(respond::see_other(&Notice::Saved.add_to(home()))),
        Err(error) => {
            let problem = error.about_form()?;
            Ok(question(context, &context.me().await?, required, Some(problem)))
        }
    }
}
