//! `app create|list|update|delete`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use reqwest::multipart::{Form, Part};
use serde::de::DeserializeOwned;
use spindrift_api::{AppData, AppEntry, ResultBody, Switch};

use super::catalog::{self, Column};
use super::force::{self, Force};
use crate::context::Context;
use crate::error::CliError;
use crate::output::yes_or_empty;
use crate::service::{Service, field};

/// Maximum size of a logo, in bytes: the service's limit.
pub(crate) const MAX_LOGO_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Subcommand)]
pub(crate) enum AppCommand {
    /// Create an application.
    Create {
        /// Name, like `notes`.
        name: String,
        #[command(flatten)]
        settings: AppSettings,
    },
    /// List all applications.
    List,
    /// Change an application. Omitted options stay as they are.
    Update {
        /// Name of the application.
        name: String,
        /// The new name.
        #[arg(long, value_name = "NAME")]
        rename: Option<String>,
        #[command(flatten)]
        settings: Box<AppSettings>,
        #[command(flatten)]
        force: Force,
    },
    /// Delete an application without releases.
    Delete {
        /// Name of the application.
        name: String,
        #[command(flatten)]
        force: Force,
    },
}

/// The properties of an application.
#[derive(Debug, Args)]
pub(crate) struct AppSettings {
    /// Description for people.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Only callers with permission can download its files.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    private: Option<bool>,
    /// Access to the files of a private application.
    #[arg(long, value_name = "MODE")]
    download_mode: Option<DownloadMode>,
    /// Uploads must have SHA-256 and SHA-512.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    tuf: Option<bool>,
    /// Accept failure reports.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    reports: Option<bool>,
    /// Also write answers for its clients to the CDN bucket.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    cdn: Option<bool>,
    /// Give users a page to download it from: `GET /get/{owner}/{app}`.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    get_page: Option<bool>,
    /// Accent color of that page, like `#0a5f86`; `""` for that of the service.
    #[arg(long, value_name = "COLOR")]
    get_page_color: Option<String>,
    /// Let only publishers upload: CI jobs that prove who they are.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    require_publisher: Option<bool>,
    /// Logo: PNG, JPEG, GIF or WebP of at most 1 MiB.
    #[arg(long, value_name = "FILE")]
    logo: Option<PathBuf>,
}

/// Access to the files of a private application.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DownloadMode {
    /// Users with permission.
    Login,
    /// Also anyone with a download token.
    Token,
    /// Anyone who knows the URL.
    Unlisted,
}

impl DownloadMode {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Token => "token",
            Self::Unlisted => "unlisted",
        }
    }
}

impl AppSettings {
    fn data(&self) -> AppData {
        AppData {
            description: self.description.clone(),
            private: self.private.map(Switch),
            download_mode: self.download_mode.map(|mode| mode.as_str().to_owned()),
            tuf: self.tuf.map(Switch),
            reports: self.reports.map(Switch),
            cdn: self.cdn.map(Switch),
            get_page: self.get_page.map(Switch),
            get_page_color: self.get_page_color.clone(),
            require_publisher: self.require_publisher.map(Switch),
            ..AppData::default()
        }
    }

    async fn send<T: DeserializeOwned>(
        &self,
        service: &Service,
        path: &str,
        data: &AppData,
    ) -> Result<ResultBody<T>, CliError> {
        let Some(logo) = &self.logo else { return service.post_data(path, data).await };
        let part = Part::bytes(read_logo(logo)?).file_name("logo");
        let form = Form::new().text("data", field(data)).part("file", part);
        service.post(path).multipart(form).json().await
    }
}

fn read_logo(path: &Path) -> Result<Vec<u8>, CliError> {
    let size = std::fs::metadata(path).map_err(CliError::file(path))?.len();
    if size > MAX_LOGO_BYTES {
        return Err(CliError::usage(format!("{} is larger than 1 MiB: make it smaller", path.display())));
    }
    std::fs::read(path).map_err(CliError::file(path))
}

impl AppCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::Create { name, settings } => {
                let data = AppData { app: Some(name.clone()), ..settings.data() };
                let answer = settings.send(&context.authenticated()?, "/app/create", &data).await?;
                catalog::report_created::<AppEntry>(context, &name, &answer)
            }
            Self::List => show(context).await,
            Self::Update { name, rename, settings, force } => {
                let service = context.authenticated()?;
                let id = catalog::id::<AppEntry>(&service, &name).await?;
                let data = AppData { id: Some(id.to_string()), app: rename, ..settings.data() };
                let call = async |is_forced| {
                    settings.send::<bool>(&service, &force::path("/app/update", is_forced), &data).await
                };
                force.confirm_or_force(&name, call).await?;
                catalog::report_updated::<AppEntry>(context, &name, &id)
            }
            Self::Delete { name, force } => catalog::delete::<AppEntry>(context, &name, force).await,
        }
    }
}

async fn show(context: &Context) -> Result<(), CliError> {
    let columns: [Column<AppEntry>; 9] = [
        ("NAME", |app| app.app_name.clone()),
        ("PRIVATE", |app| yes_or_empty(app.private)),
        ("DOWNLOADS", |app| app.download_mode.to_string()),
        ("TUF", |app| yes_or_empty(app.tuf)),
        ("REPORTS", |app| yes_or_empty(app.reports)),
        ("CDN", |app| yes_or_empty(app.cdn_edge)),
        ("PAGE", |app| yes_or_empty(app.get_page)),
        ("ID", |app| app.id.to_string()),
        ("DESCRIPTION", |app| app.description.clone()),
    ];
    catalog::show(context, &columns).await
}
