//! `explain`.

use clap::Args;
use spindrift_api::{DifferentAnswer, ExplainBody, ExplainedBody, ExplainedRelease};

use crate::context::Context;
use crate::error::CliError;
use crate::names::CallNames;
use crate::output::{table, yes_or_empty};

/// Arguments of `explain`: a client, as it would check.
#[derive(Debug, Args)]
pub(crate) struct ExplainCommand {
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
    /// The version that the client runs.
    #[arg(long, value_name = "VERSION")]
    version: String,
    /// The channel that it asks for.
    #[arg(long, env = "SPINDRIFT_CHANNEL", value_name = "NAME")]
    channel: Option<String>,
    /// Its platform.
    #[arg(long, env = "SPINDRIFT_PLATFORM", value_name = "NAME")]
    platform: Option<String>,
    /// Its architecture.
    #[arg(long, env = "SPINDRIFT_ARCH", value_name = "NAME")]
    arch: Option<String>,
    /// Its updater; by default that of the platform.
    #[arg(long, value_name = "NAME")]
    updater: Option<String>,
    /// Its device id, 1-128 printable characters. It is not counted.
    #[arg(long, value_name = "ID")]
    device: Option<String>,
    /// Keys of groups that it is in, at most 4, separated by commas.
    #[arg(long, value_name = "KEYS")]
    group: Option<String>,
    /// The version of its operating system, like `13.6` or `10.0.19045`. Without it, the client does not say
    /// it.
    #[arg(long, value_name = "VERSION")]
    os_version: Option<String>,
    /// Check as if the user had asked for the update.
    #[arg(long)]
    interactive: bool,
    /// Time of the answer, up to 90 days ahead, like `2026-11-26T10:00:00Z`; by default now.
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
}

impl ExplainCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        let explained = match service.post("/explain").body_json(&self.body()).json().await {
            Ok(explained) => explained,
            Err(error) => return Err(self.names().explain(&service, error).await),
        };
        context.output.result(&explained, &as_text(&self.version, &explained))
    }

    /// The request body. Empty names count as missing, as they do in the environment.
    fn body(&self) -> ExplainBody {
        let Self {
            app,
            version,
            channel,
            platform,
            arch,
            updater,
            device,
            group,
            os_version,
            interactive,
            at,
        } = self;
        let named = |name: &Option<String>| name.clone().filter(|name| !name.is_empty());
        ExplainBody {
            app: Some(app.clone()),
            channel: named(channel),
            platform: named(platform),
            arch: named(arch),
            version: Some(version.clone()),
            updater: updater.clone(),
            device: device.clone(),
            group: group.clone(),
            os_version: os_version.clone(),
            interactive: interactive.then_some(true),
            at: at.clone(),
        }
    }

    fn names(&self) -> CallNames<'_> {
        CallNames {
            app: Some(&self.app),
            channel: self.channel.as_deref(),
            platform: self.platform.as_deref(),
            arch: self.arch.as_deref(),
            updater: self.updater.as_deref(),
        }
    }
}

fn as_text(client: &str, explained: &ExplainedBody) -> String {
    let ExplainedBody { at, answer, releases, others } = explained;
    let offered = answer.version.as_deref().filter(|_| answer.update_available).unwrap_or("nothing");
    let critical = match (answer.critical, answer.shut_off) {
        (_, true) => ": updates are shut off",
        (true, false) => ", which is critical",
        (false, false) => "",
    };
    let withdrawn = answer.withdrawn.as_ref();
    let withdrawn = withdrawn.map(|reason| format!(" {client} was withdrawn: {reason}")).unwrap_or_default();
    let rows: Vec<Vec<String>> = releases.iter().map(row).collect();
    let table = table(&["VERSION", "CHANNEL", "OFFERED", "WHY"], &rows);
    let table = table.trim_end();
    let others: String = others.iter().map(other_updater_line).collect();
    format!("At {at}, a client with {client} is offered {offered}{critical}.{withdrawn}{others}\n\n{table}")
}

/// The line about a client with another updater.
fn other_updater_line(other: &DifferentAnswer) -> String {
    let version = other.version.as_deref().unwrap_or("nothing");
    format!("\nThe same client with the updater {} is offered {version}.", other.updater)
}

fn row(release: &ExplainedRelease) -> Vec<String> {
    let texts: Vec<&str> = release.because.iter().map(|reason| reason.text.as_str()).collect();
    vec![release.version.clone(), release.channel.clone(), yes_or_empty(release.offered), texts.join(" ")]
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use serde_json::json;

    use super::*;
    use crate::args::{Arguments, Command};

    #[test]
    fn what_the_client_says_is_asked_about() {
        let body = |words: &str| {
            let words = format!("spindrift explain --app notes --version 1.0{words}");
            match Arguments::try_parse_from(words.split(' ')).unwrap().command {
                Command::Explain(explain) => json!(explain.body()),
                _ => panic!("another command: {words}"),
            }
        };
        assert_eq!(body(""), json!({ "app": "notes", "version": "1.0" }));
        assert_eq!(
            body(" --group grp_1,grp_2 --os-version 13.6 --interactive --device 4f1c"),
            json!({
                "app": "notes", "version": "1.0", "group": "grp_1,grp_2", "os_version": "13.6", "interactive": true,
                "device": "4f1c",
            })
        );
    }

    #[test]
    fn the_answer_comes_first() {
        let release = |version: &str, texts: &[&str], offered: bool| {
            let because: Vec<_> = texts.iter().map(|text| json!({ "code": "c", "text": text })).collect();
            json!({ "version": version, "channel": "stable", "offered": offered, "because": because })
        };
        let explained = json!({
            "at": "2026-11-21T01:43:42+00:00",
            "answer": { "update_available": true, "version": "1.1", "critical": true, "shut_off": false },
            "releases": [
                release("1.2", &["It is a draft.", "It has no file."], false),
                release("1.1", &["It is offered."], true),
            ],
        });
        let mut explained: ExplainedBody = serde_json::from_value(explained).unwrap();
        assert_eq!(
            as_text("1.0", &explained),
            "At 2026-11-21T01:43:42+00:00, a client with 1.0 is offered 1.1, which is critical.\n\n\
             VERSION  CHANNEL  OFFERED  WHY\n\
             1.2      stable            It is a draft. It has no file.\n\
             1.1      stable   yes      It is offered."
        );
        explained.others = vec![DifferentAnswer { updater: "tauri".to_owned(), version: None }];
        assert!(
            as_text("1.0", &explained)
                .contains("critical.\nThe same client with the updater tauri is offered nothing.\n\nVERSION")
        );
        explained.others.clear();
        explained.answer.update_available = false;
        explained.answer.critical = false;
        assert!(as_text("1.0", &explained).contains("a client with 1.0 is offered nothing.\n"));
        explained.answer.withdrawn = Some("it deletes files".to_owned());
        let message = as_text("1.0", &explained);
        assert!(message.contains("is offered nothing. 1.0 was withdrawn: it deletes files\n"), "{message}");
        explained.answer.shut_off = true;
        let message = as_text("1.0", &explained);
        assert!(message.contains("is offered nothing: updates are shut off. 1.0 was withdrawn"), "{message}");
    }
}
