//! `release list|show|publish|promote|demote|withdraw|restore|edit|delete|prune`.

mod confirm;
mod edit;
mod promote;
mod prune;
pub(super) mod publish;
mod receipt;
mod selection;
mod show;
mod withdraw;

use clap::{Args, Subcommand};
use serde_json::json;
use spindrift_api::ReleaseDeletedBody;

use self::confirm::confirm;
use self::edit::ReleaseEditCommand;
use self::promote::{ReleaseDemoteCommand, ReleasePromoteCommand};
use self::prune::ReleasePruneCommand;
use self::publish::ReleasePublishCommand;
use self::receipt::ReleaseReceiptCommand;
use self::selection::ReleaseSelection;
use self::show::ReleaseShowCommand;
use self::withdraw::{ReleaseRestoreCommand, ReleaseWithdrawCommand};
use super::force::{self, Force};
use super::releases::ReleasesCommand;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::releases;

/// The commands. Files are uploaded with `spindrift publish`, and a release is taken back with `spindrift
/// yank`.
#[derive(Debug, Subcommand)]
pub(crate) enum ReleaseCommand {
    /// List releases with their files, published or not.
    List(ReleasesCommand),
    /// Show one release and its files.
    Show(ReleaseShowCommand),
    /// Show who gets a release, who does not and why, and who falls behind.
    ///
    /// For a draft, shows what publishing it would do. Changes nothing.
    Receipt(ReleaseReceiptCommand),
    /// Offer a draft, or a release that was yanked, now or at a time.
    ///
    /// All its platforms and architectures are offered at once. `spindrift yank` cancels a
    /// schedule.
    Publish(ReleasePublishCommand),
    /// Offer a release in another channel too, such as a tested build of `beta` in `stable`.
    ///
    /// Nothing is uploaded again. The release keeps its own channel, and has a separate rollout in
    /// each channel: at once to all devices, unless an option says otherwise.
    Promote(ReleasePromoteCommand),
    /// End a promotion: stop offering the release in a channel that it was promoted to.
    Demote(ReleaseDemoteCommand),
    /// Recall a release. No client is offered it any longer.
    ///
    /// Clients that use the updater `manual` and run the release are shown the reason. Clients of
    /// other updaters are not notified. Withdrawing it again changes the reason.
    Withdraw(ReleaseWithdrawCommand),
    /// Turn a withdrawn release into a draft.
    Restore(ReleaseRestoreCommand),
    /// Change a release. Omitted options stay as they are.
    Edit(ReleaseEditCommand),
    /// Permanently delete a release and its files. `spindrift yank` only stops offering it.
    Delete(ReleaseDeleteCommand),
    /// Permanently delete old releases, or their patches, and keep the newest ones.
    ///
    /// Drafts, scheduled and withdrawn releases are kept, and so are those that are intermediate, critical,
    /// or run by a device that was counted in the last 90 days, or as long as the service keeps figures.
    Prune(ReleasePruneCommand),
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseDeleteCommand {
    #[command(flatten)]
    selection: ReleaseSelection,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    force: Force,
}

impl ReleaseCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        match self {
            Self::List(list) => list.run(context).await?,
            Self::Show(show) => show.run(context).await?,
            Self::Receipt(receipt) => return receipt.run(context).await,
            Self::Publish(publish) => return publish.run(context).await,
            Self::Promote(promote) => promote.run(context).await?,
            Self::Demote(demote) => demote.run(context).await?,
            Self::Withdraw(withdraw) => return withdraw.run(context).await,
            Self::Restore(restore) => restore.run(context).await?,
            Self::Edit(edit) => edit.run(context).await?,
            Self::Delete(delete) => delete.run(context).await?,
            Self::Prune(prune) => prune.run(context).await?,
        }
        Ok(Outcome::Done)
    }
}

impl ReleaseDeleteCommand {
    async fn run(self, context: &Context) -> Result<(), CliError> {
        let ReleaseSelection { version, app } = self.selection;
        let service = context.authenticated()?;
        let release = releases::find(&service, &app, &version).await?;
        if !self.yes {
            let files = release.artifacts.len();
            confirm(&format!("Permanently delete {app} {} and its files ({files})?", release.version))?;
        }
        let call = async |is_forced| {
            let path = force::path("/apps/delete", is_forced);
            service.delete::<ReleaseDeletedBody>(&path, &release.id).await
        };
        self.force.confirm_or_force(&version, call).await?;
        let answer = json!({ "id": release.id, "version": release.version, "deleted": true });
        context.output.result(&answer, &format!("{app} {} is deleted", release.version))
    }
}
