//! `shutoff add|list|lift`.

use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::json;
use spindrift_api::{MessageBody, ShutoffCreateBody, ShutoffEntry, ShutoffsBody};
use spindrift_core::{Id, RESTORED_BY};

use super::rollout::time;
use super::values::public_reason;
use crate::context::Context;
use crate::error::CliError;
use crate::names::CallNames;
use crate::refusal::Refusal;
use crate::service::Service;

const PATH: &str = "/shutoffs";
/// Maximum number of calls until the static answers in the CDN bucket are written. Each call writes
/// those still missing.
const MAX_CALLS: u32 = 5;
/// The pause between these calls.
const PAUSE: Duration = Duration::from_secs(2);

#[derive(Debug, Subcommand)]
pub(crate) enum ShutoffCommand {
    /// Shut off updates: no client is offered anything newer than it has.
    ///
    /// Without `--channel` and `--platform` this affects all clients of the application. Publishing
    /// and rollouts continue, and take effect when the shut-off is lifted.
    Add(ShutoffAddCommand),
    /// List shut-offs, oldest first.
    List {
        /// Only those of this application.
        #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
        app: Option<String>,
    },
    /// Lift a shut-off. CI tokens cannot do this.
    Lift {
        /// Id of the shut-off, from `spindrift shutoff list`.
        #[arg(required_unless_present = "restored")]
        id: Option<String>,
        /// Lift all shut-offs with which the service began after `spindrift restore`.
        #[arg(long, conflicts_with = "id")]
        restored: bool,
    },
}

/// Arguments of `shutoff add`.
// Channel and platform must not come from the environment or a project: a default would silently
// leave clients out.
#[derive(Debug, Args)]
pub(crate) struct ShutoffAddCommand {
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
    /// Only for clients that ask with this channel.
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
    /// Only for clients that ask with this platform.
    #[arg(long, value_name = "NAME")]
    platform: Option<String>,
    /// The reason, 1-200 characters. Clients do not see it.
    #[arg(long, value_name = "TEXT", value_parser = public_reason)]
    reason: String,
}

impl ShutoffCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        match self {
            Self::Add(add) => add.run(context, &service).await,
            Self::List { app } => list(context, &service, app.as_deref()).await,
            Self::Lift { id: Some(id), .. } => lift(context, &service, &id).await,
            Self::Lift { id: None, .. } => lift_restored(context, &service).await,
        }
    }
}

impl ShutoffAddCommand {
    async fn run(self, context: &Context, service: &Service) -> Result<(), CliError> {
        let shutoff = match self.call(context, service).await {
            Err(error) => return Err(self.names().explain(service, error).await),
            Ok(shutoff) => shutoff,
        };
        if shutoff.reason != self.reason {
            context.output.message(&already_shut_off(&shutoff));
        }
        context.output.result(&shutoff, &as_text(&shutoff))
    }

    /// Repeats the call while static answers are missing.
    async fn call(&self, context: &Context, service: &Service) -> Result<ShutoffEntry, CliError> {
        let body = ShutoffCreateBody {
            app: Some(self.app.clone()),
            channel: self.channel.clone(),
            platform: self.platform.clone(),
            reason: Some(self.reason.clone()),
        };
        let mut calls = 1;
        loop {
            match service.post(PATH).body_json(&body).json().await {
                Err(CliError::Refused(refusal)) if is_unfinished(&refusal) => {
                    if calls == MAX_CALLS {
                        return Err(CliError::Refused(refusal));
                    }
                    context.output.message(&format!("{}: trying again", refusal.text));
                }
                answered => return answered,
            }
            calls += 1;
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn names(&self) -> CallNames<'_> {
        CallNames {
            app: Some(&self.app),
            channel: self.channel.as_deref(),
            platform: self.platform.as_deref(),
            ..CallNames::default()
        }
    }
}

/// Whether updates are shut off, but not yet in all static answers.
fn is_unfinished(refusal: &Refusal) -> bool {
    refusal.status == 502 && refusal.text.starts_with("shut off")
}

fn already_shut_off(shutoff: &ShutoffEntry) -> String {
    let ShutoffEntry { created_by, created_at, reason, .. } = shutoff;
    format!("{created_by} has shut them off before, at {}: {reason}", time(created_at))
}

fn as_text(shutoff: &ShutoffEntry) -> String {
    let ShutoffEntry { id, app, channel, platform, .. } = shutoff;
    let place = [("channel", channel), ("platform", platform)].into_iter();
    let place = place.filter(|(_, name)| !name.is_empty()).map(|(noun, name)| format!(", {noun} {name}"));
    let place: String = place.collect();
    format!(
        "updates of {app}{place} are shut off: no client is offered anything newer than it has\n\
         `spindrift shutoff lift {id}` ends that"
    )
}

async fn list(context: &Context, service: &Service, app: Option<&str>) -> Result<(), CliError> {
    let query: Vec<_> = app.into_iter().map(|app| ("app", app)).collect();
    let found: ShutoffsBody = match service.get(PATH).query(&query).json().await {
        Err(error) => return Err(CallNames { app, ..CallNames::default() }.explain(service, error).await),
        Ok(found) => found,
    };
    let rows: Vec<Vec<String>> = found.shutoffs.iter().map(row).collect();
    let headers = ["ID", "APP", "CHANNEL", "PLATFORM", "SINCE", "BY", "REASON"];
    context.output.rows(&found, &headers, &rows)
}

fn row(shutoff: &ShutoffEntry) -> Vec<String> {
    let ShutoffEntry { id, app, channel, platform, reason, created_by, created_at } = shutoff.clone();
    vec![id.to_string(), app, channel, platform, time(&created_at), created_by, reason]
}

/// Lifts the shut-offs of a restored backup, one application after another.
async fn lift_restored(context: &Context, service: &Service) -> Result<(), CliError> {
    let found: ShutoffsBody = service.get(PATH).json().await?;
    let mut lifted = Vec::new();
    for shutoff in found.shutoffs.into_iter().filter(|shutoff| shutoff.created_by == RESTORED_BY) {
        let _: MessageBody = service.delete(PATH, &shutoff.id).await?;
        context.output.message(&format!("{}: clients are offered updates again", shutoff.app));
        lifted.push(shutoff.app);
    }
    let description = match lifted.len() {
        0 => "no application is shut off because of a restored backup".to_owned(),
        1 => "1 shut-off is lifted".to_owned(),
        count => format!("{count} shut-offs are lifted"),
    };
    context.output.result(&json!({ "lifted": lifted }), &description)
}

async fn lift(context: &Context, service: &Service, id: &str) -> Result<(), CliError> {
    let id = Id::from_text(id);
    match service.delete::<MessageBody>(PATH, &id).await {
        Err(CliError::Refused(refusal)) if refusal.status == 404 => {
            let description =
                format!("unknown shut-off {:?}: `spindrift shutoff list` shows the ids", id.as_str());
            Err(CliError::NotFound(description))
        }
        answered => {
            let _: MessageBody = answered?;
            let description = "the shut-off is lifted: clients are offered updates as before it";
            context.output.result(&json!({ "id": id, "lifted": true }), description)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shutoff(channel: &str, platform: &str) -> ShutoffEntry {
        ShutoffEntry {
            id: Id::from_text("s1"),
            app: "notes".to_owned(),
            channel: channel.to_owned(),
            platform: platform.to_owned(),
            reason: "crashes".to_owned(),
            created_by: "ada".to_owned(),
            created_at: "2026-12-01T08:00:00+00:00".to_owned(),
        }
    }

    #[test]
    fn a_shut_off_says_for_whom_it_is_and_how_to_end_it() {
        for (channel, platform, place) in [
            ("", "", "notes"),
            ("beta", "", "notes, channel beta"),
            ("beta", "linux", "notes, channel beta, platform linux"),
        ] {
            let description = as_text(&shutoff(channel, platform));
            assert!(description.starts_with(&format!("updates of {place} are shut off: ")), "{description}");
            assert!(description.ends_with("\n`spindrift shutoff lift s1` ends that"), "{description}");
        }
        assert_eq!(
            already_shut_off(&shutoff("", "")),
            "ada has shut them off before, at 2026-12-01 08:00 UTC: crashes"
        );
        let expected = ["s1", "notes", "beta", "", "2026-12-01 08:00 UTC", "ada", "crashes"];
        assert_eq!(row(&shutoff("beta", "")), expected);
    }

    #[test]
    fn only_a_bucket_that_is_behind_is_tried_again() {
        for (status, text, expected) in [
            (502, "shut off, but static answers remain; call again", true),
            (502, "storage error", false),
            (503, "another call is working on this", false),
        ] {
            let refusal = Refusal { status, text: text.to_owned(), ..Refusal::default() };
            assert_eq!(is_unfinished(&refusal), expected, "{text}");
        }
    }

    #[test]
    fn a_reason_is_needed_and_the_place_is_named() {
        let understood = |words: &str| {
            let words = format!("spindrift shutoff {words}");
            crate::command()
                .try_get_matches_from(words.split(' '))
                .map(drop)
                .map_err(|error| error.to_string())
        };
        for words in [
            "add --app notes --reason crashes",
            "add --app notes --channel beta --platform linux --reason crashes",
            "list",
            "list --app notes",
            "lift s1",
            "lift --restored",
        ] {
            assert_eq!(understood(words), Ok(()), "{words}");
        }
        for (words, error) in [
            ("add --app notes", "--reason"),
            ("add --app notes --reason ", "a reason has 1 to 200 characters"),
            ("lift", "<ID>"),
            ("lift s1 --restored", "--restored"),
        ] {
            let description = understood(words).unwrap_err();
            assert!(description.contains(error), "{words}: {description}");
        }
    }
}
