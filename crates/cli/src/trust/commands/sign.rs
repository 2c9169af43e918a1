//! `trust sign`: signs what others have prepared, or files that were uploaded without a key.

mod by_files;
mod offline;
mod review;
mod staged;
mod stored;
mod stored_links;

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

pub(super) use self::stored::adopt;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::trust::blocking::drop_waiting;
use crate::trust::change::ListChange;
use crate::trust::options::{RepositoryOptions, SigningOptions};
use crate::trust::signing_session::SigningSession;

#[derive(Debug, Args)]
pub(crate) struct Sign {
    /// Files that were uploaded, or patterns. Without any, what waits for signatures is signed.
    #[arg(value_name = "FILES")]
    files: Vec<String>,
    #[command(flatten)]
    repository: RepositoryOptions,
    #[command(flatten)]
    signing: SigningOptions,
    /// Sign what the service holds and no list has: each file is downloaded, hashed and shown.
    #[arg(long, conflicts_with_all = ["files", "input", "output"])]
    stored: bool,
    /// Drop what waits for signatures instead.
    #[arg(long, conflicts_with_all = ["files", "stored", "input", "output"])]
    drop: bool,
    /// Only files of this version.
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// Without a network: read what waits from this file, which `--out` wrote. If it is a signature, it is
    /// sent.
    #[arg(long = "in", value_name = "FILE", conflicts_with = "files")]
    input: Option<PathBuf>,
    /// Write what waits to this file, or with `--in` the signature.
    #[arg(long = "out", value_name = "FILE", conflicts_with = "files")]
    output: Option<PathBuf>,
    /// With `--in`: sign this role, if several wait.
    #[arg(long, value_name = "ROLE", requires = "input")]
    role: Option<String>,
    /// With `--in`: name of the repository, `owner/application`, if no list names it.
    #[arg(long, value_name = "NAME", requires = "input")]
    repository_name: Option<String>,
    /// Sign without asking.
    #[arg(long)]
    yes: bool,
}

impl Sign {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        if self.input.is_some() {
            return self.by_file(context).await;
        }
        let mut session = SigningSession::open(context, &self.repository, &self.signing).await?;
        if let Some(path) = &self.output {
            let body = offline::export(&session, path).await?;
            context.output.result(&body, &format!("{} holds what waits for signatures", path.display()))?;
            return Ok(Outcome::Done);
        }
        if self.drop {
            let roles = drop_waiting(&session).await?;
            let text = format!("dropped {} versions that waited for signatures", roles.len());
            context.output.result(&json!({ "dropped": roles }), &text)?;
            return Ok(Outcome::Done);
        }
        if self.stored {
            let changed = stored::sign_stored(&mut session, self.version.as_deref(), self.yes).await?;
            return show(context, &changed);
        }
        if !self.files.is_empty() {
            let changed =
                by_files::sign_files(&mut session, &self.files, self.version.as_deref(), self.yes).await?;
            return show(context, &changed);
        }
        let signed = staged::sign_staged(&mut session, self.yes).await?;
        let text = match signed.as_slice() {
            [] => "nothing waits for signatures; `spindrift trust sign --stored` signs what was uploaded without a key".to_owned(),
            all => all.iter().map(staged::SignedRole::as_text).collect::<Vec<_>>().join("\n"),
        };
        context.output.result(&json!({ "signed": signed }), &text)?;
        Ok(if signed.iter().any(staged::SignedRole::is_waiting) { Outcome::Waiting } else { Outcome::Done })
    }

    async fn by_file(&self, context: &Context) -> Result<Outcome, CliError> {
        let Some(input) = &self.input else { return Ok(Outcome::Done) };
        let Some(output) = &self.output else {
            let message = offline::send(context, &self.repository.app, input).await?;
            context.output.result(&json!({ "message": message }), &message)?;
            return Ok(Outcome::Done);
        };
        let request = offline::OfflineRequest {
            options: &self.repository,
            signing: &self.signing,
            role: self.role.as_deref(),
            repository_name: self.repository_name.as_deref(),
            yes: self.yes,
        };
        let signature = request.sign(context, input, output)?;
        context
            .output
            .result(&signature, &format!("{} has the signature: send it with --in", output.display()))?;
        Ok(Outcome::Done)
    }
}

/// Shows the outcome of a change.
pub(super) fn show(context: &Context, changed: &ListChange) -> Result<Outcome, CliError> {
    context.output.result(changed, &changed.as_text())?;
    Ok(if changed.outcome.is_waiting() { Outcome::Waiting } else { Outcome::Done })
}
