//! `download-token list|regenerate`.

use clap::Subcommand;
use spindrift_api::{
    AppEntry, ChannelEntry, DownloadTokenBody, DownloadTokenEntry, DownloadTokensBody,
    RegenerateDownloadTokenBody,
};

use super::catalog;
use crate::context::Context;
use crate::error::CliError;
use crate::service::Service;

/// The commands. An application has at most one token for all channels, and one for each channel.
#[derive(Debug, Subcommand)]
pub(crate) enum DownloadTokenCommand {
    /// List all download tokens, without the tokens themselves.
    List,
    /// Create a token, which is shown only once. It replaces the previous one.
    Regenerate {
        /// The application.
        #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
        app: String,
        /// Channel of the releases; by default, all channels.
        #[arg(long, value_name = "NAME")]
        channel: Option<String>,
    },
}

impl DownloadTokenCommand {
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
    let all: DownloadTokensBody = service.get("/download-tokens/list").json().await?;
    let row = |token: &DownloadTokenEntry| {
        let channel = token.channel_name.clone().unwrap_or_default();
        vec![token.app_name.clone(), channel, token.token_prefix.clone(), token.updated_at.clone()]
    };
    let rows: Vec<Vec<String>> = all.download_tokens.iter().map(row).collect();
    context.output.rows(&all, &["APP", "CHANNEL", "BEGINS WITH", "MADE"], &rows)
}

async fn regenerate(
    context: &Context,
    service: &Service,
    app: &str,
    channel: Option<&str>,
) -> Result<(), CliError> {
    let app_id = catalog::id::<AppEntry>(service, app).await?.to_string();
    let channel_id = match channel {
        Some(channel) => Some(catalog::id::<ChannelEntry>(service, channel).await?.to_string()),
        None => None,
    };
    let body = RegenerateDownloadTokenBody { app_id: Some(app_id), channel_id };
    let answer: DownloadTokenBody =
        service.post("/download-tokens/regenerate").body_json(&body).json().await?;
    context.output.message(&format!("download token of `{app}` made; it is not shown again:"));
    context.output.result(&answer, &answer.token)
}
