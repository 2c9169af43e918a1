//! `trust revoke`: takes a version out of the lists, for good.

use std::collections::BTreeSet;

use clap::Args;
use serde_json::{Value, json};
use spindrift_api::ReleaseUpdateData;
use spindrift_core::Version;
use spindrift_trust::{RoleName, TargetFiles, TargetName};

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::releases;
use crate::trust::change::{ListChange, NextList, as_is, change_list};
use crate::trust::options::{RepositoryOptions, SigningOptions};
use crate::trust::plan::RevokedFiles;
use crate::trust::reported_files::recorded_targets;
use crate::trust::signing_session::SigningSession;
use crate::trust::view::View;

/// The state of a withdrawn release.
const WITHDRAWN: &str = "withdrawn";

#[derive(Debug, Args)]
pub(crate) struct Revoke {
    #[command(flatten)]
    pub(crate) repository: RepositoryOptions,
    #[command(flatten)]
    pub(crate) signing: SigningOptions,
    /// The version of the release.
    #[arg(long, value_name = "VERSION")]
    pub(crate) version: String,
}

/// A version that was removed from the lists, or will be once others have signed.
pub(crate) struct Revocation {
    /// The output of `--json`.
    pub(crate) answer: Value,
    /// The text for people.
    pub(crate) text: String,
    pub(crate) outcome: Outcome,
}

impl Revoke {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        let Revocation { answer, text, outcome } = self.carry_out(context).await?;
        context.output.result(&answer, &text)?;
        Ok(outcome)
    }

    /// Revokes a version without printing the result.
    pub(crate) async fn carry_out(self, context: &Context) -> Result<Revocation, CliError> {
        let version: Version = self.version.parse().map_err(|_| {
            CliError::usage(format!(
                "`{}` is not a version: versions look like 1.2.3 or 1.2.3-beta.1",
                self.version
            ))
        })?;
        let mut session = SigningSession::open(context, &self.repository, &self.signing).await?;
        let unpublished = unpublish(&session, &version).await?;
        let view = session.view().await?;
        // First of all, make sure that this machine never signs these files again.
        let mut revoked = session.revoked()?;
        let found = session.calls.artifacts(&[("version", &version.to_string())]).await?;
        let mut files = files_of_version(&view, &version);
        files.extend(recorded_targets(&session.repository, &found.entries));
        if files.is_empty() {
            return Err(CliError::NotFound(format!(
                "there is no release {version} of `{}`: `spindrift releases` shows what there is",
                session.calls.app
            )));
        }
        let path = if revoked.add(&files) { Some(session.save_revoked(&revoked)?) } else { None };
        let mut lists = Vec::new();
        for role in roles(&view, &version) {
            lists.push(remove_version(&mut session, &role, &version, &revoked).await?);
        }
        let mut lines: Vec<String> = lists.iter().map(ListChange::as_text).collect();
        lines.insert(0, format!("{} {version} is revoked; no list may name it again", session.calls.app));
        lines.extend(
            path.iter().map(|path| format!("commit {}: everyone who publishes needs it", path.display())),
        );
        let names: BTreeSet<&str> = files.keys().map(TargetName::as_str).collect();
        let answer = json!({ "version": version.to_string(), "unpublished": unpublished, "files": names, "lists": lists });
        let is_waiting = lists.iter().any(|list| list.outcome.is_waiting());
        let outcome = if is_waiting { Outcome::Waiting } else { Outcome::Done };
        Ok(Revocation { answer, text: lines.join("\n"), outcome })
    }
}

/// Stops offering the release, unless it is already withdrawn. Returns whether it exists.
async fn unpublish(session: &SigningSession, version: &Version) -> Result<bool, CliError> {
    match releases::find(&session.calls.service, &session.calls.app, &version.to_string()).await {
        Ok(release) if release.state == WITHDRAWN => Ok(true),
        Ok(release) => {
            let id = release.id.to_string();
            // Copies refuse the files from now on, so forcing is safe: an intermediate release
            // could not be installed anyway.
            let (publish, force) = (Some(false), Some(true));
            let change = ReleaseUpdateData { id, publish, force, ..ReleaseUpdateData::default() };
            releases::change(&session.calls.service, &change).await?;
            Ok(true)
        }
        // The release was deleted, but its files may still be listed.
        Err(CliError::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// All roles with lists.
fn roles(view: &View, version: &Version) -> Vec<RoleName> {
    let channels = view.lists.iter().flat_map(|lists| lists.channels.keys());
    let all =
        std::iter::once(RoleName::Targets).chain(channels.map(|channel| RoleName::Channel(channel.clone())));
    let has =
        |role: &RoleName| as_is(view.list(role)).files.values().any(|file| file.custom().version == *version);
    all.filter(has).collect()
}

fn files_of_version(view: &View, version: &Version) -> TargetFiles {
    let lists = roles(view, version).into_iter().flat_map(|role| as_is(view.list(&role)).files);
    lists.filter(|(_, file)| file.custom().version == *version).collect()
}

async fn remove_version(
    session: &mut SigningSession,
    role: &RoleName,
    version: &Version,
    revoked: &RevokedFiles,
) -> Result<ListChange, CliError> {
    let lifetime = role.lifetimes().default;
    change_list(session, lifetime, async |_, view| {
        let NextList { mut files, delegations } = as_is(view.list(role));
        let before = files.len();
        files.retain(|_, file| file.custom().version != *version && !revoked.has(file));
        let is_same = files.len() == before;
        Ok((role.clone(), (!is_same).then_some(NextList { files, delegations })))
    })
    .await
}
