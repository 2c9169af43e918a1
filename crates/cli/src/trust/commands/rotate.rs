//! `trust rotate root|targets|online` and `trust renew root|targets`: the next root.

mod keys;

use clap::{Args, Subcommand};
use spindrift_trust::{Lifetime, PublicKey, RoleName};

use self::keys::{find_keys, new_key};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::trust::change::{as_is, change_list};
use crate::trust::key::{of_entry, read_public};
use crate::trust::options::{RepositoryOptions, SigningOptions};
use crate::trust::plan::{KeyChange, RootPlan};
use crate::trust::rotation::{Rotation, rotate};
use crate::trust::signing_session::SigningSession;
use crate::trust::view::View;

/// Default lifetime of a root, in days.
const ROOT_DAYS: u16 = 730;

#[derive(Debug, Subcommand)]
pub(crate) enum Rotate {
    /// Change the keys of root. Without --add and --remove a new key takes the place of the one on this
    /// machine.
    Root(RotateKeys),
    /// Change the publisher's keys, and sign the list with the new ones. Without --add and --remove a new key
    /// takes the place of the one on this machine, or of the service's.
    Targets(RotateTargets),
    /// Move to the service's next key for snapshot and timestamp.
    Online(RotateOnline),
}

#[derive(Debug, Args)]
pub(crate) struct RotateKeys {
    #[command(flatten)]
    repository: RepositoryOptions,
    #[command(flatten)]
    signing: SigningOptions,
    /// Public part of a new key: TUF JSON, PEM or an OpenSSH line, as text or in a file. May be repeated.
    #[arg(long, value_name = "PUBLIC")]
    add: Vec<String>,
    /// Id of a key to remove, or its first characters; see `spindrift trust status`. May be repeated.
    #[arg(long, value_name = "KEYID")]
    remove: Vec<String>,
    /// How many must sign from now on.
    #[arg(long, value_name = "COUNT")]
    threshold: Option<usize>,
    /// A key was stolen: do not sign with what is removed, and move to the service's next key too.
    #[arg(long)]
    compromised: bool,
    /// Do not encrypt a key that is made.
    #[arg(long)]
    no_passphrase: bool,
    /// How long the root is valid, in days.
    #[arg(long, default_value_t = ROOT_DAYS, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=3650))]
    root_days: u16,
}

#[derive(Debug, Args)]
pub(crate) struct RotateTargets {
    #[command(flatten)]
    keys: RotateKeys,
    /// Let the service sign the lists from now on. An attacker who controls the service can then
    /// publish.
    #[arg(long, conflicts_with_all = ["add", "remove", "threshold"])]
    online: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RotateOnline {
    #[command(flatten)]
    repository: RepositoryOptions,
    #[command(flatten)]
    signing: SigningOptions,
    /// How long the root is valid, in days.
    #[arg(long, default_value_t = ROOT_DAYS, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=3650))]
    root_days: u16,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Renew {
    /// Sign the same root with a later expiry.
    Root(RotateOnline),
    /// Sign the same list with a later expiry.
    Targets(RenewTargets),
}

#[derive(Debug, Args)]
pub(crate) struct RenewTargets {
    #[command(flatten)]
    repository: RepositoryOptions,
    #[command(flatten)]
    signing: SigningOptions,
    /// The list of this channel, which has signers of its own.
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
    /// How long the list is valid, in days.
    #[arg(long, default_value_t = 365, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=730))]
    targets_days: u16,
}

impl Rotate {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        match self {
            Self::Root(args) => args.run(context, &RoleName::Root, false).await,
            Self::Targets(args) => args.keys.run(context, &RoleName::Targets, args.online).await,
            Self::Online(args) => {
                let mut session = SigningSession::open(context, &args.repository, &args.signing).await?;
                let online = Some(next_online(&session)?);
                let plan = RootPlan { online, ..RootPlan::renewal(days(args.root_days)?) };
                let done = rotate(&mut session, async |_, _| Ok(Rotation::of_root(plan.clone()))).await?;
                done.show(context)
            }
        }
    }
}

impl RotateKeys {
    async fn run(self, context: &Context, role: &RoleName, online: bool) -> Result<Outcome, CliError> {
        let mut session = SigningSession::open(context, &self.repository, &self.signing).await?;
        let lifetime = days(self.root_days)?;
        let done = rotate(&mut session, async |session, view| {
            let change = self.change(session, view, role, online)?;
            let unwanted = if self.compromised { change.remove.clone() } else { Vec::new() };
            let moved = if self.compromised { Some(next_online(session)?) } else { None };
            let (root, targets) = match role {
                RoleName::Root => (change, KeyChange::default()),
                _ => (KeyChange::default(), change),
            };
            let plan = RootPlan { root, targets, online: moved, lifetime };
            Ok(Rotation { plan, unwanted, has_list: *role == RoleName::Targets && !online })
        })
        .await?;
        done.show(context)
    }

    /// The change of the role's keys.
    fn change(
        &self,
        session: &mut SigningSession,
        view: &View,
        role: &RoleName,
        online: bool,
    ) -> Result<KeyChange, CliError> {
        let root = view.root.role();
        let signers = if *role == RoleName::Root { root.root() } else { root.targets() };
        if online {
            let add = of_entry(&session.state.targets_key).filter(|key| signers.key(key.id()).is_none());
            let add = add.ok_or_else(|| CliError::usage("the service already signs targets"))?;
            return Ok(KeyChange { add: vec![add], remove: signers.keyids().to_vec(), threshold: Some(1) });
        }
        if self.add.is_empty() && self.remove.is_empty() && (self.threshold.is_none() || self.compromised) {
            let (old, new) = new_key(session, view, role, self.no_passphrase)?;
            return Ok(KeyChange { add: vec![new], remove: old, threshold: self.threshold });
        }
        let add = self.add.iter().map(|given| read_public(given)).collect::<Result<Vec<PublicKey>, _>>()?;
        let mut remove = find_keys(signers, &self.remove)?;
        // The service's keys are never mixed with those of publishers.
        let services = session.service_keys();
        remove.extend(signers.keyids().iter().filter(|id| services.contains(id.as_str())).cloned());
        Ok(KeyChange { add, remove, threshold: self.threshold })
    }
}

impl Renew {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        match self {
            Self::Root(args) => {
                let mut session = SigningSession::open(context, &args.repository, &args.signing).await?;
                let plan = RootPlan::renewal(days(args.root_days)?);
                let done = rotate(&mut session, async |_, _| Ok(Rotation::of_root(plan.clone()))).await?;
                done.show(context)
            }
            Self::Targets(args) => {
                let mut session = SigningSession::open(context, &args.repository, &args.signing).await?;
                let channel = args.channel.as_deref().map(str::parse).transpose();
                let channel =
                    channel.map_err(|_| CliError::usage("--channel is not a valid channel name"))?;
                let role = channel.map_or(RoleName::Targets, RoleName::Channel);
                let changed = change_list(&mut session, days(args.targets_days)?, async |_, view| {
                    Ok((role.clone(), Some(as_is(view.list(&role)))))
                })
                .await?;
                super::sign::show(context, &changed)
            }
        }
    }
}

fn next_online(session: &SigningSession) -> Result<PublicKey, CliError> {
    of_entry(&session.state.next_online_key)
        .ok_or_else(|| CliError::Untrusted("the service names an invalid key".to_owned()))
}

fn days(days: u16) -> Result<Lifetime, CliError> {
    Lifetime::from_days(days).ok_or_else(|| CliError::usage("a lifetime has 1 to 3650 days"))
}
