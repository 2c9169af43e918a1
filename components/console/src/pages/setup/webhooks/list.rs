//! The list of webhooks, and where they may go.

use maud::{Markup, html};
use spindrift_api::{WebhookEntry, WebhooksBody};
use spindrift_core::webhook::MAX_WEBHOOK_ORIGINS;

use crate::table::{columns, table};
use crate::{Address, parts};

/// A page of webhooks.
pub(super) fn page(below: &[&str]) -> Address {
    Address::page(["setup", "webhooks"].into_iter().chain(below.iter().copied()))
}

/// The section of the page, for admins.
pub(in super::super) fn section(webhooks: Option<&WebhooksBody>) -> Markup {
    html! {
        section {
            h2 { "Webhooks" }
            @match webhooks {
                None => p.hint {
                    "A webhook sends entries of the audit log to a chat or to a program. The service sends \
                     none until its operator sets "
                    code { "webhook_origin" } " to the origin where they may go, such as " code { (EXAMPLE) } "."
                },
                Some(WebhooksBody { webhooks, origins }) => {
                    (failing(webhooks))
                    @if webhooks.is_empty() {
                        (parts::empty("No webhooks yet.", &html! {
                            "A webhook sends entries of the audit log to a chat or to a program."
                        }))
                    } @else {
                        (table(
                            "Webhooks",
                            &columns(["Name", "Entries", "Application", "Deliveries", "Actions"]),
                            &html! { @for webhook in webhooks { (row(webhook)) } },
                        ))
                    }
                    (origins_hint(origins))
                    p { a.button.plain href=(page(&["new"])) { "Create a webhook" } }
                }
            }
        }
    }
}

/// An origin in texts.
const EXAMPLE: &str = "https://hooks.slack.com";

/// Where webhooks may go, and how to go elsewhere. Only the operator can change that, because it decides where the
/// service connects to.
pub(super) fn origins_hint(origins: &[String]) -> Markup {
    html! {
        p.hint {
            "Webhooks may go to "
            @for (i, origin) in origins.iter().enumerate() {
                @if i > 0 { @if i + 1 == origins.len() { " and " } @else { ", " } }
                code { (origin) }
            }
            ". For another origin, ask the operator of the service to "
            @if origins.len() < MAX_WEBHOOK_ORIGINS {
                "put it, such as " code { (EXAMPLE) } ", into a free one of the settings "
            } @else { "replace one of these in the settings " }
            code { "webhook_origin" } ", " code { "webhook_origin2" } ", " code { "webhook_origin3" } " and "
            code { "webhook_origin4" } "."
        }
    }
}

/// The webhooks that do not reach their receivers, above the list.
fn failing(webhooks: &[WebhookEntry]) -> Markup {
    html! {
        @for webhook in webhooks {
            @if let Some(since) = &webhook.failing_since {
                p.problem {
                    strong { (webhook.name) }
                    @if webhook.off_at.is_some() { " is off. Its deliveries failed since " }
                    @else { " fails since " }
                    (parts::time(since)) ": " (last_failure(webhook)) "."
                    @if webhook.off_at.is_some() { " Delete it, and create it again." }
                }
            }
        }
    }
}

fn last_failure(webhook: &WebhookEntry) -> &str {
    webhook.last_failure.as_deref().unwrap_or("a delivery failed")
}

fn row(webhook: &WebhookEntry) -> Markup {
    let id = webhook.id.as_str();
    html! {
        tr {
            th.words scope="row" { (webhook.name) div.hint { (webhook.url) } }
            td.words {
                (webhook.kinds.join(", "))
                @if webhook.halt_links { " " (parts::badge("", "halt links")) }
            }
            td { @if webhook.app.is_empty() { "all" } @else { (webhook.app) } }
            td.words { (deliveries(webhook)) }
            td { div.links {
                a href=(page(&[id, "edit"])) { "Edit" }
                a href=(page(&[id])) { "Test" }
                a href=(page(&[id, "delete"])) { "Delete" }
            } }
        }
    }
}

fn deliveries(webhook: &WebhookEntry) -> Markup {
    let why = last_failure(webhook);
    html! {
        @if let Some(off) = &webhook.off_at {
            (parts::badge("bad", "off")) " since " (parts::time(off)) ": " (why)
        } @else if let Some(since) = &webhook.failing_since {
            (parts::badge("bad", "failing")) " since " (parts::time(since)) ": " (why)
            @if let Some(next) = &webhook.next_try { ". Next attempt " (parts::time(next)) }
        } @else { "up to entry " (parts::number(webhook.delivered_seq)) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(more: &Value, origins: &[&str]) -> String {
        let mut entry = json!({
            "id": "w1", "name": "<on call>", "url": "https://hooks.example.com/a", "kinds": ["rollout.*"], "app": "",
            "halt_links": true, "delivered_seq": 7, "created_at": "2026-12-01T08:00:00+00:00",
        });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let body = json!({ "webhooks": [entry], "origins": origins });
        section(Some(&serde_json::from_value(body).unwrap())).into_string()
    }

    #[test]
    fn a_failing_webhook_is_told_by_name() {
        let fails = json!({
            "failing_since": "2026-12-01T08:00:00+00:00", "last_failure": "the receiver answered 500",
        });
        let page = shown(&fails, &["https://hooks.example.com"]);
        let (notice, _) = page.split_once("<table").unwrap();
        for part in ["<strong>&lt;on call&gt;</strong> fails since <time", "the receiver answered 500."] {
            assert!(notice.contains(part), "{part}: {page}");
        }
        let off =
            json!({ "off_at": "2026-12-04T08:00:00+00:00", "failing_since": "2026-12-01T08:00:00+00:00" });
        assert!(shown(&off, &[]).contains("</strong> is off. Its deliveries failed since "));
        let works = shown(&json!({}), &["https://hooks.example.com"]);
        assert!(!works.contains("class=\"problem\"") && works.contains("halt links"), "{works}");
    }

    #[test]
    fn one_sees_where_webhooks_may_go_and_what_to_ask_for() {
        let [a, b, c, d] =
            ["https://a.example", "https://b.example", "https://c.example", "https://d.example"];
        let some = shown(&json!({}), &[a, b, c]);
        let list = "<code>https://a.example</code>, <code>https://b.example</code> and <code>https://c.example</code>. ";
        assert!(some.contains(list) && some.contains("into a free one of the settings"), "{some}");
        assert!(shown(&json!({}), &[a, b, c, d]).contains("replace one of these in the settings"));
        assert!(section(None).into_string().contains("its operator sets <code>webhook_origin</code>"));
    }
}
