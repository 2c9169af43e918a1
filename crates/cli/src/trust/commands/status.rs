//! `trust status`: who signs, until when, and what is not signed.

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;
use spindrift_api::{ListingState, RepositoryConfig, Waiting};
use spindrift_trust::{Role as _, RoleName, Signers};

use crate::context::Context;
use crate::error::CliError;
use crate::trust::options::{RepositoryOptions, SigningOptions};
use crate::trust::reported_files::names;
use crate::trust::signing_session::{SigningSession, now};
use crate::trust::view::View;

#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    repository: RepositoryOptions,
}

/// The state of a repository.
#[derive(Debug, Serialize)]
struct StatusReport {
    repository: String,
    /// `null`: nothing is missing.
    state: Option<Waiting>,
    roles: Vec<RoleReport>,
    /// Roles and versions of staged metadata.
    staged: Vec<String>,
    files: FileCounts,
    /// Each text includes advice.
    problems: Vec<String>,
}

/// A role, its keys and its expiry.
#[derive(Debug, Serialize)]
struct RoleReport {
    role: String,
    version: u64,
    expires: String,
    days_left: i64,
    threshold: usize,
    keys: Vec<KeyReport>,
}

#[derive(Debug, Serialize)]
struct KeyReport {
    keyid: String,
    keytype: &'static str,
    /// `service`, `here` (the key is available), or `other`.
    holder: &'static str,
}

/// Numbers of files.
#[derive(Debug, Default, Serialize)]
struct FileCounts {
    /// Listed in signed metadata.
    listed: usize,
    /// Not offered, because they are not signed.
    unlisted: usize,
    /// Older than the repository: offered, but clients that verify reject them.
    legacy: usize,
    /// Listed, but deleted from the service. The next signature removes them.
    stale: usize,
}

impl Status {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let session = SigningSession::open(context, &self.repository, &SigningOptions::default()).await?;
        let report = StatusReport::read(&session).await?;
        let count = report.problems.len();
        context.output.result(&report, &report.as_text())?;
        if count == 0 { Ok(()) } else { Err(CliError::Problems(count)) }
    }
}

impl StatusReport {
    async fn read(session: &SigningSession) -> Result<Self, CliError> {
        let staged = session.calls.staged().await?;
        let staged = staged.iter().flat_map(|staged| staged.metadata.keys());
        let staged = staged.filter(|role| !role.starts_with("trusted_")).cloned().collect();
        let mut report = Self {
            repository: session.repository.to_string(),
            state: session.state.state,
            roles: Vec::new(),
            staged,
            files: FileCounts::default(),
            problems: Vec::new(),
        };
        if session.state.state == Some(Waiting::Signing) {
            report
                .problems
                .push("the first root lacks signatures: its signers run `spindrift trust sign`".to_owned());
            return Ok(report);
        }
        let view = session.view().await?;
        let (config, found) = tokio::try_join!(session.calls.config(), session.calls.artifacts(&[]))?;
        report.problems = view.problems(now());
        report.problems.extend(config.iter().flat_map(|RepositoryConfig { problems, .. }| problems.clone()));
        report.roles = roles(session, &view)?;
        let count = |state| found.entries.iter().filter(|entry| entry.state == state).count();
        let there = names(&found.entries);
        let stale = view.files().filter(|(name, _)| !there.contains(*name)).count();
        report.files = FileCounts {
            listed: view.files().count() - stale,
            unlisted: count(ListingState::Unlisted),
            legacy: count(ListingState::Legacy),
            stale,
        };
        Ok(report)
    }

    fn as_text(&self) -> String {
        let mut text = format!("repository {}\n", self.repository);
        for RoleReport { role, version, expires, days_left, threshold, keys } in &self.roles {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\n{role} {version}, until {expires} ({days_left} days), {threshold} of:");
            for KeyReport { keyid, keytype, holder } in keys {
                let _ = writeln!(text, "  {keytype} {keyid} {holder}");
            }
        }
        let FileCounts { listed, unlisted, legacy, stale } = self.files;
        let _ = writeln!(
            text,
            "\nfiles: {listed} listed, {unlisted} unlisted, {legacy} from before, {stale} stale"
        );
        for role in &self.staged {
            let _ = writeln!(text, "waits for signatures: {role} (`spindrift trust sign`)");
        }
        for problem in &self.problems {
            let _ = writeln!(text, "problem: {problem}");
        }
        text.trim_end().to_owned()
    }
}

fn roles(session: &SigningSession, view: &View) -> Result<Vec<RoleReport>, CliError> {
    let own = session.key_ring.own()?;
    let services = session.service_keys();
    let keys = |signers: Signers<'_>| {
        let keys = signers.keyids().iter().filter_map(|id| signers.key(id));
        keys.map(|key| KeyReport {
            keyid: key.id().to_string(),
            keytype: key.keytype(),
            holder: if services.contains(key.id().as_str()) {
                "service"
            } else if own.iter().any(|own| own.public == *key) {
                "here"
            } else {
                "other"
            },
        })
        .collect()
    };
    let root = view.root.role();
    let report = |ending: crate::trust::view::RoleExpiry| {
        let version = match &ending.role {
            RoleName::Root => root.head().version,
            RoleName::Snapshot => view.lists.as_ref()?.snapshot.head().version,
            RoleName::Timestamp => view.lists.as_ref()?.timestamp.head.version,
            role => view.list(role)?.head().version,
        };
        let signers = view.signers(&ending.role).unwrap_or_else(|| root.online());
        Some(RoleReport {
            days_left: ending.days_left(now()),
            role: ending.role.to_string(),
            version: version.number(),
            expires: ending.expires.to_string(),
            threshold: signers.threshold(),
            keys: keys(signers),
        })
    };
    Ok(view.expiries().into_iter().filter_map(report).collect())
}
