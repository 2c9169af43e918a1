//! Adds files to the list of targets, or to that of their channel.

use std::collections::BTreeSet;

use spindrift_trust::{RoleName, TargetFile, TargetFiles};

use super::calls::Artifacts;
use super::change::{NextList, as_is};
use super::plan::next_targets;
use super::reported_files::ReportedFiles;
use super::signing_session::SigningSession;
use super::view::View;
use crate::error::CliError;

/// The next list with these files, and its role. `None`: the current list has them already. `there`
/// contains at least the service's data on all listed files.
pub(crate) async fn add_files(
    session: &SigningSession,
    view: &View,
    files: &TargetFiles,
    there: &Artifacts,
) -> Result<(RoleName, Option<NextList>), CliError> {
    let role = role_of(view, files)?;
    let current = view.list(&role);
    let NextList { files: before, delegations } = as_is(current);
    let reported = ReportedFiles::read(&session.calls, current, there).await?;
    let revoked = session.revoked()?;
    let next = next_targets(&before, files, &reported.retention(&revoked)).map_err(|name| {
        CliError::Conflict(format!("{name} is revoked, and is not signed again: build another version"))
    })?;
    let is_same = current.is_some() && next.files == before;
    Ok((role, (!is_same).then_some(NextList { files: next.files, delegations })))
}

/// The role that lists these files: that of their channel, if the channel has signers of its own.
fn role_of(view: &View, files: &TargetFiles) -> Result<RoleName, CliError> {
    let role = |file: &TargetFile| {
        let channel = file.custom().channel.clone().map(RoleName::Channel);
        channel.filter(|role| view.signers(role).is_some()).unwrap_or(RoleName::Targets)
    };
    let roles: BTreeSet<RoleName> = files.values().map(role).collect();
    let mut roles = roles.into_iter();
    match (roles.next(), roles.next()) {
        (Some(role), None) => Ok(role),
        (None, _) => Ok(RoleName::Targets),
        _ => Err(CliError::usage(
            "these files have different signers: sign those of one channel at a time, or pass --version",
        )),
    }
}
