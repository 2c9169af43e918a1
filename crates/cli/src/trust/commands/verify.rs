//! `trust verify`: what clients see from outside.

mod mirrors;

use clap::Args;
use serde_json::json;
use spindrift_trust::{TargetFile, TargetName};

use self::mirrors::{Mirror, check_files, refresh};
use crate::context::Context;
use crate::doctor::finding::Finding;
use crate::error::CliError;
use crate::trust::options::{RepositoryOptions, SigningOptions};
use crate::trust::signing_session::{SigningSession, now};

#[derive(Debug, Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    repository: RepositoryOptions,
}

impl Verify {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let session = SigningSession::open(context, &self.repository, &SigningOptions::default()).await?;
        let mut findings = Vec::new();
        let mut files: Vec<(TargetName, TargetFile)> = Vec::new();
        match session.view().await {
            Ok(view) => {
                files = view.files().map(|(name, file)| (name.clone(), file.clone())).collect();
                let problems = view.problems(now());
                findings.extend(problems.iter().map(|problem| Finding::problem("expiry", problem)));
                if problems.is_empty() {
                    findings.push(Finding::good("expiry", "nothing expires soon"));
                }
            }
            Err(error) => findings.push(Finding::failed("lists", &error)),
        }
        for mirror in Mirror::all(&session, files.first().map(|(name, _)| name)).await {
            findings.push(refresh(&session, &mirror).await);
            findings.push(check_files(&session, &mirror, &files).await);
        }
        let problems = findings.iter().filter(|finding| finding.is_problem()).count();
        let all: Vec<_> = findings.iter().map(Finding::as_json).collect();
        let rows: Vec<Vec<String>> = findings.iter().map(Finding::row).collect();
        let answer = json!({ "repository": session.repository.to_string(), "files": files.len(), "problems": problems, "checks": all });
        context.output.rows(&answer, &["", "CHECK", "FOUND"], &rows)?;
        if problems == 0 { Ok(()) } else { Err(CliError::Problems(problems)) }
    }
}
