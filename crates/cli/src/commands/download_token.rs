//! `download-token list|regenerate`.

use clap::Subcommand;
use serde_json::{Value, json};

use super::catalog::{APP, CHANNEL};
use crate::context::Context;
use crate::error::CliError;
use crate::output::{list, text};
use crate::service::Service;

/// The commands. An application has at most one token, and one for each of its channels.
#[derive(Debug, Subcommand)]
pub(crate) enum DownloadToken {
    /// Show them all, without the tokens themselves.
    List,
    /// Make a token, which is shown this once; the one before ends.
    Regenerate {
        /// The application.
        #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
        app: String,
        /// For releases of this channel; without it for all.
        #[arg(long, value_name = "NAME")]
        channel: Option<String>,
    },
}

impl DownloadToken {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        match self {
            Self::List => show(context, &service).await,
            Self::Regenerate { app, channel } => {
                regenerate(context, &service, &app, channel.as_deref()).await
            }
        }
    }
}

async fn show(context: &Context, service: &Service) -> Result<(), CliError> {
    let all = service.get("/download-tokens/list").json().await?;
    let columns = ["app_name", "channel_name", "token_prefix", "updated_at"];
    let row = |token: &Value| columns.map(|key| text(token, key)).to_vec();
    let rows: Vec<Vec<String>> = list(&all, "download_tokens").iter().map(row).collect();
    context.output.rows(&all, &["APP", "CHANNEL", "BEGINS WITH", "MADE"], &rows)
}

async fn regenerate(
    context: &Context,
    service: &Service,
    app: &str,
    channel: Option<&str>,
) -> Result<(), CliError> {
    let mut body = json!({ "app_id": APP.id(service, app).await? });
    if let Some(channel) = channel {
        body["channel_id"] = json!(CHANNEL.id(service, channel).await?);
    }
    let answer = service.post("/download-tokens/regenerate").body_json(&body).json().await?;
    context.output.message(&format!("download token of `{app}` made; it is not shown again:"));
    context.output.result(&answer, &text(&answer, "token"))
}
