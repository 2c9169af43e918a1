//! `user create|list|update|delete`.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, Subcommand};
use spindrift_api::{
    AppEntry, ArchEntry, ChannelEntry, MessageBody, PermissionsBody, PlatformEntry, UserBody, UserEntry,
    UsersBody,
};
use spindrift_core::{Id, InvalidRole, Permissions, Role};

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
        /// E-mail address, with which the user first signs in at your provider. No password is asked for.
        #[arg(long, value_name = "ADDRESS")]
        email: Option<String>,
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

/// The role or the permissions of a team user. In an update they replace all previous ones.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("granted").args(["may", "role"]))]
pub(crate) struct PermissionOptions {
    /// JSON file with all permissions, as `user list --json` shows them, with ids instead of names.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["granted", "app_roles"])]
    permissions_file: Option<PathBuf>,
    /// The role, instead of single permissions. `admin`: everything with the applications. `release-manager`:
    /// upload, publish, roll out, stop. `on-call`: see, explain, stop, triage failures. `support`: see and
    /// explain. Without channels, platforms and architectures, it is for all.
    #[arg(long, value_name = "ROLE")]
    role: Option<Role>,
    /// Permitted actions on the allowed applications, separated by commas: upload, download, edit, delete,
    /// create, stop, triage.
    #[arg(long, value_name = "ACTIONS", value_delimiter = ',')]
    may: Vec<AppAction>,
    /// An application on which these actions are permitted. May be repeated.
    #[arg(long = "app", value_name = "NAME", requires = "granted")]
    apps: Vec<String>,
    /// An application in which the user has this role, instead of the role or actions above. May be repeated.
    #[arg(long = "app-role", value_name = "NAME=ROLE", value_parser = parse_app_role)]
    app_roles: Vec<(String, Role)>,
    /// A channel that the user may publish to. May be repeated.
    #[arg(long = "channel", value_name = "NAME", requires = "granted")]
    channels: Vec<String>,
    /// A platform that the user may publish for. May be repeated.
    #[arg(long = "platform", value_name = "NAME", requires = "granted")]
    platforms: Vec<String>,
    /// An architecture that the user may publish for. May be repeated.
    #[arg(long = "arch", value_name = "NAME", requires = "granted")]
    archs: Vec<String>,
}

fn parse_app_role(text: &str) -> Result<(String, Role), String> {
    let (name, role) = text.split_once('=').ok_or("not of the form NAME=ROLE")?;
    Ok((name.to_owned(), role.parse().map_err(|error: InvalidRole| error.to_string())?))
}

/// A permitted action on applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum AppAction {
    Create,
    Delete,
    Edit,
    Download,
    Upload,
    Stop,
    Triage,
}

/// The role and the permissions that the options give to a person.
#[derive(Debug, Default)]
pub(super) struct Granted {
    pub(super) role: Option<String>,
    pub(super) permissions: Option<PermissionsBody>,
}

impl PermissionOptions {
    /// The role and the permissions. A role without any list leaves the lists to the service.
    pub(super) async fn read(&self, service: &Service) -> Result<Granted, CliError> {
        if let Some(path) = &self.permissions_file {
            return Ok(Granted { role: None, permissions: Some(read_permissions(path)?) });
        }
        let role = self.role.map(|role| role.to_string());
        let has_lists =
            ![&self.apps, &self.channels, &self.platforms, &self.archs].iter().all(|l| l.is_empty());
        if self.may.is_empty() && self.app_roles.is_empty() && !has_lists {
            return Ok(Granted { role, permissions: None });
        }
        let mut all = Permissions::default();
        let may = |action| self.may.contains(&action);
        all.apps.create = may(AppAction::Create);
        all.apps.delete = may(AppAction::Delete);
        all.apps.edit = may(AppAction::Edit);
        all.apps.download = may(AppAction::Download);
        all.apps.upload = may(AppAction::Upload);
        all.apps.stop = may(AppAction::Stop);
        all.apps.triage = may(AppAction::Triage);
        all.apps.allowed = ids::<AppEntry>(service, &self.apps).await?;
        for (name, role) in &self.app_roles {
            all.apps.roles.insert(catalog::id::<AppEntry>(service, name).await?, *role);
        }
        all.channels.allowed = ids::<ChannelEntry>(service, &self.channels).await?;
        all.platforms.allowed = ids::<PlatformEntry>(service, &self.platforms).await?;
        all.archs.allowed = ids::<ArchEntry>(service, &self.archs).await?;
        Ok(Granted { role, permissions: Some(all.into()) })
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
            Self::Create { name, email, permissions } => {
                let Granted { role, permissions } = permissions.read(&service).await?;
                let password = match &email {
                    Some(_) => None,
                    None => {
                        Some(read_secret(PASSWORD, &format!("Password for {name}: "))?.expose().to_owned())
                    }
                };
                let body =
                    UserBody { id: None, username: Some(name.clone()), password, email, role, permissions };
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
                let Granted { role, permissions } = permissions.read(&service).await?;
                let id = Some(id.to_string());
                let body = UserBody { id, username: rename, password, email: None, role, permissions };
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
            ("stop", apps.stop),
            ("triage", apps.triage),
        ];
        let may: Vec<&str> = may.into_iter().filter(|(_, may)| *may).map(|(action, _)| action).collect();
        let apps = (apps.allowed.len() + apps.roles.len()).to_string();
        let last_seen = user.last_seen_at.clone().unwrap_or_default();
        vec![user.username.clone(), user.role.clone(), may.join(", "), apps, last_seen, user.id.to_string()]
    };
    let rows: Vec<Vec<String>> = all.users.iter().map(row).collect();
    context.output.rows(&all, &["NAME", "ROLE", "MAY", "APPS", "LAST SEEN", "ID"], &rows)
}
