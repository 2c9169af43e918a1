//! `token create|list|delete`.

use clap::Subcommand;
use serde_json::json;
use spindrift_api::{
    AppEntry, AppsBody, ListedTokenEntry, MessageBody, TokenCreateBody, TokenCreatedBody, TokensBody,
};
use spindrift_core::Id;

use super::catalog;
use crate::context::Context;
use crate::error::CliError;
use crate::service::Service;
use crate::unknown::unknown;

/// The commands. A token cannot be changed: create a new one and delete the old one.
#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Create a CI token, which is shown only once.
    Create {
        /// Name in lists.
        name: String,
        /// An application that the token may upload to. May be repeated.
        #[arg(long = "app", value_name = "NAME", required = true)]
        apps: Vec<String>,
        /// When the token expires, like `2030-01-31T00:00:00Z`; by default never.
        #[arg(long, value_name = "TIME")]
        expires_at: Option<String>,
    },
    /// List all CI tokens, without the tokens themselves.
    List,
    /// Revoke a CI token.
    Delete {
        /// Name or id of the token.
        name: String,
    },
}

impl Token {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        match self {
            Self::Create { name, apps, expires_at } => {
                create(context, &service, &name, &apps, expires_at).await
            }
            Self::List => show(context, &service).await,
            Self::Delete { name } => delete(context, &service, &name).await,
        }
    }
}

async fn create(
    context: &Context,
    service: &Service,
    name: &str,
    apps: &[String],
    expires_at: Option<String>,
) -> Result<(), CliError> {
    let mut allowed = Vec::new();
    for app in apps {
        allowed.push(catalog::id::<AppEntry>(service, app).await?);
    }
    let body = TokenCreateBody { name: Some(name.to_owned()), allowed_apps: Some(allowed), expires_at };
    let answer: TokenCreatedBody = service.post("/token/create").body_json(&body).json().await?;
    context.output.message(&format!("token `{name}` created; it is not shown again:"));
    context.output.result(&answer, &answer.token)
}

async fn show(context: &Context, service: &Service) -> Result<(), CliError> {
    let all = all(service).await?;
    let AppsBody { apps } = catalog::list::<AppEntry>(service).await?;
    let name = |id: &Id| {
        apps.iter().find(|app| app.id == *id).map_or_else(|| id.to_string(), |app| app.app_name.clone())
    };
    let row = |ListedTokenEntry { entry, last_used_at }: &ListedTokenEntry| {
        vec![
            entry.name.clone(),
            entry.token_prefix.clone(),
            entry.allowed_apps.iter().map(name).collect::<Vec<_>>().join(", "),
            entry.expires_at.clone().unwrap_or_default(),
            last_used_at.clone().unwrap_or_default(),
            entry.id.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = all.tokens.iter().map(row).collect();
    context.output.rows(&all, &["NAME", "BEGINS WITH", "APPS", "EXPIRES", "LAST USED", "ID"], &rows)
}

pub(super) async fn all(service: &Service) -> Result<TokensBody, CliError> {
    service.get("/token/list").json().await
}

async fn delete(context: &Context, service: &Service, name: &str) -> Result<(), CliError> {
    let all = all(service).await?;
    let mut found = all
        .tokens
        .iter()
        .map(|token| &token.entry)
        .filter(|token| token.name == name || token.id.as_str() == name);
    let id = match (found.next(), found.next()) {
        (Some(token), None) => &token.id,
        (None, _) => {
            let names: Vec<&str> = all.tokens.iter().map(|token| token.entry.name.as_str()).collect();
            return Err(CliError::NotFound(unknown("token", name, &names)));
        }
        (Some(_), Some(_)) => {
            let told = format!(
                "several tokens are called `{name}`: give the identifier from `spindrift token list`"
            );
            return Err(CliError::usage(told));
        }
    };
    let _: MessageBody = service.delete("/token/delete", id).await?;
    context.output.result(&json!({ "id": id, "deleted": true }), &format!("token `{name}` deleted"))
}
