//! `release withdraw|restore`.

use clap::Args;
use spindrift_api::{ReleaseBody, RestoreBody, WithdrawBody};

use super::publish::own;
use super::which::Which;
use crate::commands::values::public_reason;
use crate::context::Context;
use crate::error::CliError;
use crate::releases;

/// Arguments of `release withdraw`.
#[derive(Debug, Args)]
pub(crate) struct Withdraw {
    #[command(flatten)]
    which: Which,
    /// The reason, 1-200 characters. It is public: clients that run the version are told it.
    #[arg(long, value_name = "TEXT", value_parser = public_reason)]
    reason: String,
}

/// Arguments of `release restore`.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    #[command(flatten)]
    which: Which,
    /// A reason for the audit log, up to 500 characters.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Withdraw {
    pub(super) async fn run(self, context: &Context) -> Result<(), CliError> {
        let Self { which: Which { version, app }, reason } = self;
        let service = context.authenticated()?;
        let id = releases::named(&service, &app, &version).await?.id;
        let body = WithdrawBody { reason: Some(reason) };
        let release = releases::order(&service, &id, "withdraw", &body).await?;
        context.output.result(&release, &as_text(&release))
    }
}

fn as_text(release: &ReleaseBody) -> String {
    let reason = release.withdrawn.as_ref().map_or("no reason", |withdrawn| &withdrawn.reason);
    format!("{} {} is withdrawn, and its clients are told: {reason}", release.app, release.version)
}

impl Restore {
    pub(super) async fn run(self, context: &Context) -> Result<(), CliError> {
        let Self { which: Which { version, app }, reason } = self;
        let service = context.authenticated()?;
        let release = releases::named(&service, &app, &version).await?;
        let if_revision = own(&release).map(|offer| offer.revision);
        let body = RestoreBody { if_revision, reason };
        let release = releases::order(&service, &release.id, "restore", &body).await?;
        let told =
            format!("{app} {} is a draft again: `spindrift release publish` publishes it", release.version);
        context.output.result(&release, &told)
    }
}
