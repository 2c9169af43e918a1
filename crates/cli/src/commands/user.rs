//! `user create|list|update|delete`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use spindrift_core::Permissions;

use super::account::secret;
use super::catalog::{APP, ARCH, CHANNEL, Kind, PLATFORM};
use crate::context::Context;
use crate::error::CliError;
use crate::output::{list, text};
use crate::service::Service;

/// Where the password of a team user comes from.
const PASSWORD: &str = "SPINDRIFT_USER_PASSWORD";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum User {
    /// Make a team user. The password comes from `SPINDRIFT_USER_PASSWORD`, or a prompt.
    Create {
        /// The user's name, unique in the whole service.
        name: String,
        #[command(flatten)]
        permissions: Grants,
    },
    /// Show them all.
    List,
    /// Change a team user; what is not given stays.
    Update {
        /// The user's name.
        name: String,
        /// The new name.
        #[arg(long, value_name = "NAME")]
        rename: Option<String>,
        /// Set a new password, from `SPINDRIFT_USER_PASSWORD` or a prompt.
        #[arg(long)]
        password: bool,
        #[command(flatten)]
        permissions: Grants,
    },
    /// Delete a team user; what the user published stays.
    Delete {
        /// The user's name.
        name: String,
    },
}

/// What a team user may do. Given in an update, it replaces all that was allowed.
#[derive(Debug, Args)]
pub(crate) struct Grants {
    /// JSON file with the whole of the permissions as `user list --json` shows them, identifiers instead of names.
    #[arg(long, value_name = "FILE", conflicts_with = "may")]
    permissions_file: Option<PathBuf>,
    /// What the user may do with the allowed applications: upload, download, edit, delete, create; comma list.
    #[arg(long, value_name = "ACTIONS", value_delimiter = ',')]
    may: Vec<AppAction>,
    /// An application that this is about; may be repeated.
    #[arg(long = "app", value_name = "NAME", requires = "may")]
    apps: Vec<String>,
    /// A channel that the user may publish to; may be repeated.
    #[arg(long = "channel", value_name = "NAME", requires = "may")]
    channels: Vec<String>,
    /// A platform that the user may publish for; may be repeated.
    #[arg(long = "platform", value_name = "NAME", requires = "may")]
    platforms: Vec<String>,
    /// An architecture that the user may publish for; may be repeated.
    #[arg(long = "arch", value_name = "NAME", requires = "may")]
    archs: Vec<String>,
}

/// A switch of the permissions on applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum AppAction {
    Create,
    Delete,
    Edit,
    Download,
    Upload,
}

impl Grants {
    /// `None` when nothing was given.
    async fn read(&self, service: &Service) -> Result<Option<Value>, CliError> {
        if let Some(path) = &self.permissions_file {
            return read_permissions(path).map(Some);
        }
        if self.may.is_empty() {
            return Ok(None);
        }
        let mut all = Permissions::default();
        let may = |action| self.may.contains(&action);
        all.apps.create = may(AppAction::Create);
        all.apps.delete = may(AppAction::Delete);
        all.apps.edit = may(AppAction::Edit);
        all.apps.download = may(AppAction::Download);
        all.apps.upload = may(AppAction::Upload);
        all.apps.allowed = ids(service, APP, &self.apps).await?;
        all.channels.allowed = ids(service, CHANNEL, &self.channels).await?;
        all.platforms.allowed = ids(service, PLATFORM, &self.platforms).await?;
        all.archs.allowed = ids(service, ARCH, &self.archs).await?;
        Ok(Some(json!(all)))
    }
}

/// As they are: what they mean is for the service to say.
fn read_permissions(path: &Path) -> Result<Value, CliError> {
    let bytes = std::fs::read(path).map_err(CliError::file(path))?;
    let permissions: Map<String, Value> = serde_json::from_slice(&bytes)
        .map_err(|error| CliError::usage(format!("{}: no permissions: {error}", path.display())))?;
    Ok(Value::Object(permissions))
}

async fn ids(service: &Service, kind: Kind, names: &[String]) -> Result<Vec<spindrift_core::Id>, CliError> {
    let mut ids = Vec::new();
    for name in names {
        ids.push(spindrift_core::Id::from_text(kind.id(service, name).await?));
    }
    Ok(ids)
}

impl User {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        match self {
            Self::Create { name, permissions } => {
                let permissions = permissions.read(&service).await?;
                let password = secret(PASSWORD, &format!("Password for {name}: "))?;
                let body =
                    json!({ "username": name, "password": password.expose(), "permissions": permissions });
                let answer = service.post("/user/create").body_json(&body).json().await?;
                context.output.result(&answer, &format!("user `{name}` created"))
            }
            Self::List => show(context, &service).await,
            Self::Update { name, rename, password, permissions } => {
                let mut body = Map::new();
                body.insert("id".to_owned(), json!(id(&service, &name).await?));
                body.extend(rename.map(|rename| ("username".to_owned(), json!(rename))));
                if password {
                    let password = secret(PASSWORD, &format!("New password for {name}: "))?;
                    body.insert("password".to_owned(), json!(password.expose()));
                }
                let permissions = permissions.read(&service).await?;
                body.extend(permissions.map(|all| ("permissions".to_owned(), all)));
                let answer = service.post("/user/update").body_json(&Value::Object(body)).json().await?;
                context.output.result(&answer, &format!("user `{name}` updated"))
            }
            Self::Delete { name } => {
                let id = id(&service, &name).await?;
                let answer = service.delete("/user/delete", &id).await?;
                context.output.result(&answer, &format!("user `{name}` deleted"))
            }
        }
    }
}

async fn id(service: &Service, name: &str) -> Result<String, CliError> {
    let all = service.get("/users/list").json().await?;
    let found = list(&all, "users").iter().find(|user| user["username"] == name);
    let missing =
        || CliError::NotFound(format!("there is no user `{name}`: `spindrift user list` shows who there is"));
    found.map(|user| text(user, "id")).ok_or_else(missing)
}

async fn show(context: &Context, service: &Service) -> Result<(), CliError> {
    let all = service.get("/users/list").json().await?;
    let row = |user: &Value| {
        let apps = &user["permissions"]["Apps"];
        let may = ["Create", "Delete", "Edit", "Download", "Upload"]
            .into_iter()
            .filter(|action| apps[action] == true)
            .map(str::to_lowercase);
        let allowed = list(apps, "Allowed").len().to_string();
        vec![text(user, "username"), may.collect::<Vec<_>>().join(", "), allowed, text(user, "id")]
    };
    let rows: Vec<Vec<String>> = list(&all, "users").iter().map(row).collect();
    context.output.rows(&all, &["NAME", "MAY", "APPS", "ID"], &rows)
}
