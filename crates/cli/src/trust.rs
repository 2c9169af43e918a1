//! `trust`: signed update metadata.

mod add_files;
mod ask;
mod blocking;
mod calls;
mod change;
mod commands;
mod key;
mod key_ring;
pub(crate) mod options;
mod plan;
pub(crate) mod published;
pub(crate) mod reported_files;
mod rotation;
mod signing_session;
#[cfg(test)]
mod test_world;
mod view;

use clap::Subcommand;

pub(crate) use commands::revoke::{Revocation, Revoke};

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;

#[derive(Debug, Subcommand)]
pub(crate) enum Trust {
    /// Start signed metadata for an application: make keys, sign the first root, and explain who
    /// keeps which key.
    Init(Box<commands::init::Init>),
    /// Sign what waits for signatures, or files that were uploaded without a key.
    Sign(Box<commands::sign::Sign>),
    /// Change keys: of root, of the publishers, of the service.
    #[command(subcommand)]
    Rotate(Box<commands::rotate::Rotate>),
    /// Sign root or a list again, with a later expiry.
    #[command(subcommand)]
    Renew(Box<commands::rotate::Renew>),
    /// Give a channel its own signers.
    Delegate(Box<commands::delegate::Delegate>),
    /// Permanently remove a version from the lists, so that clients refuse it from every source.
    Revoke(Box<commands::revoke::Revoke>),
    /// Show who signs, until when, and what is not signed.
    Status(commands::status::Status),
    /// Look at the metadata and the files as clients do, at the service and in the bucket.
    Verify(commands::verify::Verify),
    /// Make a key, or show the public part of one.
    #[command(subcommand)]
    Key(commands::key::Key),
}

impl Trust {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        match self {
            Self::Init(args) => args.run(context).await?,
            Self::Sign(args) => return args.run(context).await,
            Self::Rotate(command) => return command.run(context).await,
            Self::Renew(command) => return command.run(context).await,
            Self::Delegate(args) => return args.run(context).await,
            Self::Revoke(args) => return args.run(context).await,
            Self::Status(args) => args.run(context).await?,
            Self::Verify(args) => args.run(context).await?,
            Self::Key(command) => command.run(context)?,
        }
        Ok(Outcome::Done)
    }
}
