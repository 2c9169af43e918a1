//! `freeze add|list|end`.

use clap::{Args, Subcommand};
use serde_json::json;
use spindrift_api::{FreezeCreateBody, FreezeEntry, FreezesBody, MessageBody};
use spindrift_core::{Id, Timestamp};

use super::rollout;
use super::values::{public_reason, time};
use crate::context::Context;
use crate::error::CliError;
use crate::names::CallNames;
use crate::service::Service;

const PATH: &str = "/freezes";
/// Stands for a freeze of all applications in tables.
const ALL_APPS: &str = "all";

#[derive(Debug, Subcommand)]
pub(crate) enum FreezeCommand {
    /// Freeze rollouts: steps and scheduled publications wait until a time.
    ///
    /// Devices keep what they are offered. Commands, such as a halt or `rollout advance`, do not wait.
    Add(FreezeAddCommand),
    /// List the freezes that are not over, in the order in which they begin.
    List {
        /// Only those that hold this application.
        #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
        app: Option<String>,
    },
    /// End a freeze early. Steps and publications that it holds go on now.
    End {
        /// Id of the freeze, from `spindrift freeze list`.
        id: String,
    },
}

/// Arguments of `freeze add`.
// The application must not come from the environment or a project: a default would silently leave
// others out.
#[derive(Debug, Args)]
pub(crate) struct FreezeAddCommand {
    /// The application.
    #[arg(long, value_name = "NAME", required_unless_present = "all_apps")]
    app: Option<String>,
    /// Freeze all applications. Only admins can do this.
    #[arg(long, conflicts_with = "app")]
    all_apps: bool,
    /// When the freeze begins, like `2026-12-21T00:00:00+01:00`, at most 366 days ahead. Now, if you leave it
    /// out.
    #[arg(long, value_name = "TIME", value_parser = time)]
    from: Option<Timestamp>,
    /// When it ends, at most 90 days later.
    #[arg(long, value_name = "TIME", value_parser = time)]
    to: Timestamp,
    /// The reason, 1-200 characters. Clients do not see it.
    #[arg(long, value_name = "TEXT", value_parser = public_reason)]
    reason: String,
}

impl FreezeCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        match self {
            Self::Add(add) => add.run(context, &service).await,
            Self::List { app } => list(context, &service, app.as_deref()).await,
            Self::End { id } => end(context, &service, &id).await,
        }
    }
}

impl FreezeAddCommand {
    async fn run(self, context: &Context, service: &Service) -> Result<(), CliError> {
        let Self { app, all_apps: _, from, to, reason } = self;
        let body = FreezeCreateBody {
            app: app.clone(),
            from: from.map(Timestamp::to_rfc3339),
            to: Some(to.to_rfc3339()),
            reason: Some(reason),
        };
        let freeze: FreezeEntry = match service.post(PATH).body_json(&body).json().await {
            Err(error) => return Err(names(app.as_deref()).explain(service, error).await),
            Ok(freeze) => freeze,
        };
        context.output.result(&freeze, &as_text(&freeze))
    }
}

fn names(app: Option<&str>) -> CallNames<'_> {
    CallNames { app, ..CallNames::default() }
}

fn as_text(freeze: &FreezeEntry) -> String {
    let FreezeEntry { id, app, from, to, .. } = freeze;
    let (from, to) = (rollout::time(from), rollout::time(to));
    let apps = if app.is_empty() { "all applications" } else { app };
    format!(
        "rollouts of {apps} are frozen from {from} to {to}: steps and scheduled publications wait\n\
         `spindrift freeze end {id}` ends that"
    )
}

async fn list(context: &Context, service: &Service, app: Option<&str>) -> Result<(), CliError> {
    let query: Vec<_> = app.into_iter().map(|app| ("app", app)).collect();
    let found: FreezesBody = match service.get(PATH).query(&query).json().await {
        Err(error) => return Err(names(app).explain(service, error).await),
        Ok(found) => found,
    };
    let rows: Vec<Vec<String>> = found.freezes.iter().map(row).collect();
    context.output.rows(&found, &["ID", "APP", "FROM", "TO", "BY", "REASON"], &rows)
}

fn row(freeze: &FreezeEntry) -> Vec<String> {
    let FreezeEntry { id, app, from, to, reason, created_by, created_at: _ } = freeze.clone();
    let app = if app.is_empty() { ALL_APPS.to_owned() } else { app };
    vec![id.to_string(), app, rollout::time(&from), rollout::time(&to), created_by, reason]
}

async fn end(context: &Context, service: &Service, id: &str) -> Result<(), CliError> {
    let id = Id::from_text(id);
    match service.remove::<MessageBody>(&format!("{PATH}/{id}"), &[]).await {
        Err(CliError::Refused(refusal)) if refusal.status == 404 => {
            let text = format!("unknown freeze {:?}: `spindrift freeze list` shows the ids", id.as_str());
            Err(CliError::NotFound(text))
        }
        answered => {
            let _: MessageBody = answered?;
            context.output.result(&json!({ "id": id, "ended": true }), "the freeze is over: rollouts go on")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn freeze(app: &str) -> FreezeEntry {
        FreezeEntry {
            id: Id::from_text("f1"),
            app: app.to_owned(),
            from: "2026-12-21T00:00:00+00:00".to_owned(),
            to: "2027-01-04T08:00:00+00:00".to_owned(),
            reason: "holidays".to_owned(),
            created_by: "ada".to_owned(),
            created_at: "2026-12-01T08:00:00+00:00".to_owned(),
        }
    }

    #[test]
    fn a_freeze_says_what_it_holds_and_how_to_end_it() {
        for (app, apps) in [("", "all applications"), ("notes", "notes")] {
            assert_eq!(
                as_text(&freeze(app)),
                format!(
                    "rollouts of {apps} are frozen from 2026-12-21 00:00 UTC to 2027-01-04 08:00 UTC: steps and \
                     scheduled publications wait\n`spindrift freeze end f1` ends that"
                )
            );
        }
        let expected = ["f1", "all", "2026-12-21 00:00 UTC", "2027-01-04 08:00 UTC", "ada", "holidays"];
        assert_eq!(row(&freeze("")), expected);
    }

    #[test]
    fn an_end_and_a_reason_are_needed_and_the_applications_are_named() {
        let understood = |words: &str| {
            let words = format!("spindrift freeze {words}");
            crate::command()
                .try_get_matches_from(words.split(' '))
                .map(drop)
                .map_err(|error| error.to_string())
        };
        let to = "--to 2027-01-04T08:00:00Z";
        for words in [
            &format!("add --app notes {to} --reason holidays"),
            &format!("add --all-apps --from 2026-12-21T00:00:00+01:00 {to} --reason holidays"),
            "list",
            "list --app notes",
            "end f1",
        ] {
            assert_eq!(understood(words), Ok(()), "{words}");
        }
        for (words, error) in [
            (&format!("add {to} --reason holidays")[..], "--app"),
            (&format!("add --app notes --all-apps {to} --reason holidays"), "--all-apps"),
            ("add --app notes --reason holidays", "--to"),
            (&format!("add --app notes {to}"), "--reason"),
            ("add --app notes --to tomorrow --reason holidays", "a time looks like"),
            ("end", "<ID>"),
        ] {
            let text = understood(words).unwrap_err();
            assert!(text.contains(error), "{words}: {text}");
        }
    }
}
