//! `release withdraw|restore`.

use clap::Args;
use serde::Serialize;
use serde_json::Value;
use spindrift_api::{ReleaseBody, RestoreBody, WithdrawBody};

use super::publish::own_offer;
use super::selection::ReleaseSelection;
use crate::commands::force::Force;
use crate::commands::values::public_reason;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::releases;
use crate::trust::options::{RepositoryOptions, SigningOptions, TrustOptions};
use crate::trust::{Revocation, Revoke};

#[derive(Debug, Args)]
pub(crate) struct ReleaseWithdrawCommand {
    #[command(flatten)]
    selection: ReleaseSelection,
    /// The reason, 1-200 characters. It is public: clients that use the updater `manual` and run
    /// the version show it.
    #[arg(long, value_name = "TEXT", value_parser = public_reason)]
    reason: String,
    #[command(flatten)]
    force: Force,
    /// Also remove the version from the signed metadata, permanently, like `spindrift trust
    /// revoke`: then copies also reject its files that they already have.
    #[arg(long)]
    revoke: bool,
    #[command(flatten)]
    trust: TrustOptions,
    #[command(flatten)]
    signing: SigningOptions,
}

/// A withdrawn release as `--json` shows it.
#[derive(Serialize)]
struct WithdrawnRelease<'a> {
    #[serde(flatten)]
    release: &'a ReleaseBody,
    revoked: &'a Value,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseRestoreCommand {
    #[command(flatten)]
    selection: ReleaseSelection,
    /// A reason for the audit log, up to 500 characters.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl ReleaseWithdrawCommand {
    pub(super) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        let Self { selection: ReleaseSelection { version, app }, reason, force, revoke, trust, signing } =
            self;
        let service = context.authenticated()?;
        let id = releases::find_offers(&service, &app, &version).await?.id;
        let call = async |force| {
            let body = WithdrawBody { reason: Some(reason.clone()), force };
            releases::post_action(&service, &id, "withdraw", &body).await
        };
        let release = force.confirm_or_force(&version, call).await?;
        let description = as_text(&release);
        if !revoke {
            context.output.result(&release, &description)?;
            return Ok(Outcome::Done);
        }
        // The release is withdrawn even if the following steps fail.
        context.output.message(&description);
        let version = release.version.clone();
        let revoke = Revoke { repository: RepositoryOptions { app, trust }, signing, version };
        let Revocation { answer, text, outcome } = revoke.carry_out(context).await?;
        context.output.result(&WithdrawnRelease { release: &release, revoked: &answer }, &text)?;
        Ok(outcome)
    }
}

fn as_text(release: &ReleaseBody) -> String {
    let reason = release.withdrawn.as_ref().map_or("no reason", |withdrawn| &withdrawn.reason);
    format!(
        "{} {} is withdrawn: {reason}\n\
         Clients that use the updater `manual`, such as those with the client library, are told the reason. \
         Clients of electron-builder, Sparkle, Squirrel, Tauri and Velopack are not told: they are no \
         longer offered the release, and those that run it wait for a higher version.",
        release.app, release.version
    )
}

impl ReleaseRestoreCommand {
    pub(super) async fn run(self, context: &Context) -> Result<(), CliError> {
        let Self { selection: ReleaseSelection { version, app }, reason } = self;
        let service = context.authenticated()?;
        let release = releases::find_offers(&service, &app, &version).await?;
        let if_revision = own_offer(&release).map(|offer| offer.revision);
        let body = RestoreBody { if_revision, reason };
        let release = releases::post_action(&service, &release.id, "restore", &body).await?;
        let description =
            format!("{app} {} is a draft again: `spindrift release publish` publishes it", release.version);
        context.output.result(&release, &description)
    }
}
