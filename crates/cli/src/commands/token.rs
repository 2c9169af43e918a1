//! `token create|list|delete`.

use clap::Subcommand;
use serde_json::{Value, json};

use super::catalog::APP;
use crate::context::Context;
use crate::error::CliError;
use crate::output::{list, text};
use crate::service::Service;

/// The commands. A token cannot be changed: make another one, and delete the first.
#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Make a token for CI. It is shown this once.
    Create {
        /// What it is called in lists.
        name: String,
        /// An application that it may upload to; may be repeated.
        #[arg(long = "app", value_name = "NAME", required = true)]
        apps: Vec<String>,
        /// When it ends, like `2030-01-31T00:00:00Z`; without this it does not end.
        #[arg(long, value_name = "TIME")]
        expires_at: Option<String>,
    },
    /// Show them all, without the tokens themselves.
    List,
    /// Make a token useless.
    Delete {
        /// Its name or its identifier.
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
        allowed.push(APP.id(service, app).await?);
    }
    let body = json!({ "name": name, "allowed_apps": allowed, "expires_at": expires_at });
    let answer = service.post("/token/create").body_json(&body).json().await?;
    context.output.message(&format!("token `{name}` created; it is not shown again:"));
    context.output.result(&answer, &text(&answer, "token"))
}

async fn show(context: &Context, service: &Service) -> Result<(), CliError> {
    let all = service.get("/token/list").json().await?;
    let names = app_names(service).await?;
    let row = |token: &Value| {
        let apps = list(token, "allowed_apps").iter().map(&names).collect::<Vec<_>>().join(", ");
        vec![
            text(token, "name"),
            text(token, "token_prefix"),
            apps,
            text(token, "expires_at"),
            text(token, "last_used_at"),
            text(token, "id"),
        ]
    };
    let rows: Vec<Vec<String>> = list(&all, "tokens").iter().map(row).collect();
    context.output.rows(&all, &["NAME", "BEGINS WITH", "APPS", "EXPIRES", "LAST USED", "ID"], &rows)
}

/// What the application of an identifier is called.
async fn app_names(service: &Service) -> Result<impl Fn(&Value) -> String, CliError> {
    let apps = APP.entries(service).await?;
    Ok(move |id: &Value| {
        let found = list(&apps, APP.list).iter().find(|app| app["ID"] == *id);
        found.map_or_else(|| id.as_str().unwrap_or_default().to_owned(), |app| text(app, APP.name))
    })
}

async fn delete(context: &Context, service: &Service, name: &str) -> Result<(), CliError> {
    let all = service.get("/token/list").json().await?;
    let found: Vec<&Value> =
        list(&all, "tokens").iter().filter(|token| token["name"] == name || token["id"] == name).collect();
    let token = match found[..] {
        [token] => token,
        [] => {
            let told = format!("there is no token `{name}`: `spindrift token list` shows what there is");
            return Err(CliError::NotFound(told));
        }
        _ => {
            let told = format!(
                "several tokens are called `{name}`: give the identifier from `spindrift token list`"
            );
            return Err(CliError::usage(told));
        }
    };
    let id = text(token, "id");
    service.delete("/token/delete", &id).await?;
    context.output.result(&json!({ "id": id, "deleted": true }), &format!("token `{name}` deleted"))
}
