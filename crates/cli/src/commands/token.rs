//! `token create|list|delete`.

use clap::Subcommand;
use serde_json::json;
use spindrift_api::{
    AppEntry, AppsBody, ListedTokenEntry, MessageBody, TokenCreateBody, TokenCreatedBody, TokensBody,
};
use spindrift_core::{Id, TokenRight};

use super::catalog;
use crate::context::Context;
use crate::error::CliError;
use crate::service::Service;
use crate::unknown::unknown;

/// The commands. A token cannot be changed: create a new one and delete the old one.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a CI token, which is shown only once.
    Create {
        /// Name in lists.
        name: String,
        /// An application that the token is for. May be repeated.
        #[arg(long = "app", value_name = "NAME", required = true)]
        apps: Vec<String>,
        /// Rights of the token, separated by commas. `upload`: upload releases. `publish`: publish drafts,
        /// also at a time. `stop`: pause, halt, yank, withdraw, shut off. `roll`: every change of how
        /// releases are offered. `guard`: `spindrift guard run`.
        #[arg(long, value_name = "RIGHTS", value_delimiter = ',', default_value = "upload")]
        may: Vec<TokenRight>,
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

impl TokenCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        match self {
            Self::Create { name, apps, may, expires_at } => {
                let mut allowed_apps = Vec::new();
                for app in &apps {
                    allowed_apps.push(catalog::id::<AppEntry>(&service, app).await?);
                }
                let may = Some(may.iter().map(ToString::to_string).collect());
                let (name, allowed_apps) = (Some(name), Some(allowed_apps));
                create(context, &service, TokenCreateBody { name, allowed_apps, may, expires_at }).await
            }
            Self::List => show(context, &service).await,
            Self::Delete { name } => delete(context, &service, &name).await,
        }
    }
}

async fn create(context: &Context, service: &Service, body: TokenCreateBody) -> Result<(), CliError> {
    let answer: TokenCreatedBody = service.post("/token/create").body_json(&body).json().await?;
    context.output.message(&format!("token `{}` created; it is not shown again:", answer.entry.name));
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
            entry.may.join(", "),
            entry.expires_at.clone().unwrap_or_default(),
            last_used_at.clone().unwrap_or_default(),
            entry.id.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = all.tokens.iter().map(row).collect();
    let headers = ["NAME", "BEGINS WITH", "APPS", "MAY", "EXPIRES", "LAST USED", "ID"];
    context.output.rows(&all, &headers, &rows)
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
            let text = format!(
                "several tokens are called `{name}`: give the identifier from `spindrift token list`"
            );
            return Err(CliError::usage(text));
        }
    };
    let _: MessageBody = service.delete("/token/delete", id).await?;
    context.output.result(&json!({ "id": id, "deleted": true }), &format!("token `{name}` deleted"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_are_a_list_of_words() {
        let may = |words: &str| {
            let words = format!("spindrift token create ci --app notes{words}");
            let matches =
                crate::command().try_get_matches_from(words.split(' ')).map_err(|error| error.to_string())?;
            let (_, token) = matches.subcommand().unwrap();
            let (_, create) = token.subcommand().unwrap();
            Ok::<_, String>(create.get_many("may").unwrap().copied().collect::<Vec<TokenRight>>())
        };
        assert_eq!(may(""), Ok(vec![TokenRight::Upload]));
        assert_eq!(may(" --may upload,publish"), Ok(vec![TokenRight::Upload, TokenRight::Publish]));
        assert_eq!(may(" --may guard"), Ok(vec![TokenRight::Guard]));
        for wrong in [" --may everything", " --may upload,", " --may"] {
            let text = may(wrong).unwrap_err();
            assert!(text.contains("--may"), "{wrong}: {text}");
        }
        assert!(may(" --may uplod").unwrap_err().contains("a list of upload, publish, stop, roll and guard"));
    }
}
