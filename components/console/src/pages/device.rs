//! Lets a program log in that shows a code, such as `spindrift login`.

use http::Method;
use maud::{Markup, html};
use spindrift_api::{DeviceAnswerBody, DeviceBody, MessageBody, WhoamiBody};
use spindrift_web::{Request, Response};

use crate::{Address, Context, MenuEntry, Problem, Result, parts};

const TITLE: &str = "Log in a program";

fn address() -> Address {
    Address::page(["device"])
}

/// `GET /console/device`. The program opens it with its code.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let query = request.query()?;
    let Some(code) = query.get("code") else {
        return Ok(code_form(context, &context.me().await?, "", None));
    };
    let call = Address::call("/device").with("user_code", code);
    let (me, waiting) = futures::join!(context.me(), context.service.get::<DeviceBody>(&call));
    let me = me?;
    match waiting {
        Ok(waiting) => Ok(question(context, &me, &waiting)),
        Err(error) => Ok(code_form(context, &me, code, Some(error.about_form()?))),
    }
}

fn code_form(context: &Context<'_>, me: &WhoamiBody, code: &str, problem: Option<Problem>) -> Response {
    let content = html! {
        p { "A program that wants to log in shows a code of eight letters." }
        form method="get" action=(address()) {
            label { "Code"
                input type="text" name="code" value=(code) required maxlength="32" autocomplete="off"
                    autocapitalize="characters" spellcheck="false" placeholder="WDJB-MJHT" autofocus;
            }
            button type="submit" { "Go on" }
        }
    };
    context.page(TITLE, me, MenuEntry::People).with_problem(problem).show_alone(TITLE, &content)
}

fn question(context: &Context<'_>, me: &WhoamiBody, waiting: &DeviceBody) -> Response {
    let fields = html! {
        input type="hidden" name="code" value=(waiting.user_code);
        div.row {
            button type="submit" name="allow" value="1" { "Allow" }
            button.plain type="submit" name="allow" value="0" data-stop { "Refuse" }
        }
    };
    let content = html! {
        p.user-code { code { (waiting.user_code) } }
        (facts(waiting))
        p { strong {
            "Allow only if you have just started this login yourself, and the program shows this code."
        } }
        p { "It then works as " (me.username) ", like you in this browser." }
        (parts::form(&address(), &context.form_token(), &fields))
    };
    context.page(TITLE, me, MenuEntry::People).show_alone("Let this program log in?", &content)
}

fn facts(waiting: &DeviceBody) -> Markup {
    html! {
        dl.pairs {
            dt { "Machine" }
            dd { @if waiting.machine.is_empty() { "not named" } @else { (waiting.machine) } }
            dt { "Address" } dd { (waiting.address.as_deref().unwrap_or("not known")) }
            dt { "Asked" } dd { (parts::time(&waiting.created_at)) }
            dt { "Waits until" } dd { (parts::time(&waiting.expires_at)) }
        }
    }
}

/// `POST /console/device`.
pub(crate) async fn answer(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form(request).await?;
    let me = context.me().await?;
    let code = sent.get("code").unwrap_or_default();
    let is_allowed = sent.get("allow") == Some("1");
    let body = DeviceAnswerBody { user_code: Some(code.to_owned()), allow: Some(is_allowed) };
    let call = Address::call("/device/answer");
    match context.service.send_json::<MessageBody>(Method::POST, &call, &body).await {
        Ok(_) => Ok(answered(context, &me, is_allowed)),
        Err(error) => Ok(code_form(context, &me, code, Some(error.about_form()?))),
    }
}

fn answered(context: &Context<'_>, me: &WhoamiBody, is_allowed: bool) -> Response {
    let (heading, text) = if is_allowed {
        ("Allowed", "Go back to the program: it is logged in within a few seconds.")
    } else {
        ("Refused", "The program does not get a login.")
    };
    let content = html! {
        p role="status" { (text) }
        @if is_allowed {
            p.hint { "You can end its login under " a href=(Address::page(["people"])) { "People and keys" } "." }
        }
    };
    context.page(TITLE, me, MenuEntry::People).show_alone(heading, &content)
}
