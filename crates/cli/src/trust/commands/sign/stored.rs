//! Signs files that the service holds. Each is downloaded, hashed and shown first.

use std::collections::BTreeSet;

use spindrift_api::{ListingState, TargetEntry};
use spindrift_trust::{RoleName, TargetFile, TargetFiles, TargetName};

use super::stored_links::{StoredLinks, download};
use crate::error::CliError;
use crate::trust::add_files::add_files;
use crate::trust::ask::agree;
use crate::trust::change::{ListChange, ListOutcome, change_list};
use crate::trust::plan::{Difference, file_text};
use crate::trust::reported_files::custom;
use crate::trust::signing_session::SigningSession;

/// An unlisted file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnlistedFile {
    pub(super) name: TargetName,
    pub(super) file: TargetFile,
}

/// Stored files that are not listed. Each has a valid name.
pub(super) async fn unlisted(
    session: &SigningSession,
    version: Option<&str>,
) -> Result<Vec<TargetEntry>, CliError> {
    let mut all = if let Some(version) = version {
        session.calls.artifacts(&[("version", version)]).await?.entries
    } else {
        let mut all = session.calls.artifacts(&[("state", "unlisted")]).await?.entries;
        all.extend(session.calls.artifacts(&[("state", "legacy")]).await?.entries);
        all
    };
    all.retain(|entry| entry.state != ListingState::Listed);
    Ok(all)
}

/// Signs stored files that are not listed. Of the files older than the repository, only those that
/// a check could return.
pub(super) async fn sign_stored(
    session: &mut SigningSession,
    version: Option<&str>,
    yes: bool,
) -> Result<ListChange, CliError> {
    let mut entries = unlisted(session, version).await?;
    entries.retain(|entry| version.is_some() || entry.needed || entry.state == ListingState::Unlisted);
    sign_entries(session, entries, yes).await
}

/// Lists the files that were offered before the repository began.
pub(in crate::trust::commands) async fn adopt(
    session: &mut SigningSession,
    yes: bool,
) -> Result<ListChange, CliError> {
    let mut entries = unlisted(session, None).await?;
    entries.retain(|entry| entry.published);
    sign_entries(session, entries, yes).await
}

async fn sign_entries(
    session: &mut SigningSession,
    entries: Vec<TargetEntry>,
    yes: bool,
) -> Result<ListChange, CliError> {
    let links = StoredLinks::read(&session.calls).await?;
    let mut found = Vec::new();
    for entry in entries {
        let no_target = || {
            CliError::Untrusted(format!(
                "the service names a file {} that no list can name",
                crate::refusal::one_line(&entry.name)
            ))
        };
        let custom = custom(&session.repository, &entry).ok_or_else(no_target)?;
        let name: TargetName = entry.name.parse().map_err(|_| no_target())?;
        if !session.naming.fits(&name, &custom) {
            return Err(no_target());
        }
        let link = links.of(&name).ok_or_else(|| {
            CliError::NotFound(format!("there is no link to {name}: see `spindrift releases`"))
        })?;
        let seen = download(&session.calls.service, link, entry.length).await?;
        if !seen.agrees_with(&entry) {
            return Err(CliError::Untrusted(format!("{name} does not have the bytes that were uploaded")));
        }
        session.output.message(&format!("downloaded {name}"));
        found.push(UnlistedFile { name, file: seen.target(custom).ok_or_else(no_target)? });
    }
    add_to_lists(session, found, yes).await
}

/// Shows files, and adds them to the list of targets or of their channel.
pub(super) async fn add_to_lists(
    session: &mut SigningSession,
    found: Vec<UnlistedFile>,
    yes: bool,
) -> Result<ListChange, CliError> {
    let lines: BTreeSet<String> =
        found.iter().map(|one| format!("  + {}", file_text(&one.name, &one.file))).collect();
    if lines.is_empty() {
        let outcome = ListOutcome::Unchanged;
        let version = session
            .view()
            .await?
            .targets()
            .map_or(0, |list| spindrift_trust::Role::head(list).version.number());
        return Ok(ListChange {
            role: RoleName::Targets.to_string(),
            version,
            outcome,
            difference: Difference::default(),
        });
    }
    let shown =
        format!("These files are to be listed:\n{}", lines.into_iter().collect::<Vec<_>>().join("\n"));
    agree(session.output, &shown, yes)?;
    let files: TargetFiles = found.into_iter().map(|one| (one.name, one.file)).collect();
    let lifetime = RoleName::Targets.lifetimes().default;
    change_list(session, lifetime, async |session, view| {
        let listed = session.calls.artifacts(&[("state", "listed")]).await?;
        add_files(session, view, &files, &listed).await
    })
    .await
}
