//! Webhooks: addresses that are notified of audit log entries.

mod list;

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_api::{MessageBody, WebhookCreateBody, WebhookEntry, WebhookUpdateBody, WebhooksBody};
use spindrift_core::webhook::MAX_WEBHOOK_NAME_CHARS;
use spindrift_web::{Request, Response};

pub(super) use self::list::section;
use self::list::{origins_hint, page};
use crate::pages::people;
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

/// The webhooks. `Ok(None)`: the service has none, or the visitor is not an admin.
pub(super) async fn load(context: &Context<'_>) -> Result<Option<WebhooksBody>> {
    match context.service.get(&Address::call("/webhooks")).await {
        Ok(webhooks) => Ok(Some(webhooks)),
        Err(error) if error.is_refusal(StatusCode::FORBIDDEN) => Ok(None),
        Err(error) => Err(error),
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
            people::show_webhook_secret(context, &made.name, made.secret.as_deref().unwrap_or_default())
        }
        Err(error) => form(context, &body, Some(error.about_form()?)).await,
    }
}

fn read(sent: &FormFields) -> WebhookCreateBody {
    WebhookCreateBody {
        url: Some(sent.one("url").trim().to_owned()),
        name: Some(sent.one("name").trim().to_owned()).filter(|name| !name.is_empty()),
        kinds: Some(sent.all("kinds").map(ToOwned::to_owned).collect()),
        app: Some(sent.one("app").to_owned()).filter(|app| !app.is_empty()),
        halt_links: Some(has_halt_links(sent)),
    }
}

const HALT_LINKS: &str = "halt_links";

fn has_halt_links(sent: &FormFields) -> bool {
    sent.one(HALT_LINKS) == "yes"
}

/// The fields that can also be changed later.
fn changeable_fields(name: &str, is_name_required: bool, has_halt_links: bool) -> Markup {
    html! {
        label { "Name" @if !is_name_required { " (optional)" }
            input type="text" name="name" value=(name) maxlength=(MAX_WEBHOOK_NAME_CHARS) autocomplete="off"
                required[is_name_required];
        }
        (parts::check(HALT_LINKS, "yes", "Messages have a link that halts the release", has_halt_links))
        p.hint {
            "Anyone who can read such a message can halt that release in that channel: once, within 72 hours, \
             and without a login. Nobody can do anything else with the link."
        }
    }
}

async fn form(
    context: &Context<'_>,
    filled: &WebhookCreateBody,
    problem: Option<Problem>,
) -> Result<Response> {
    let loaded = futures::future::try_join(Catalog::load(context), load(context));
    let (me, (catalog, webhooks)) = context.with_me(loaded).await?;
    if !me.is_admin {
        return Err(ConsoleError::of_forbidden_form(problem));
    }
    let apps = catalog.app_names().into_iter().map(|(_, name)| (name, name));
    let apps = std::iter::once(("", "all applications")).chain(apps);
    let fields = html! {
        div.stack {
            @if let Some(webhooks) = &webhooks { (origins_hint(&webhooks.origins)) }
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
            (changeable_fields(
                filled.name.as_deref().unwrap_or_default(), false, filled.halt_links.unwrap_or_default(),
            ))
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

/// `GET /console/setup/webhooks/{id}/edit`.
pub(super) async fn edit_form(context: &Context<'_>, request: &Request) -> Result<Response> {
    let (me, webhook) = requested_webhook(context, request).await?;
    let filled = WebhookUpdateBody { name: None, halt_links: None };
    Ok(show_edit_form(context, &webhook, &filled, context.page(EDIT, &me, MenuEntry::Setup)))
}

const EDIT: &str = "Change a webhook";

fn show_edit_form(
    context: &Context<'_>,
    webhook: &WebhookEntry,
    filled: &WebhookUpdateBody,
    page: crate::ConsolePage<'_>,
) -> Response {
    let name = filled.name.as_deref().unwrap_or(&webhook.name);
    let fields = html! {
        div.stack {
            (changeable_fields(name, true, filled.halt_links.unwrap_or(webhook.halt_links)))
            @if webhook.halt_links { p.hint { "If you turn them off, the links in earlier messages are revoked." } }
            div.row { button type="submit" { "Save" } a href=(Address::page(["setup"])) { "Cancel" } }
        }
    };
    let content = html! {
        p { (webhook.url) }
        (parts::form(&self::page(&[webhook.id.as_str(), "edit"]), &context.form_token(), &fields))
    };
    page.show_titled(&content)
}

/// `POST /console/setup/webhooks/{id}/edit`.
pub(super) async fn update(context: &Context<'_>, request: Request) -> Result<Response> {
    let (me, webhook) = requested_webhook(context, &request).await?;
    let sent: FormFields = context.form(request).await?.into();
    let body = WebhookUpdateBody {
        name: Some(sent.one("name").to_owned()),
        halt_links: Some(has_halt_links(&sent)),
    };
    let call = Address::call("/webhooks").with_segment(webhook.id.as_str());
    match context.service.send_json::<WebhookEntry>(Method::POST, &call, &body).await {
        Ok(_) => Ok(respond::see_other(&Notice::Saved.add_to(Address::page(["setup"])))),
        Err(error) => {
            let page = context.page(EDIT, &me, MenuEntry::Setup).with_problem(Some(error.about_form()?));
            Ok(show_edit_form(context, &webhook, &body, page))
        }
    }
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
        consequences: html! {
            p { (webhook.name) " (" (webhook.url) ") gets no further entries. They stay in the audit log." }
            @if webhook.halt_links { p { "The links in its messages halt nothing any more." } }
        },
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
