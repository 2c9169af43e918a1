//! The request for a new publisher.

use spindrift_api::{PublisherCreateBody, PublisherNames};
use spindrift_core::{
    AppName, GithubConditions, GitlabConditions, OidcConditions, PublisherConditions, RefPattern, TokenRight,
    check_plain,
};
use spindrift_web::{ApiError, parse_parameter, required};

use crate::issuers::Issuers;

/// Longest name, in bytes.
const MAX_BYTES: usize = 255;

/// A request that names an application, a job and its rights.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NewPublisher {
    pub(crate) app: AppName,
    pub(crate) conditions: PublisherConditions,
    pub(crate) may: Vec<TokenRight>,
    /// The names of channels. `None`: all.
    pub(crate) channels: Option<Vec<String>>,
}

impl NewPublisher {
    pub(crate) fn parse(body: PublisherCreateBody, issuers: &Issuers) -> Result<Self, ApiError> {
        let app = parse_parameter("app", &required(body.app, "app")?)?;
        let provider = required(body.provider, "provider")?;
        let conditions = conditions(&provider, body.named, issuers)?;
        let may = TokenRight::parse_list(body.may)?;
        if body.channels.as_ref().is_some_and(Vec::is_empty) {
            return Err(ApiError::bad_request(
                "invalid channels: name at least one, or leave it out for all",
            ));
        }
        Ok(Self { app, conditions, may, channels: body.channels })
    }
}

fn conditions(
    provider: &str,
    named: PublisherNames,
    issuers: &Issuers,
) -> Result<PublisherConditions, ApiError> {
    let PublisherNames {
        repository,
        workflow,
        reusable,
        project,
        unprotected,
        environment,
        ref_pattern,
        issuer,
        subject,
    } = named;
    let of_others = |fields: &[(&str, bool)]| match fields.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(ApiError::bad_request(format!("{name} is not a field of {provider}"))),
        None => Ok(()),
    };
    let github = [
        ("repository", repository.is_some()),
        ("workflow", workflow.is_some()),
        ("reusable", reusable.is_some()),
    ];
    let gitlab = [("project", project.is_some()), ("unprotected", unprotected.is_some())];
    let oidc = [("issuer", issuer.is_some()), ("subject", subject.is_some())];
    let of_job = [("environment", environment.is_some()), ("ref", ref_pattern.is_some())];
    match provider {
        "github" => {
            of_others(&[gitlab.as_slice(), &oidc].concat())?;
            Ok(PublisherConditions::Github(GithubConditions {
                repository: checked("repository", required(repository, "repository")?, is_repository)?,
                workflow: checked("workflow", required(workflow, "workflow")?, is_workflow)?,
                environment: environment.map(|text| plain("environment", text)).transpose()?,
                ref_pattern: pattern(ref_pattern)?,
                reusable: reusable.map(|text| checked("reusable", text, is_reusable)).transpose()?,
            }))
        }
        "gitlab" => {
            of_others(&[github.as_slice(), &oidc].concat())?;
            Ok(PublisherConditions::Gitlab(GitlabConditions {
                project: checked("project", required(project, "project")?, is_project)?,
                environment: environment.map(|text| plain("environment", text)).transpose()?,
                ref_pattern: pattern(ref_pattern)?,
                unprotected: unprotected.unwrap_or_default(),
            }))
        }
        "oidc" => {
            of_others(&[github.as_slice(), &gitlab, &of_job].concat())?;
            let issuer = required(issuer, "issuer")?;
            if issuers.oidc.as_ref() != Some(&issuer) {
                let text = "invalid issuer: it must be the one in the service's settings (oidc_issuer)";
                return Err(ApiError::bad_request(text));
            }
            let subject = plain("subject", required(subject, "subject")?)?;
            Ok(PublisherConditions::Oidc(OidcConditions { issuer, subject }))
        }
        other => Err(ApiError::invalid("provider", "github, gitlab or oidc", Some(other))),
    }
}

/// A rule for a name, and what it demands.
type Rule = (fn(&str) -> bool, &'static str);

fn checked(name: &'static str, text: String, rule: fn() -> Rule) -> Result<String, ApiError> {
    let (holds, demand) = rule();
    if text.len() <= MAX_BYTES && holds(&text) {
        return Ok(text);
    }
    Err(ApiError::invalid(name, demand, Some(&text)))
}

fn plain(name: &'static str, text: String) -> Result<String, ApiError> {
    if !text.trim().is_empty() && text.len() <= MAX_BYTES && check_plain(&text).is_ok() {
        return Ok(text);
    }
    Err(ApiError::invalid(name, "1 to 255 bytes on one line", Some(&text)))
}

fn pattern(text: Option<String>) -> Result<Option<RefPattern>, ApiError> {
    let parse = |text: String| {
        text.parse().map_err(|error: spindrift_core::InvalidRefPattern| {
            ApiError::invalid("ref", &error.to_string(), Some(&text))
        })
    };
    text.map(parse).transpose()
}

/// Whether the text is a name on GitHub or GitLab, or one of a file.
fn is_segment(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !text.is_empty() && text != "." && text != ".." && text.bytes().all(is_allowed)
}

fn is_repository() -> Rule {
    let holds = |text: &str| text.split('/').count() == 2 && text.split('/').all(is_segment);
    (holds, "a repository like acme/notes")
}

fn is_project() -> Rule {
    let holds = |text: &str| text.split('/').count() >= 2 && text.split('/').all(is_segment);
    (holds, "the whole path of a project, like acme/apps/notes")
}

fn is_file(text: &str) -> bool {
    let (stem, ending) = text.rsplit_once('.').unwrap_or_default();
    !stem.is_empty() && matches!(ending, "yml" | "yaml") && is_segment(text)
}

fn is_workflow() -> Rule {
    (is_file, "the file name of a workflow, like release.yml")
}

fn is_reusable() -> Rule {
    let holds = |text: &str| {
        let path = text.split('@').next().unwrap_or_default();
        let Some((repository, file)) = path.split_once("/.github/workflows/") else { return false };
        (is_repository().0)(repository) && is_file(file)
    };
    (holds, "a workflow like acme/shared/.github/workflows/publish.yml")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse(body: Value) -> Result<NewPublisher, String> {
        let issuers = Issuers::of_tests("https://issuer.example");
        let body = serde_json::from_value(body).map_err(|error| error.to_string())?;
        NewPublisher::parse(body, &issuers).map_err(|error| error.to_string())
    }

    #[test]
    fn publishers_of_each_provider() {
        let github = json!({ "app": "notes", "provider": "github", "repository": "acme/notes", "workflow": "release.yml" });
        let found = parse(github).unwrap();
        assert_eq!((found.may, found.channels), (vec![TokenRight::Upload], None));
        assert_eq!(found.conditions.name(), "acme/notes release.yml");
        let gitlab = json!({
            "app": "notes", "provider": "gitlab", "project": "acme/apps/notes", "ref": "v*", "unprotected": true,
            "may": ["publish", "upload"], "channels": ["beta"],
        });
        let found = parse(gitlab).unwrap();
        assert_eq!(found.may, [TokenRight::Upload, TokenRight::Publish]);
        assert_eq!(found.channels, Some(vec!["beta".to_owned()]));
        let oidc = json!({ "app": "notes", "provider": "oidc", "issuer": "https://issuer.example", "subject": "org:acme" });
        assert_eq!(parse(oidc).unwrap().conditions.name(), "org:acme");
    }

    #[test]
    fn faults_are_named() {
        let github = |change: Value| {
            let mut body =
                json!({ "app": "notes", "provider": "github", "repository": "a/b", "workflow": "r.yml" });
            body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            body
        };
        for (body, expected) in [
            (github(json!({ "app": null })), "missing app"),
            (github(json!({ "provider": null })), "missing provider"),
            (
                github(json!({ "provider": "svn" })),
                r#"invalid provider parameter: github, gitlab or oidc, not "svn""#,
            ),
            (github(json!({ "repository": null })), "missing repository"),
            (
                github(json!({ "repository": "a" })),
                r#"invalid repository parameter: a repository like acme/notes, not "a""#,
            ),
            (
                github(json!({ "workflow": "../r.yml" })),
                r#"invalid workflow parameter: the file name of a workflow, like release.yml, not "../r.yml""#,
            ),
            (
                github(json!({ "reusable": "a/b/r.yml" })),
                r#"invalid reusable parameter: a workflow like acme/shared/.github/workflows/publish.yml, not "a/b/r.yml""#,
            ),
            (
                github(json!({ "environment": " " })),
                r#"invalid environment parameter: 1 to 255 bytes on one line, not " ""#,
            ),
            (
                github(json!({ "ref": "*a*" })),
                r#"invalid ref parameter: a ref of 1 to 256 visible characters with at most one `*`, like refs/tags/v*, not "*a*""#,
            ),
            (github(json!({ "project": "a/b" })), "project is not a field of github"),
            (
                github(json!({ "channels": [] })),
                "invalid channels: name at least one, or leave it out for all",
            ),
            (
                github(json!({ "may": ["all"] })),
                r#"invalid may: a list of upload, publish, stop, roll and guard, not ["all"]"#,
            ),
            (
                json!({ "app": "a", "provider": "oidc", "issuer": "https://other.example", "subject": "s" }),
                "invalid issuer: it must be the one in the service's settings (oidc_issuer)",
            ),
            (
                json!({ "app": "a", "provider": "oidc", "issuer": "https://issuer.example", "subject": "s", "ref": "v*" }),
                "ref is not a field of oidc",
            ),
            (
                json!({ "app": "a", "provider": "gitlab", "project": "a" }),
                r#"invalid project parameter: the whole path of a project, like acme/apps/notes, not "a""#,
            ),
        ] {
            assert_eq!(parse(body.clone()).unwrap_err(), expected, "{body}");
        }
    }
}
