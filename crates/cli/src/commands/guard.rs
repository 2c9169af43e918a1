//! `guard run`.

use clap::Subcommand;
use spindrift_api::{GuardActedBody, GuardRunBody};

use super::rollout::step;
use crate::context::Context;
use crate::error::CliError;
use crate::output::table;

/// The commands. `spindrift rollout guard` sets the guard of a release.
#[derive(Debug, Subcommand)]
pub(crate) enum GuardCommand {
    /// Check all releases that clients see, and stop the unhealthy ones according to their guards.
    ///
    /// Needs an admin's login, a CI token with the right `guard`, or the service's maintenance
    /// token as `--token`. With a CI token it checks the releases of the token's applications.
    /// Nothing else reacts to failures, so call this from a timer. It never extends a rollout.
    Run,
}

impl GuardCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        let run: GuardRunBody = service.post("/guard/run").json().await?;
        context.output.result(&run, &as_text(&run))
    }
}

fn as_text(run: &GuardRunBody) -> String {
    let GuardRunBody { looked_at, acted, unhealthy, unknown, failed, left } = run;
    let stopped = acted.len();
    let more = [(*failed, "failed"), (*left, "left for the next run")].into_iter();
    let more = more.filter(|(count, _)| *count > 0).map(|(count, name)| format!(", {name}: {count}"));
    let counts = format!(
        "looked at: {looked_at}, unhealthy: {unhealthy}, unknown: {unknown}, stopped: {stopped}{}",
        more.collect::<String>()
    );
    if acted.is_empty() {
        return counts;
    }
    let rows: Vec<Vec<String>> = acted.iter().map(row).collect();
    let table = table(&["APP", "VERSION", "CHANNEL", "STEP", "WHY"], &rows);
    format!("{counts}\n\n{}", table.trim_end())
}

fn row(acted: &GuardActedBody) -> Vec<String> {
    let GuardActedBody { id: _, app, channel, version, action, why } = acted.clone();
    vec![app, version, channel, step(action).to_owned(), why]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_says_what_it_stopped() {
        let mut run = GuardRunBody { looked_at: 12, unhealthy: 2, unknown: 3, ..GuardRunBody::default() };
        assert_eq!(as_text(&run), "looked at: 12, unhealthy: 2, unknown: 3, stopped: 0");
        (run.failed, run.left) = (1, 5);
        assert_eq!(
            as_text(&run),
            "looked at: 12, unhealthy: 2, unknown: 3, stopped: 0, failed: 1, left for the next run: 5"
        );
        (run.failed, run.left) = (0, 0);
        let acted = json!([
            { "id": "r", "app": "notes", "channel": "stable", "version": "2.0", "action": "pause", "why": "It fails." },
            { "id": "s", "app": "desk", "channel": "", "version": "3.1", "action": "halt", "why": "20 failed." },
        ]);
        run.acted = serde_json::from_value(acted).unwrap();
        assert_eq!(
            as_text(&run),
            "looked at: 12, unhealthy: 2, unknown: 3, stopped: 2\n\n\
             APP    VERSION  CHANNEL  STEP   WHY\n\
             notes  2.0      stable   pause  It fails.\n\
             desk   3.1               halt   20 failed."
        );
    }
}
