//! `audit list|export|verify`.

mod lines;
mod list;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use spindrift_api::AuditHeadBody;
use spindrift_core::audit::{AuditChain, AuditHash};
use tokio::signal::ctrl_c;

use self::lines::{add_file, add_service};
use self::list::AuditListCommand;
use crate::config::{check_replaceable, new_file, replace};
use crate::context::Context;
use crate::error::CliError;
use crate::output::print_part;
use crate::service::Service;

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// List changes, newest first.
    List(AuditListCommand),
    /// Export the whole log as JSON lines, and verify it. Only for admins.
    ///
    /// At the end, the place and the hash of the last entry are printed on standard error. Store
    /// them on another machine: `audit verify --head` then proves that nothing before that entry
    /// was changed or removed.
    Export {
        /// File to write; by default the lines go to standard output. An existing file is replaced once the
        /// whole log is verified.
        file: Option<PathBuf>,
    },
    /// Verify an exported file, or the log of the service. Only admins can verify the log of the service.
    Verify {
        /// File with exported lines; by default the log of the service is verified.
        file: Option<PathBuf>,
        /// Place and hash of an entry, as `audit export` printed them. The log must have this entry.
        #[arg(long, value_name = "SEQ:HASH", value_parser = head)]
        head: Option<(u64, AuditHash)>,
    },
}

/// Parses the place and the hash of an entry. They may be separated by a space, as `audit export`
/// prints them.
fn head(text: &str) -> Result<(u64, AuditHash), &'static str> {
    let parts = text.trim().split_once([':', ' ']);
    let head = parts.and_then(|(seq, hash)| Some((seq.parse().ok()?, hash.parse().ok()?)));
    head.ok_or("it is a number, a colon and 64 hexadecimal digits")
}

impl AuditCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::List(list) => list.run(context).await,
            Self::Export { file } => export(context, file.as_deref()).await,
            Self::Verify { file, head } => verify(context, file.as_deref(), AuditChain::new(head)).await,
        }
    }
}

async fn export(context: &Context, file: Option<&Path>) -> Result<(), CliError> {
    let service = context.authenticated()?;
    let mut chain = AuditChain::new(None);
    match file {
        Some(path) => tokio::select! {
            // Dropping the other future deletes the unfinished file.
            Ok(()) = ctrl_c() => Err(CliError::Stopped("nothing was written")),
            written = write(&service, &mut chain, path) => written,
        }?,
        None => add_service(&mut chain, &service, print_part).await?,
    }
    context.output.message(&format!("{} {}", chain.seq(), chain.hash()));
    Ok(())
}

async fn write(service: &Service, chain: &mut AuditChain, path: &Path) -> Result<(), CliError> {
    check_replaceable(path)?;
    let mut file = new_file(path).map_err(CliError::file(path))?;
    let append = |page: &[u8]| file.write_all(page).map_err(CliError::file(path));
    add_service(chain, service, append).await?;
    replace(file, path).map_err(CliError::file(path))
}

async fn verify(context: &Context, file: Option<&Path>, mut chain: AuditChain) -> Result<(), CliError> {
    match file {
        Some(path) => add_file(&mut chain, path)?,
        None => add_service(&mut chain, &context.authenticated()?, |_| Ok(())).await?,
    }
    let (seq, hash) = (chain.seq(), chain.hash().to_string());
    let description = match seq {
        0 => "0 entries".to_owned(),
        1 => format!("1 entry, the last one is 1 {hash}"),
        seq => format!("{seq} entries, the last one is {seq} {hash}"),
    };
    context.output.result(&AuditHeadBody { seq, hash }, &description)
}
