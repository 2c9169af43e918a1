//! Webhooks: addresses that are notified of audit log entries.

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_api::{MessageBody, WebhookCreateBody, WebhookEntry, WebhooksBody};
use spindrift_web::{Request, Response};

use crate::pages::people;
use crate::table::{columns, table};
use crate::{
    Address, Catalog, Confirm, ConsoleError, Context, FormFields, MenuEntry, Notice, Problem, Result,
    address, parts, respond,
};

/// Kinds of entries to choose from, with texts for people. All are in `docs/audit.md`.
const KINDS: [(&str, &str); 8] = [
    ("rollout.*", "Rollouts: plans, steps, pauses, halts"),
    ("health.*", "Releases that turn out to be unhealthy"),
    ("release.*", "Releases: uploads, publications, withdrawals, changes"),
    ("shutoff.*", "Shut-offs"),
    ("freeze.*", "Freezes"),
    ("trust.*", "Signed metadata"),
    ("token.*", "CI tokens"),
    ("*", "Everything"),
];

fn page(below: &[&str]) -> Address {
    Address::page(["setup", "webhooks"].into_iter().chain(below.iter().copied()))
}

/// The webhooks. `Ok(None)`: the service has none, or the visitor is not an admin.
pub(super) async fn load(context: &Context<'_>) -> Result<Option<WebhooksBody>> {
    match context.service.get(&Address::call("/webhooks")).await {
        Ok(webhooks) => Ok(Some(webhooks)),
        Err(error) if error.is_refusal(StatusCode::FORBIDDEN) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The section of the page, for admins.
pub(super) fn section(webhooks: Option<&WebhooksBody>) -> Markup {
    html! {
        section {
            h2 { "Webhooks" }
            @match webhooks {
                None => p.hint {
                    "A webhook sends entries of the audit log to a chat or to a program. The service sends \
                     none until its setting "
                    code { "webhook_origin" } " names where they may go."
                },
                Some(WebhooksBody { webhooks }) => {
                    @if webhooks.is_empty() {
                        (parts::empty("No webhooks yet.", &html! {
                            "A webhook sends entries of the audit log to a chat or to a program."
                        }))
                    } @else {
                        (table(
                            "Webhooks",
                            &columns(["Address", "Entries", "Application", "Deliveries", "Actions"]),
                            &html! { @for webhook in webhooks { (row(webhook)) } },
                        ))
                    }
                    p { a.button.plain href=(page(&["new"])) { "Create a webhook" } }
                }
            }
        }
    }
}

fn row(webhook: &WebhookEntry) -> Markup {
    html! {
        tr {
            th.words scope="row" { (webhook.url) }
            td.words { (webhook.kinds.join(", ")) }
            td { @if webhook.app.is_empty() { "all" } @else { (webhook.app) } }
            td.words { (deliveries(webhook)) }
            td { div.links { a href=(page(&[webhook.id.as_str()])) { "Test" } a href=(page(&[webhook.id.as_str(), "delete"])) { "Delete" } } }
        }
    }
}

fn deliveries(webhook: &WebhookEntry) -> Markup {
    let why = webhook.last_failure.as_deref().unwrap_or("it failed");
    html! {
        @if let Some(off) = &webhook.off_at {
            (parts::badge("bad", "off")) " since " (parts::time(off)) ": " (why)
        } @else if let Some(since) = &webhook.failing_since {
            (parts::badge("bad", "failing")) " since " (parts::time(since)) ": " (why)
            @if let Some(next) = &webhook.next_try { ". Next attempt " (parts::time(next)) }
        } @else { "up to entry " (parts::number(webhook.delivered_seq)) }
    }
}

/// `GET /console/setup/webhooks/new`.
pub(super) async fn create_form(context: &Context<'_>) -> Result<Response> {
    form(context, &WebhookCreateBody::default(), None).await
}

/// `POST /console/setup/webhooks/new`: redirects to the page that shows the secret.
pub(super) async fn create(context: &Context<'_>, request: Request) -> Result<Response> {
    let body = read(&context.form(request).await?.into());
    let call = Address::call("/webhooks");
    match context.service.send_json::<WebhookEntry>(Method::POST, &call, &body).await {
        Ok(made) => {
            people::show_webhook_secret(context, &made.url, made.secret.as_deref().unwrap_or_default())
        }
        Err(error) => form(context, &body, Some(error.about_form()?)).await,
    }
}

fn read(sent: &FormFields) -> WebhookCreateBody {
    WebhookCreateBody {
        url: Some(sent.one("url").trim().to_owned()),
        kinds: Some(sent.all("kinds").map(ToOwned::to_owned).collect()),
        app: Some(sent.one("app").to_owned()).filter(|app| !app.is_empty()),
    }
}

async fn form(
    context: &Context<'_>,
    filled: &WebhookCreateBody,
    problem: Option<Problem>,
) -> Result<Response> {
    let (me, catalog) = context.with_me(Catalog::load(context)).await?;
    if !me.is_admin {
        return Err(ConsoleError::of_forbidden_form(problem));
    }
    let apps = catalog.app_names().into_iter().map(|(_, name)| (name, name));
    let apps = std::iter::once(("", "all applications")).chain(apps);
    let fields = html! {
        div.stack {
            label { "Address"
                input type="url" name="url" value=[filled.url.as_deref()] required maxlength="2048" autocomplete="off" autofocus
                    placeholder="https://";
            }
            fieldset {
                legend { "Entries" }
                @for (kind, text) in KINDS {
                    (parts::check("kinds", kind, text, filled.kinds.iter().flatten().any(|chosen| chosen == kind)))
                }
            }
            (parts::select("app", "About", filled.app.as_deref().unwrap_or_default(), apps))
            div.row { button type="submit" { "Create" } a href=(Address::page(["setup"])) { "Cancel" } }
        }
    };
    let content = html! {
        p { "A webhook sends entries of the audit log, from the next one on. After you create it, its secret \
             is shown once." }
        (parts::form(&page(&["new"]), &context.form_token(), &fields))
    };
    Ok(context.page("Create a webhook", &me, MenuEntry::Setup).with_problem(problem).show_titled(&content))
}

/// The webhook whose id is in the path.
async fn requested_webhook(
    context: &Context<'_>,
    request: &Request,
) -> Result<(spindrift_api::WhoamiBody, WebhookEntry)> {
    let id = address::segment(request.path(), 3)?;
    let (me, webhooks) = context.with_me(load(context)).await?;
    let mut webhooks = webhooks.ok_or(ConsoleError::NoPage)?.webhooks.into_iter();
    Ok((me, webhooks.find(|webhook| webhook.id.as_str() == id).ok_or(ConsoleError::NoPage)?))
}

/// `GET /console/setup/webhooks/{id}`.
pub(super) async fn ask_test(context: &Context<'_>, request: &Request) -> Result<Response> {
    let (me, webhook) = requested_webhook(context, request).await?;
    Ok(test_page(context, &webhook, context.page("Test a webhook", &me, MenuEntry::Setup)))
}

fn test_page(context: &Context<'_>, webhook: &WebhookEntry, page: crate::ConsolePage<'_>) -> Response {
    let confirm = Confirm {
        title: "Send a test message?",
        consequences: html! { p { (webhook.url) " gets a message of the type " code { "webhook.test" } "." } },
        button: "Send it",
        action: self::page(&[webhook.id.as_str()]),
        back: Address::page(["setup"]),
    };
    confirm.show(context, page)
}

/// `POST /console/setup/webhooks/{id}`.
pub(super) async fn test(context: &Context<'_>, request: Request) -> Result<Response> {
    let (me, webhook) = requested_webhook(context, &request).await?;
    let _ = context.form(request).await?;
    let call = Address::call("/webhooks").with_segment(webhook.id.as_str()).with_segment("test");
    match context.service.send_json::<MessageBody>(Method::POST, &call, &serde_json::json!({})).await {
        Ok(_) => Ok(respond::see_other(&Notice::Delivered.add_to(Address::page(["setup"])))),
        Err(ConsoleError::Refused { status, message, .. }) if status == StatusCode::BAD_GATEWAY => {
            let page = context.page("Test a webhook", &me, MenuEntry::Setup);
            Ok(test_page(context, &webhook, page.with_problem(Some(Problem::new(status, message)))))
        }
        Err(error) => Err(error),
    }
}

/// `GET /console/setup/webhooks/{id}/delete`.
pub(super) async fn ask_delete(context: &Context<'_>, request: &Request) -> Result<Response> {
    let (me, webhook) = requested_webhook(context, request).await?;
    let confirm = Confirm {
        title: "Delete this webhook?",
        consequences: html! { p { (webhook.url) " gets no further entries. They stay in the audit log." } },
        button: "Delete the webhook",
        action: page(&[webhook.id.as_str(), "delete"]),
        back: Address::page(["setup"]),
    };
    Ok(confirm.show(context, context.page("Delete a webhook", &me, MenuEntry::Setup)))
}

/// `POST /console/setup/webhooks/{id}/delete`.
pub(super) async fn delete(context: &Context<'_>, request: Request) -> Result<Response> {
    let call = Address::call("/webhooks").with("id", address::segment(request.path(), 3)?);
    let _ = context.form(request).await?;
    let _: MessageBody = context.service.delete(&call).await?;
    Ok(respond::see_other(&Notice::Deleted.add_to(Address::page(["setup"]))))
}
