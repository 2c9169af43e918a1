//! Bodies of publishers and of the exchange of identity tokens.

use std::fmt;

use serde::{Deserialize, Serialize};
use spindrift_core::{BuiltBy, Id};

/// Body of `POST /publishers`. Which of the other fields it has depends on `provider`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PublisherCreateBody {
    /// The name of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// `github`, `gitlab` or `oidc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The rights of a job: `upload`, `publish`, `stop`, `roll`, `guard`. Without it: `upload`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub may: Option<Vec<String>>,
    /// The names of the channels that a job may publish in. Without it: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<String>>,
    /// The conditions on the job.
    #[serde(flatten)]
    pub named: PublisherNames,
}

/// The conditions on the job. Only the fields of its provider are present.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PublisherNames {
    /// `github`: the repository, `owner/name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// `github`: the workflow's file name in `.github/workflows`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// `github`: the reusable workflow that has the job, `owner/name/.github/workflows/file.yml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reusable: Option<String>,
    /// `gitlab`: the whole path of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// `gitlab`: whether jobs of branches and tags that are not protected are accepted too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unprotected: Option<bool>,
    /// `github` and `gitlab`: the environment of the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// `github` and `gitlab`: the ref of the run, with at most one `*`.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub ref_pattern: Option<String>,
    /// `oidc`: the claim `iss`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// `oidc`: the claim `sub`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// A publisher in answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PublisherEntry {
    /// Id.
    pub id: Id,
    /// The name of the application.
    pub app: String,
    /// `github`, `gitlab` or `oidc`.
    pub provider: String,
    /// The job in short: `acme/notes release.yml`.
    pub name: String,
    /// The conditions on the job.
    #[serde(flatten)]
    pub named: PublisherNames,
    /// The rights of a job.
    pub may: Vec<String>,
    /// The names of the channels that a job may publish in. `null`: all.
    pub channels: Option<Vec<String>>,
    /// Whether the ids behind the names are pinned, because a job has come.
    pub pinned: bool,
    /// When a job last got a token, RFC 3339. `null`: never.
    pub last_used_at: Option<String>,
    /// RFC 3339.
    pub created_at: String,
}

/// Answer of `GET /publishers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PublishersBody {
    /// The publishers of the application, oldest first.
    pub publishers: Vec<PublisherEntry>,
}

/// Body of `POST /tokens/exchange`. No `Debug`: the token must not get into a log.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExchangeBody {
    /// The job's identity token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The admin who owns the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The name of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
}

/// Answer of `POST /tokens/exchange`. No `Debug`: the token must not get into a log.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExchangedBody {
    /// A CI token of the application.
    pub token: String,
    /// When it ends, RFC 3339.
    pub expires_at: String,
    /// The rights of the token.
    pub may: Vec<String>,
    /// The names of the channels that it may publish in. `null`: all.
    pub channels: Option<Vec<String>>,
    /// The job, as the audit log names it.
    pub job: String,
}

/// Where files were built, from the claims of the CI job that uploaded them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BuiltByBody {
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
    /// The number of the run or pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The page of the run or pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The number of files from there.
    pub files: u64,
}

/// `acme/notes@1a2b3c4 by release.yml, run 812`.
impl fmt::Display for BuiltByBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.repository)?;
        if let Some(commit) = &self.commit {
            write!(f, "@{}", commit.get(..SHORT_COMMIT).unwrap_or(commit))?;
        }
        if let Some(workflow) = &self.workflow {
            write!(f, " by {workflow}")?;
        }
        self.run.as_ref().map_or(Ok(()), |run| write!(f, ", run {run}"))
    }
}

/// Characters of a commit that people see.
const SHORT_COMMIT: usize = 7;

impl BuiltByBody {
    /// Whether these builds are of different commits.
    pub fn differ(builds: &[Self]) -> bool {
        builds.windows(2).any(|two| matches!(two, [one, other] if one.commit != other.commit))
    }

    /// The builds of these files, each once, in the order in which they came. Files without one are left out.
    pub fn of_files<'a>(files: impl IntoIterator<Item = Option<&'a BuiltBy>>) -> Vec<Self> {
        let mut builds: Vec<(&BuiltBy, u64)> = Vec::new();
        for build in files.into_iter().flatten() {
            match builds.iter_mut().find(|(known, _)| *known == build) {
                Some((_, files)) => *files += 1,
                None => builds.push((build, 1)),
            }
        }
        builds.into_iter().map(|(build, files)| Self::new(build.clone(), files)).collect()
    }

    fn new(build: BuiltBy, files: u64) -> Self {
        let BuiltBy { provider, repository, commit, ref_name, workflow, run, url } = build;
        Self { provider, repository, commit, ref_name, workflow, run, url, files }
    }
}
