//! `publisher add|list|remove|test`.

use clap::{Args, Subcommand};
use serde_json::json;
use spindrift_api::{MessageBody, PublisherCreateBody, PublisherEntry, PublisherNames, PublishersBody};
use spindrift_core::{Id, TokenRight};

use crate::context::Context;
use crate::error::CliError;

const PATH: &str = "/publishers";

#[derive(Debug, Subcommand)]
pub(crate) enum PublisherCommand {
    /// Register a CI job, which then publishes without a secret.
    #[command(subcommand)]
    Add(PublisherAddCommand),
    /// List the publishers of an application, oldest first.
    List {
        /// Name of the application.
        #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
        app: String,
    },
    /// Remove a publisher, and end the tokens of its jobs.
    Remove {
        /// Id of the publisher, from `spindrift publisher list`.
        id: String,
    },
    /// In a CI job: show whether the service accepts it, and what it may do.
    Test {
        /// Name of the application.
        #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
        app: String,
        /// Owner of the application.
        #[arg(long, env = "SPINDRIFT_OWNER", value_name = "NAME")]
        owner: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PublisherAddCommand {
    /// A workflow of a repository on GitHub.
    Github {
        /// The repository, like `acme/notes`.
        repository: String,
        /// The workflow's file name in `.github/workflows`.
        #[arg(long, value_name = "FILE")]
        workflow: String,
        /// The reusable workflow that has the job, like `acme/shared/.github/workflows/publish.yml`.
        #[arg(long, value_name = "WORKFLOW")]
        reusable: Option<String>,
        #[command(flatten)]
        job: JobOptions,
        #[command(flatten)]
        common: PublisherOptions,
    },
    /// A project on GitLab.
    Gitlab {
        /// The whole path of the project, like `acme/apps/notes`.
        project: String,
        /// Accept also jobs of branches and tags that are not protected.
        #[arg(long)]
        unprotected: bool,
        #[command(flatten)]
        job: JobOptions,
        #[command(flatten)]
        common: PublisherOptions,
    },
    /// A subject of another OpenID issuer, which the service's settings name.
    Oidc {
        /// The claim `sub` of the job's identity token.
        subject: String,
        /// The claim `iss`.
        #[arg(long, value_name = "URL")]
        issuer: String,
        #[command(flatten)]
        common: PublisherOptions,
    },
}

/// Optional properties of a job.
#[derive(Debug, Args)]
pub(crate) struct JobOptions {
    /// The environment that the job must have.
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    /// The ref of the run, with at most one `*`: `refs/tags/v*` on GitHub, `v*` on GitLab.
    #[arg(long = "ref", value_name = "PATTERN")]
    ref_pattern: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PublisherOptions {
    /// Name of the application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
    /// Rights of the job, separated by commas; see `spindrift token create --help`.
    #[arg(long, value_name = "RIGHTS", value_delimiter = ',', default_value = "upload")]
    may: Vec<TokenRight>,
    /// A channel that the job may publish in; by default all. May be repeated.
    #[arg(long = "channel", value_name = "NAME")]
    channels: Vec<String>,
}

impl PublisherAddCommand {
    fn body(self) -> PublisherCreateBody {
        let (provider, named, common) = match self {
            Self::Github { repository, workflow, reusable, job, common } => {
                let named = PublisherNames {
                    repository: Some(repository),
                    workflow: Some(workflow),
                    reusable,
                    ..job.names()
                };
                ("github", named, common)
            }
            Self::Gitlab { project, unprotected, job, common } => {
                let unprotected = unprotected.then_some(true);
                ("gitlab", PublisherNames { project: Some(project), unprotected, ..job.names() }, common)
            }
            Self::Oidc { subject, issuer, common } => {
                let (issuer, subject) = (Some(issuer), Some(subject));
                ("oidc", PublisherNames { issuer, subject, ..PublisherNames::default() }, common)
            }
        };
        PublisherCreateBody {
            app: Some(common.app),
            provider: Some(provider.to_owned()),
            may: Some(common.may.iter().map(ToString::to_string).collect()),
            channels: Some(common.channels).filter(|all| !all.is_empty()),
            named,
        }
    }
}

impl JobOptions {
    fn names(self) -> PublisherNames {
        let Self { environment, ref_pattern } = self;
        PublisherNames { environment, ref_pattern, ..PublisherNames::default() }
    }
}

impl PublisherCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::Add(add) => {
                let service = context.authenticated()?;
                let entry: PublisherEntry = service.post(PATH).body_json(&add.body()).json().await?;
                let text = format!(
                    "publisher `{}` of {} registered: its jobs need no token any more",
                    entry.name, entry.app
                );
                context.output.result(&entry, &text)
            }
            Self::List { app } => list(context, &app).await,
            Self::Remove { id } => {
                let id = Id::from_text(id);
                let _: MessageBody = context.authenticated()?.delete(PATH, &id).await?;
                let text = format!("publisher `{id}` removed, and its tokens ended");
                context.output.result(&json!({ "id": id, "deleted": true }), &text)
            }
            Self::Test { .. } => test(context).await,
        }
    }
}

async fn list(context: &Context, app: &str) -> Result<(), CliError> {
    let call = context.authenticated()?;
    let all: PublishersBody = call.get(PATH).query(&[("app", app)]).json().await?;
    let row = |one: &PublisherEntry| {
        vec![
            one.provider.clone(),
            one.name.clone(),
            [&one.named.environment, &one.named.ref_pattern, &one.named.reusable]
                .into_iter()
                .flatten()
                .cloned()
                .collect::<Vec<_>>()
                .join(", "),
            one.may.join(", "),
            one.channels.as_ref().map_or_else(|| "all".to_owned(), |all| all.join(", ")),
            one.last_used_at.clone().unwrap_or_default(),
            one.id.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = all.publishers.iter().map(row).collect();
    let headers = ["PROVIDER", "JOB", "ONLY", "MAY", "CHANNELS", "LAST USED", "ID"];
    context.output.rows(&all, &headers, &rows)
}

/// Exchanges the identity token of this job, as `publish` would.
async fn test(context: &Context) -> Result<(), CliError> {
    let service = context.service()?;
    let Some(job) = context.job()? else {
        return Err(CliError::usage(
            "this is not a CI job with an identity token: on GitHub give it `permissions: id-token: write`, elsewhere set \
             SPINDRIFT_ID_TOKEN",
        ));
    };
    let exchanged = job.exchange(&service).await?;
    let channels = exchanged.channels.map_or_else(|| "all channels".to_owned(), |all| all.join(", "));
    let text = format!(
        "the service accepts this job as {}: it may {} in {channels}, until {}",
        exchanged.job,
        exchanged.may.join(", "),
        exchanged.expires_at
    );
    let shown = json!({ "job": exchanged.job, "may": exchanged.may, "expires_at": exchanged.expires_at });
    context.output.result(&shown, &text)
}
