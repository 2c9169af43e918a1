//! Asks for a fresh proof of identity, before what cannot be taken back or lets others in.

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_api::PasskeyQuestionBody;
use spindrift_web::{Request, Response};

use super::login;
use crate::passkey_form::SCRIPT;
use crate::{Address, ConsolePage, Context, PasskeyFields, PasskeyForm, PasskeyKind, Problem, Result};

const TITLE: &str = "Prove that it is you";
const WHY: &str = "This change cannot be taken back or lets others in, and your last proof was a while ago.";

/// A request that lacks a fresh proof.
pub(crate) struct Unproved<'a> {
    /// Its path and query.
    pub(crate) target: &'a str,
    /// The page to return to.
    pub(crate) page: &'a str,
    pub(crate) is_form: bool,
}

/// The address of the page that asks. `then`: the page to show afterwards.
pub(crate) fn address(then: &Address) -> Address {
    Address::page(["prove"]).with("then", then)
}

/// `GET /console/prove`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let query = request.query()?;
    let question = load(context).await?;
    let then = query.get("then").unwrap_or_default();
    let reason = html! { p { "Use your passkey, and you can go on." } };
    let back = Address::page([]);
    Ok(page(context, &question, &Asking { reason, back: back.as_str(), ..Asking::before(then) }))
}

/// `POST /console/prove`. The proof in the form was checked when it was read.
pub(crate) async fn prove(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form(request).await?;
    Ok(login::go_to(sent.get("then").unwrap_or_default()))
}

/// The page for a request that lacks a proof. A form is sent again with the proof; one that must not be shown again is
/// filled in again afterwards. `problem`: why an earlier proof was refused.
pub(crate) async fn ask(
    context: &Context<'_>,
    unproved: &Unproved<'_>,
    problem: Option<Problem>,
) -> Result<Response> {
    let question = load(context).await?;
    let asking = match context.take_kept_form() {
        Some(form) => Asking {
            action: unproved.target.to_owned(),
            fields: form.hidden_fields(),
            reason: html! { p { (WHY) } p { "Use your passkey, and it goes on." } },
            back: unproved.page,
            problem,
        },
        None if unproved.is_form => Asking {
            reason: html! { p { (WHY) } p { "Use your passkey, then fill in the form and send it again." } },
            problem,
            ..Asking::before(unproved.page)
        },
        None => Asking {
            reason: html! { p { "This page needs a fresh proof, and your last one was a while ago." } },
            problem,
            ..Asking::before(unproved.page)
        },
    };
    let mut answer = page(context, &question, &asking);
    // The request was refused, and not answered: a script or a download must not take this page for the answer.
    *answer.status_mut() = StatusCode::FORBIDDEN;
    Ok(answer)
}

/// A question for a proof.
struct Asking<'a> {
    /// Where the proof is sent: path and query.
    action: String,
    fields: Markup,
    reason: Markup,
    /// The page to return to without a proof.
    back: &'a str,
    problem: Option<Problem>,
}

impl<'a> Asking<'a> {
    /// Leads to the page `then`.
    fn before(then: &'a str) -> Self {
        Self {
            action: Address::page(["prove"]).to_string(),
            fields: html! { input type="hidden" name="then" value=(then); },
            reason: html! {},
            back: then,
            problem: None,
        }
    }
}

async fn load(context: &Context<'_>) -> Result<PasskeyQuestionBody> {
    let call = Address::call("/passkeys/proof/new");
    context.service.send_json(Method::POST, &call, &serde_json::json!({})).await
}

fn page(context: &Context<'_>, question: &PasskeyQuestionBody, asking: &Asking<'_>) -> Response {
    let form = PasskeyForm {
        kind: PasskeyKind::Get,
        action: &asking.action,
        fields: PasskeyFields::PROOF,
        button: "Use your passkey",
    };
    let content = html! {
        (asking.reason)
        (form.show(question, &context.form_token(), &asking.fields))
        p.hint { a href=(asking.back) { "Leave it as it is" } }
    };
    let page = ConsolePage::new(TITLE).with_script(SCRIPT).with_problem(asking.problem.clone());
    page.show_alone(TITLE, &content)
}
