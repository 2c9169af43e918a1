//! `webhook add|edit|list|test|remove`.

use clap::{Args, Subcommand};
use serde_json::json;
use spindrift_api::{MessageBody, WebhookCreateBody, WebhookEntry, WebhookUpdateBody, WebhooksBody};
use spindrift_core::Id;

use super::rollout::time;
use crate::context::Context;
use crate::error::CliError;
use crate::names::CallNames;
use crate::service::Service;

const PATH: &str = "/webhooks";

#[derive(Debug, Subcommand)]
pub(crate) enum WebhookCommand {
    /// Send entries of the audit log to an address, beginning with the next one.
    ///
    /// Prints the secret that verifies the signatures. No other command shows it.
    Add(WebhookAddCommand),
    /// Change the name of a webhook, and whether its messages carry halt links.
    Edit(WebhookEditCommand),
    /// List webhooks, oldest first, with their last failure.
    List,
    /// Send a test message to a webhook.
    Test {
        /// Id of the webhook, from `spindrift webhook list`.
        id: String,
    },
    /// Remove a webhook.
    Remove {
        /// Id of the webhook, from `spindrift webhook list`.
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct WebhookAddCommand {
    /// The address. It begins with an origin in the service's settings, `webhook_origin` to `webhook_origin4`.
    // Not `url`: that is the option for the service.
    address: String,
    /// Kinds of entries, such as `rollout.halt`, `health.*`, or `*` for all of them.
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',', required = true)]
    kinds: Vec<String>,
    /// Only entries about this application.
    // Not from the environment or a project: a default would silently leave entries out.
    #[arg(long, value_name = "NAME")]
    app: Option<String>,
    /// A name for people, such as `on call`. Without one it is the host in the address.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Add a link to messages about a release that halts it: once, within 72 hours, and without a login.
    #[arg(long)]
    halt_links: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WebhookEditCommand {
    /// Id of the webhook, from `spindrift webhook list`.
    id: String,
    /// A name for people.
    #[arg(long, value_name = "NAME", required_unless_present_any = ["halt_links", "no_halt_links"])]
    name: Option<String>,
    /// Add a link to messages about a release that halts it.
    #[arg(long, conflicts_with = "no_halt_links")]
    halt_links: bool,
    /// Send no halt links, and revoke those in earlier messages.
    #[arg(long)]
    no_halt_links: bool,
}

impl WebhookCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        match self {
            Self::Add(add) => add.run(context, &service).await,
            Self::Edit(edit) => edit.run(context, &service).await,
            Self::List => list(context, &service).await,
            Self::Test { id } => test(context, &service, &id).await,
            Self::Remove { id } => remove(context, &service, &id).await,
        }
    }
}

impl WebhookAddCommand {
    async fn run(self, context: &Context, service: &Service) -> Result<(), CliError> {
        let Self { address, kinds, app, name, halt_links } = self;
        let body = WebhookCreateBody {
            url: Some(address),
            name,
            kinds: Some(kinds),
            app: app.clone(),
            halt_links: halt_links.then_some(true),
        };
        let created: WebhookEntry = match service.post(PATH).body_json(&body).json().await {
            Err(error) => {
                let names = CallNames { app: app.as_deref(), ..CallNames::default() };
                return Err(names.explain(service, error).await);
            }
            Ok(created) => created,
        };
        let secret = created.secret.clone().unwrap_or_default();
        let text = format!("webhook {}\nsecret {secret}", created.id);
        context.output.message("keep the secret: it is not shown again");
        context.output.result(&created, &text)
    }
}

impl WebhookEditCommand {
    async fn run(self, context: &Context, service: &Service) -> Result<(), CliError> {
        let Self { id, name, halt_links, no_halt_links } = self;
        let halt_links = (halt_links || no_halt_links).then_some(halt_links);
        let body = WebhookUpdateBody { name, halt_links };
        let answered = service.post(&format!("{PATH}/{id}")).body_json(&body).json().await;
        let changed: WebhookEntry = explain_unknown_id(&id, answered)?;
        context.output.result(&changed, "the webhook is changed")
    }
}

async fn list(context: &Context, service: &Service) -> Result<(), CliError> {
    let found: WebhooksBody = service.get(PATH).json().await?;
    let rows: Vec<Vec<String>> = found.webhooks.iter().map(row).collect();
    context.output.rows(&found, &["ID", "NAME", "URL", "KINDS", "APP", "HALT LINKS", "STATE"], &rows)
}

fn row(webhook: &WebhookEntry) -> Vec<String> {
    let WebhookEntry { id, name, url, kinds, app, halt_links, .. } = webhook.clone();
    let halt_links = if halt_links { "yes" } else { "no" };
    vec![id.to_string(), name, url, kinds.join(","), app, halt_links.to_owned(), state(webhook)]
}

fn state(webhook: &WebhookEntry) -> String {
    let why = webhook.last_failure.as_deref().unwrap_or("it failed");
    match (&webhook.off_at, &webhook.failing_since, &webhook.next_try) {
        (Some(off), ..) => format!("off since {}: {why}", time(off)),
        (None, Some(since), Some(next)) => {
            format!("fails since {}: {why}; next attempt at {}", time(since), time(next))
        }
        (None, Some(since), None) => format!("fails since {}: {why}", time(since)),
        (None, None, _) => "on".to_owned(),
    }
}

async fn test(context: &Context, service: &Service, id: &str) -> Result<(), CliError> {
    let answer: MessageBody =
        explain_unknown_id(id, service.post(&format!("{PATH}/{id}/test")).json().await)?;
    context.output.result(&answer, "the receiver took the test message")
}

async fn remove(context: &Context, service: &Service, id: &str) -> Result<(), CliError> {
    let _: MessageBody = explain_unknown_id(id, service.delete(PATH, &Id::from_text(id)).await)?;
    context.output.result(&json!({ "id": id, "removed": true }), "the webhook is removed")
}

/// Adds to the error for an unknown id where ids are listed.
fn explain_unknown_id<T>(id: &str, answered: Result<T, CliError>) -> Result<T, CliError> {
    match answered {
        Err(CliError::Refused(refusal)) if refusal.status == 404 => {
            Err(CliError::NotFound(format!("unknown webhook {id:?}: `spindrift webhook list` shows the ids")))
        }
        answered => answered,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn webhook(more: &Value) -> WebhookEntry {
        let mut entry = json!({
            "id": "w1", "name": "on call", "url": "https://hooks.example.com/a", "kinds": ["rollout.*", "health.*"],
            "app": "notes", "halt_links": true, "delivered_seq": 7, "created_at": "2026-12-01T08:00:00+00:00",
        });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(entry).unwrap()
    }

    #[test]
    fn a_webhook_says_whether_it_is_on() {
        let (since, next) = ("2026-12-01T08:00:00+00:00", "2026-12-01T08:05:00+00:00");
        for (more, state) in [
            (json!({}), "on"),
            (
                json!({ "failing_since": since, "last_failure": "the receiver answered 500", "next_try": next }),
                "fails since 2026-12-01 08:00 UTC: the receiver answered 500; next attempt at 2026-12-01 \
                 08:05 UTC",
            ),
            (
                json!({ "failing_since": since, "last_failure": "no answer", "off_at": next }),
                "off since 2026-12-01 08:05 UTC: no answer",
            ),
        ] {
            let url = "https://hooks.example.com/a";
            let expected = ["w1", "on call", url, "rollout.*,health.*", "notes", "yes", state];
            assert_eq!(row(&webhook(&more)), expected);
        }
    }

    #[test]
    fn kinds_are_needed() {
        let understood = |words: &str| {
            let words = format!("spindrift webhook {words}");
            crate::command()
                .try_get_matches_from(words.split(' '))
                .map(drop)
                .map_err(|error| error.to_string())
        };
        for words in [
            "add https://a.example --kind rollout.*,health.*",
            "add https://a.example --kind * --name chat --halt-links",
            "edit w1 --name chat --no-halt-links",
            "edit w1 --halt-links",
            "list",
            "test w1",
            "remove w1",
        ] {
            assert_eq!(understood(words), Ok(()), "{words}");
        }
        assert!(understood("add https://a.example").unwrap_err().contains("--kind"));
        assert!(understood("edit w1").unwrap_err().contains("--name"));
        assert!(understood("edit w1 --halt-links --no-halt-links").is_err());
    }
}
