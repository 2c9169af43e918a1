//! The conditions on the identity token of a job.
//!
//! The claims are those of [GitHub](https://docs.github.com/actions/reference/security/oidc) and of
//! [GitLab](https://docs.gitlab.com/ci/secrets/id_token_authentication/).

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{JobClaims, RefPattern};
use crate::quoted;

/// The job that a publisher stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "provider", rename_all = "lowercase")]
pub enum PublisherConditions {
    /// GitHub Actions.
    Github(GithubConditions),
    /// GitLab CI.
    Gitlab(GitlabConditions),
    /// Any other OpenID issuer.
    Oidc(OidcConditions),
}

/// A workflow of a repository on GitHub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GithubConditions {
    /// `owner/name`, in any case.
    pub repository: String,
    /// The file's name in `.github/workflows`.
    pub workflow: String,
    /// The environment of the job. `None`: any or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The ref of the run. `None`: any.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub ref_pattern: Option<RefPattern>,
    /// The reusable workflow that has the job: `owner/name/.github/workflows/file.yml`, with or without a ref
    /// after `@`. `None`: not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reusable: Option<String>,
}

/// A project on GitLab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitlabConditions {
    /// The whole path, as in the project's URL.
    pub project: String,
    /// The environment of the job. `None`: any or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The ref of the pipeline, without `refs/`. `None`: any.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub ref_pattern: Option<RefPattern>,
    /// Whether jobs of branches and tags that are not protected are accepted too.
    #[serde(default)]
    pub unprotected: bool,
}

/// A subject of an issuer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OidcConditions {
    /// The claim `iss`.
    pub issuer: String,
    /// The claim `sub`.
    pub subject: String,
}

/// A condition that does not hold. Claims are public, so it says what the token said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Mismatch {
    text: String,
    /// The place among the conditions of its publisher: a later one came closer.
    pub(super) place: usize,
}

impl Mismatch {
    /// The application has no publisher with the token's issuer.
    pub(super) fn no_publisher() -> Self {
        Self { text: "the application has no publisher of this issuer".to_owned(), place: 0 }
    }

    /// The token lacks a claim.
    pub(super) fn missing(claim: &str) -> Self {
        Self { text: format!("the token has no {claim}"), place: usize::MAX }
    }
}

/// The demand on the text of a claim.
#[derive(Debug, Clone, Copy)]
enum Expected<'a> {
    /// This text.
    Text(&'a str),
    /// This text, in any case.
    AnyCase(&'a str),
    /// A ref that matches.
    Ref(&'a RefPattern),
    /// The ref of a workflow with this file.
    Workflow(&'a str),
    /// The ref of this reusable workflow, which may name a ref itself.
    Reusable(&'a str),
    /// An event of the repository's own people.
    OwnEvent,
}

impl Expected<'_> {
    fn is(self, said: &str) -> bool {
        match self {
            Self::Text(text) => said == text,
            Self::AnyCase(text) => said.eq_ignore_ascii_case(text),
            Self::Ref(pattern) => pattern.matches(said),
            Self::Workflow(file) => workflow_file(said) == Some(file),
            Self::Reusable(workflow) => said == workflow || said.split('@').next() == Some(workflow),
            Self::OwnEvent => !FOREIGN_EVENTS.contains(&said),
        }
    }
}

impl fmt::Display for Expected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) | Self::AnyCase(text) | Self::Reusable(text) => f.write_str(&quoted(text)),
            Self::Ref(pattern) => f.write_str(&quoted(&pattern.to_string())),
            Self::Workflow(file) => write!(f, "of {}", quoted(file)),
            Self::OwnEvent => write!(f, "another one than {}", FOREIGN_EVENTS.join(" and ")),
        }
    }
}

/// The first condition that does not hold.
fn check(claims: &JobClaims, conditions: &[(&'static str, Option<Expected<'_>>)]) -> Result<(), Mismatch> {
    let conditions = conditions.iter().filter_map(|(claim, expected)| Some((*claim, (*expected)?)));
    for (place, (claim, expected)) in conditions.enumerate() {
        let said = claims.text(claim);
        if said.as_deref().is_some_and(|said| expected.is(said)) {
            continue;
        }
        let said = said.map_or_else(|| "nothing".to_owned(), |text| quoted(&text));
        let text = format!("{claim} must be {expected}, and the token says {said}");
        return Err(Mismatch { text, place: place + 1 });
    }
    Ok(())
}

impl PublisherConditions {
    /// The provider's name.
    pub const fn provider(&self) -> &'static str {
        match self {
            Self::Github(_) => "github",
            Self::Gitlab(_) => "gitlab",
            Self::Oidc(_) => "oidc",
        }
    }

    /// The claims whose values are pinned by the first exchange.
    pub(super) const fn pinned_claims(&self) -> &'static [&'static str] {
        match self {
            Self::Github(_) => &["repository_id", "repository_owner_id"],
            Self::Gitlab(_) => &["project_id", "namespace_id"],
            // The subject is all that other issuers have in common.
            Self::Oidc(_) => &[],
        }
    }

    /// The job in short, for people: `acme/notes release.yml`.
    pub fn name(&self) -> String {
        match self {
            Self::Github(github) => format!("{} {}", github.repository, github.workflow),
            Self::Gitlab(gitlab) => gitlab.project.clone(),
            Self::Oidc(oidc) => oidc.subject.clone(),
        }
    }

    /// Fails with the first condition that does not hold. The issuer was checked with the signature.
    pub fn hold_for(&self, claims: &JobClaims) -> Result<(), Mismatch> {
        match self {
            Self::Github(github) => check(
                claims,
                &[
                    ("repository", Some(Expected::AnyCase(&github.repository))),
                    ("workflow_ref", Some(Expected::Workflow(&github.workflow))),
                    ("event_name", Some(Expected::OwnEvent)),
                    ("job_workflow_ref", github.reusable.as_deref().map(Expected::Reusable)),
                    // GitHub's names of environments have no case.
                    ("environment", github.environment.as_deref().map(Expected::AnyCase)),
                    ("ref", github.ref_pattern.as_ref().map(Expected::Ref)),
                ],
            ),
            Self::Gitlab(gitlab) => check(
                claims,
                &[
                    ("project_path", Some(Expected::Text(&gitlab.project))),
                    ("ref_protected", (!gitlab.unprotected).then_some(Expected::Text("true"))),
                    ("environment", gitlab.environment.as_deref().map(Expected::Text)),
                    ("ref", gitlab.ref_pattern.as_ref().map(Expected::Ref)),
                ],
            ),
            Self::Oidc(oidc) => check(claims, &[("sub", Some(Expected::Text(&oidc.subject)))]),
        }
    }
}

/// Events whose jobs run code of people who need no right to the repository.
const FOREIGN_EVENTS: [&str; 2] = ["pull_request", "pull_request_target"];

/// The file's name in `acme/notes/.github/workflows/release.yml@refs/heads/main`.
pub(super) fn workflow_file(workflow_ref: &str) -> Option<&str> {
    let (path, _) = workflow_ref.split_once('@')?;
    let (_, file) = path.rsplit_once("/.github/workflows/")?;
    Some(file)
}
