//! The job that a token was made for, and what its uploads say about themselves.

use serde::{Deserialize, Serialize};

use super::conditions::workflow_file;
use super::grant::TokenGrant;
use super::{JobClaims, PublisherConditions};
use crate::{Id, check_plain};

/// Longest text from a claim, in characters.
const MAX_CHARS: usize = 256;

/// Where a file was built, from the claims of the job that uploaded it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltBy {
    /// `github`, `gitlab` or `oidc`.
    pub provider: String,
    /// The repository or project; for other issuers, the subject.
    pub repository: String,
    /// The commit, in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The branch or tag.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub ref_name: Option<String>,
    /// The workflow's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// The number of the run or pipeline, as people see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The page of the run or pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// The job that a token was made for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The name in the audit log: `acme/notes release.yml v2.0 run 812`.
    pub name: String,
    /// The publishers that it proved to be. They all can be removed, and each ends the token.
    pub publishers: Vec<Id>,
    /// Its rights, by publisher.
    pub grants: Vec<TokenGrant>,
    /// Where its files are built.
    pub built_by: BuiltBy,
}

/// The web address of GitHub.
const GITHUB: &str = "https://github.com";

impl BuiltBy {
    /// From the claims of a job that satisfies these conditions. `issuer` is the one that signed them.
    pub fn of(conditions: &PublisherConditions, claims: &JobClaims, issuer: &str) -> Self {
        let text = |name: &str| claims.text(name).filter(|text| is_short(text));
        let number = |name: &str| text(name).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let new = |repository: Option<String>| Self {
            provider: conditions.provider().to_owned(),
            repository: repository.unwrap_or_default(),
            commit: None,
            ref_name: None,
            workflow: None,
            run: None,
            url: None,
        };
        match conditions {
            PublisherConditions::Github(_) => {
                let run = number("run_id");
                let built = new(text("repository"));
                let url = run.as_ref().map(|id| format!("{GITHUB}/{}/actions/runs/{id}", built.repository));
                Self {
                    commit: text("sha"),
                    ref_name: text("ref"),
                    workflow: text("workflow_ref").as_deref().and_then(workflow_file).map(str::to_owned),
                    run: number("run_number").or(run),
                    url,
                    ..built
                }
            }
            PublisherConditions::Gitlab(_) => {
                let run = number("pipeline_id");
                let built = new(text("project_path"));
                let url = run.as_ref().map(|id| format!("{issuer}/{}/-/pipelines/{id}", built.repository));
                Self { commit: text("sha"), ref_name: text("ref"), run, url, ..built }
            }
            PublisherConditions::Oidc(_) => new(text("sub")),
        }
    }

    /// The name of the job, for the audit log.
    pub fn job_name(&self) -> String {
        let short = |text: &str| {
            let name = text.strip_prefix("refs/tags/").or_else(|| text.strip_prefix("refs/heads/"));
            name.unwrap_or(text).to_owned()
        };
        let parts = [
            Some(self.repository.clone()),
            self.workflow.clone(),
            self.ref_name.as_deref().map(short),
            self.run.as_ref().map(|run| format!("run {run}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// Whether the text can be shown: one line, and not too long.
fn is_short(text: &str) -> bool {
    check_plain(text).is_ok() && text.chars().count() <= MAX_CHARS
}
