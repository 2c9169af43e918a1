//! `user create|list|update|delete`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use spindrift_api::{
    AppEntry, ArchEntry, ChannelEntry, MessageBody, PermissionsBody, PlatformEntry, UserBody, UserEntry,
    UsersBody,
};
use spindrift_core::{Id, Permissions};

use super::account::read_secret;
use super::catalog::{self, CatalogEntry};
use crate::context::Context;
use crate::error::CliError;
use crate::service::Service;
use crate::unknown::unknown;

/// Environment variable with the password of a team user.
const PASSWORD: &str = "SPINDRIFT_USER_PASSWORD";

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Create a team user. The password comes from `SPINDRIFT_USER_PASSWORD` or a prompt.
    Create {
        /// Name of the user, unique in the whole service.
        name: String,
        #[command(flatten)]
        permissions: PermissionOptions,
    },
    /// List all team users.
    List,
    /// Change a team user. Omitted options stay as they are.
    Update {
        /// Name of the user.
        name: String,
        /// The new name.
        #[arg(long, value_name = "NAME")]
        rename: Option<String>,
        /// Set a new password, from `SPINDRIFT_USER_PASSWORD` or a prompt.
        #[arg(long)]
        password: bool,
        #[command(flatten)]
        permissions: PermissionOptions,
    },
    /// Delete a team user. Releases that the user published stay.
    Delete {
        /// Name of the user.
        name: String,
    },
}

/// The permissions of a team user. In an update they replace all previous ones.
#[derive(Debug, Args)]
pub(crate) struct PermissionOptions {
    /// JSON file with all permissions, as `user list --json` shows them, with ids instead of names.
    #[arg(long, value_name = "FILE", conflicts_with = "may")]
    permissions_file: Option<PathBuf>,
    /// Permitted actions on the allowed applications, separated by commas: upload, download, edit, delete,
    /// create.
    #[arg(long, value_name = "ACTIONS", value_delimiter = ',')]
    may: Vec<AppAction>,
    /// An application on which these actions are permitted. May be repeated.
    #[arg(long = "app", value_name = "NAME", requires = "may")]
    apps: Vec<String>,
    /// A channel that the user may publish to. May be repeated.
    #[arg(long = "channel", value_name = "NAME", requires = "may")]
    channels: Vec<String>,
    /// A platform that the user may publish for. May be repeated.
    #[arg(long = "platform", value_name = "NAME", requires = "may")]
    platforms: Vec<String>,
    /// An architecture that the user may publish for. May be repeated.
    #[arg(long = "arch", value_name = "NAME", requires = "may")]
    archs: Vec<String>,
}

/// A permitted action on applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum AppAction {
    Create,
    Delete,
    Edit,
    Download,
    Upload,
}

impl PermissionOptions {
    /// The permissions, or `None` if none were given.
    async fn read(&self, service: &Service) -> Result<Option<PermissionsBody>, CliError> {
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
        all.apps.allowed = ids::<AppEntry>(service, &self.apps).await?;
        all.channels.allowed = ids::<ChannelEntry>(service, &self.channels).await?;
        all.platforms.allowed = ids::<PlatformEntry>(service, &self.platforms).await?;
        all.archs.allowed = ids::<ArchEntry>(service, &self.archs).await?;
        Ok(Some(all.into()))
    }
}

fn read_permissions(path: &Path) -> Result<PermissionsBody, CliError> {
    let bytes = std::fs::read(path).map_err(CliError::file(path))?;
    // Without this check, serde would also accept an array with the fields by position.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(CliError::usage(format!("{}: no permissions: not a JSON object", path.display())));
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| CliError::usage(format!("{}: no permissions: {error}", path.display())))
}

async fn ids<E: CatalogEntry>(service: &Service, names: &[String]) -> Result<Vec<Id>, CliError> {
    let mut ids = Vec::new();
    for name in names {
        ids.push(catalog::id::<E>(service, name).await?);
    }
    Ok(ids)
}

impl UserCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        match self {
            Self::Create { name, permissions } => {
                let permissions = permissions.read(&service).await?;
                let password = read_secret(PASSWORD, &format!("Password for {name}: "))?;
                let body = UserBody {
                    id: None,
                    username: Some(name.clone()),
                    password: Some(password.expose().to_owned()),
                    permissions,
                };
                let answer: MessageBody = service.post("/user/create").body_json(&body).json().await?;
                context.output.result(&answer, &format!("user `{name}` created"))
            }
            Self::List => show(context, &service).await,
            Self::Update { name, rename, password, permissions } => {
                let id = id(&service, &name).await?;
                let password = if password {
                    Some(read_secret(PASSWORD, &format!("New password for {name}: "))?.expose().to_owned())
                } else {
                    None
                };
                let permissions = permissions.read(&service).await?;
                let body = UserBody { id: Some(id.to_string()), username: rename, password, permissions };
                let answer: MessageBody = service.post("/user/update").body_json(&body).json().await?;
                context.output.result(&answer, &format!("user `{name}` updated"))
            }
            Self::Delete { name } => {
                let id = id(&service, &name).await?;
                let answer: MessageBody = service.delete("/user/delete", &id).await?;
                context.output.result(&answer, &format!("user `{name}` deleted"))
            }
        }
    }
}

pub(super) async fn all(service: &Service) -> Result<UsersBody, CliError> {
    service.get("/users/list").json().await
}

async fn id(service: &Service, name: &str) -> Result<Id, CliError> {
    let all = all(service).await?.users;
    let missing = || {
        let names: Vec<&str> = all.iter().map(|user| user.username.as_str()).collect();
        CliError::NotFound(unknown("user", name, &names))
    };
    all.iter().find(|user| user.username == name).map(|user| user.id.clone()).ok_or_else(missing)
}

async fn show(context: &Context, service: &Service) -> Result<(), CliError> {
    let all = all(service).await?;
    let row = |user: &UserEntry| {
        let apps = &user.permissions.apps;
        let may = [
            ("create", apps.create),
            ("delete", apps.delete),
            ("edit", apps.edit),
            ("download", apps.download),
            ("upload", apps.upload),
        ];
        let may: Vec<&str> = may.into_iter().filter(|(_, may)| *may).map(|(action, _)| action).collect();
        vec![user.username.clone(), may.join(", "), apps.allowed.len().to_string(), user.id.to_string()]
    };
    let rows: Vec<Vec<String>> = all.users.iter().map(row).collect();
    context.output.rows(&all, &["NAME", "MAY", "APPS", "ID"], &rows)
}
