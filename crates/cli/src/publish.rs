//! `publish`: the files of a release, from this machine into the object storage.
//!
//! 1. [`files`]: which files. Feed files, told by their names, go inline.
//! 2. [`digest`]: the MD5 of every file: the service signs it into the upload addresses, so nothing can be sent before.
//!    For applications that sign metadata SHA-256 and SHA-512 as well.
//! 3. [`session`]: init answers an address for each file. A small private file remembers them, and what was sent, so
//!    that a killed run goes on where it was.
//! 4. [`transfer`]: several files at once, with retries. With `--digests`, SHA-256 and SHA-512 that were not needed before are
//!    computed from the bytes on their way.
//! 5. [`complete`]: the release is recorded whole. [`regular`] replaces 3-5 where the storage cannot presign.

mod body;
mod complete;
mod digest;
mod files;
mod limits;
mod plan;
mod progress;
mod regular;
mod release;
mod report;
mod send;
mod session;
mod stall;
mod state_file;
mod transfer;
mod upload;

use clap::Args;

use crate::context::Context;
use crate::error::CliError;

/// Arguments of `publish`.
#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// Files, or patterns like `dist/*`. Feed files (RELEASES, *.yml, appcast*.xml, releases.<channel>.json) are known
    /// by their names.
    #[arg(required = true, value_name = "FILES")]
    files: Vec<String>,
    #[command(flatten)]
    release: release::Release,
    /// The application has TUF enabled: send SHA-256 and SHA-512. Needed with CI tokens only, which cannot look it up;
    /// without it such an upload is sent twice.
    #[arg(long)]
    tuf: bool,
    /// Show SHA-256 and SHA-512 of every file too, where the service does not need them. They are computed from the
    /// bytes on their way; a storage that is faster than that has to wait.
    #[arg(long)]
    digests: bool,
    #[command(flatten)]
    limits: limits::Limits,
}

impl Publish {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let data = self.release.data()?;
        let files = files::find(&self.files)?;
        let plan = plan::Plan {
            service: context.authenticated()?,
            progress: progress::Progress::new(context.output),
            folder: context.paths.uploads(),
            limits: self.limits,
            digests: self.digests,
            data,
            files,
        };
        let report = upload::upload(&plan, self.tuf).await?;
        context.output.result(&report, &report.as_text())
    }
}
