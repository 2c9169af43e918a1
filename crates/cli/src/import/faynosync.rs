//! `import faynosync`.
//!
//! 1. [`server`], [`inventory`]: logs in at the old server, and reads all its data. Its lists are
//!    `null` when empty, and every value is text until it is parsed.
//! 2. [`service_data`]: reads the data of this service.
//! 3. [`hosts`], [`catalog`], [`releases`], [`people`]: compare the two. Every item gets an
//!    outcome, and some get [`work`].
//! 4. [`feeds`]: reads the feeds of the planned uploads, which determine the files that can be
//!    uploaded.
//! 5. [`compare`]: compares the lengths of files that exist on both sides.
//! 6. [`carry_out`], [`upload`]: create the missing items, one after another.
//!
//! [`fetch`] reads files from hosts that [`reach`] allows, [`retry`] retries, and [`spool`]
//! stores them.
//!
//! Each run finds the items that earlier runs created, so an interrupted import is resumed by running it
//! again.

mod carry_out;
mod catalog;
mod compare;
mod creation;
mod dates;
mod feeds;
mod fetch;
mod group;
mod hosts;
mod inventory;
mod item;
mod link;
mod names;
mod people;
mod public_feed;
mod reach;
mod releases;
mod retry;
mod server;
mod service_data;
mod signatures;
mod spool;
mod upload;
mod users_file;
mod wire;
mod work;

use std::path::PathBuf;

use base16ct::lower::encode_string as hex;
use clap::Args;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use spindrift_core::DownloadMode;

use self::carry_out::ImportRun;
use self::inventory::Inventory;
use self::item::ImportItem;
use self::people::NewUsers;
use self::releases::ImportContext;
use self::server::FaynoSyncServer;
use self::service_data::ServiceData;
use self::signatures::Signatures;
use self::spool::Spool;
use self::upload::Uploader;
use self::users_file::UsersFile;
use self::work::DecidedItem;
use crate::commands::account::PasswordInput;
use crate::context::Context;
use crate::error::CliError;
use crate::publish::limits::UploadLimits;
use crate::stop;

/// Environment variable with the password at the old server.
const PASSWORD: &str = "SPINDRIFT_IMPORT_PASSWORD";

#[derive(Debug, Args)]
pub(crate) struct FaynoSyncCommand {
    /// Base URL of the faynoSync server. `--url` is the service that everything is created in.
    #[arg(long, value_name = "URL")]
    from: String,
    /// Name of the admin at the faynoSync server. The password comes from `SPINDRIFT_IMPORT_PASSWORD` or a
    /// prompt.
    #[arg(long, short, value_name = "NAME")]
    username: String,
    #[command(flatten)]
    password: PasswordInput,
    /// Only this application. May be repeated; all if omitted.
    #[arg(long = "app", value_name = "NAME")]
    apps: Vec<String>,
    /// Show what would be done, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Also create team users, with new passwords that are written to this file. Only you can read it.
    #[arg(long, value_name = "FILE")]
    users_file: Option<PathBuf>,
    /// Read files from this host even if it is at a private, link-local or loopback address and the faynoSync
    /// server is not. May be repeated.
    #[arg(long = "allow-host", value_name = "HOST")]
    hosts: Vec<String>,
    #[command(flatten)]
    limits: UploadLimits,
}

/// The result of an import.
#[derive(Debug, Serialize)]
struct ImportReport<'a> {
    from: &'a str,
    dry_run: bool,
    /// Items that need attention.
    unfinished: usize,
    items: &'a [ImportItem],
}

impl FaynoSyncCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        stop::explain(
            context.output,
            "run the same command again to continue; items that are here already are skipped",
        );
        let users_file = self.users_file.as_deref().map(UsersFile::open).transpose()?;
        let here = ServiceData::read(context).await?;
        let password = self.password.read(PASSWORD, "Password at the faynoSync server: ")?;
        let server = FaynoSyncServer::login(
            context,
            &self.from,
            &self.username,
            &password,
            self.limits.clone(),
            &self.hosts,
        )
        .await?;
        let new_users = match &users_file {
            _ if !self.apps.is_empty() => NewUsers::NotAllApplications,
            Some(_) => NewUsers::WithPasswords,
            None => NewUsers::WithoutFile,
        };
        let decided = decide(&server, &here, &self.apps, new_users).await?;
        let items = if self.dry_run {
            decided.into_iter().map(|decided| decided.item).collect()
        } else {
            carry_out(context, &server, &here, users_file, &self.limits, decided).await?
        };
        report(context, server.url(), self.dry_run, &items)
    }
}

/// All items, in the order in which they can be created.
async fn decide(
    server: &FaynoSyncServer,
    here: &ServiceData,
    only: &[String],
    new_users: NewUsers,
) -> Result<Vec<DecidedItem>, CliError> {
    let inventory = Inventory::read(server, only).await?;
    let has_private = inventory.apps.iter().any(|(app, _)| app.private);
    let are_open = has_private && server.open_storage().await?.is_some();
    let of_private = if are_open { DownloadMode::Unlisted } else { DownloadMode::Login };
    let mut all = hosts::plan(server, &inventory).await?;
    all.extend(catalog::plan(&inventory, here, of_private));
    for (app, releases) in &inventory.apps {
        let signatures = Signatures::read(server, &inventory.platforms, app, releases).await?;
        let context =
            ImportContext { inventory: &inventory, here, old_owner: server.owner(), signatures: &signatures };
        all.extend(releases::plan(context, app, releases));
    }
    all.extend(people::plan(&inventory, here, server.owner(), new_users));
    let all = feeds::read(server, all).await?;
    compare::compare(server, all).await
}

async fn carry_out(
    context: &Context,
    server: &FaynoSyncServer,
    here: &ServiceData,
    users_file: Option<UsersFile>,
    limits: &UploadLimits,
    decided: Vec<DecidedItem>,
) -> Result<Vec<ImportItem>, CliError> {
    let folder = context.paths.imports().join(hex(&Sha256::digest(server.url())));
    let (service, limits) = (&here.service, limits.clone());
    let spool = Spool::open(folder, server)?;
    let uploader = Uploader { context, server, service, spool, limits };
    let mut run = ImportRun { server, service, output: context.output, uploader, users_file };
    let items = run.carry_out(decided).await?;
    run.uploader.spool.close();
    Ok(items)
}

/// Shows all items.
///
/// # Errors
///
/// Some of the items need attention.
fn report(context: &Context, from: &str, dry_run: bool, items: &[ImportItem]) -> Result<(), CliError> {
    let unfinished = items.iter().filter(|item| item.outcome.is_unfinished()).count();
    let rows: Vec<Vec<String>> = items.iter().map(ImportItem::row).collect();
    let report = ImportReport { from, dry_run, unfinished, items };
    context.output.rows(&report, &["WHAT", "NAME", "BECOMES", "RESULT", "WHY"], &rows)?;
    match unfinished {
        0 => Ok(()),
        count => Err(CliError::Conflict(format!(
            "{count} of {} items were left alone: the list has the reasons",
            items.len()
        ))),
    }
}
