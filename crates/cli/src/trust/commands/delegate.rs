//! `trust delegate`: a channel's own signers.

use std::collections::BTreeMap;

use clap::Args;
use spindrift_api::SignedFile;
use spindrift_core::ChannelName;
use spindrift_trust::{Delegations, NewSigners, Role as _, RoleName, Signed, TargetFiles};

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::trust::blocking::offer_to_drop;
use crate::trust::calls::{SendOutcome, file, unwritable};
use crate::trust::change::{ListChange, ListOutcome, NextList, as_is, change_list, next_version};
use crate::trust::key::{KeySource, read_public};
use crate::trust::options::{RepositoryOptions, SigningOptions};
use crate::trust::plan::{list_difference, signers_with, signers_without};
use crate::trust::signing_session::SigningSession;
use crate::trust::view::View;

/// Maximum number of attempts while others publish at the same time.
const MAX_ATTEMPTS: u32 = 100;

#[derive(Debug, Args)]
pub(crate) struct Delegate {
    #[command(flatten)]
    repository: RepositoryOptions,
    /// The channel.
    #[arg(long, value_name = "NAME")]
    channel: String,
    /// Public part of a signer's key: TUF JSON, PEM or an OpenSSH line, as text or in a file. May be
    /// repeated.
    #[arg(long = "key", value_name = "PUBLIC", required_unless_present = "undo")]
    keys: Vec<String>,
    /// How many of them must sign the channel's list.
    #[arg(long, default_value_t = 1, value_name = "COUNT", conflicts_with = "undo")]
    threshold: usize,
    /// The channel's files go back to the list of targets.
    #[arg(long, conflicts_with = "keys")]
    undo: bool,
    /// A key to sign with, also of the channel: a PEM file, `env:NAME`, or `agent:<fingerprint>`. May be
    /// repeated.
    #[arg(long = "with", value_name = "KEY")]
    with: Vec<KeySource>,
}

impl Delegate {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        let signing = SigningOptions { keys: self.with.clone() };
        let mut session = SigningSession::open(context, &self.repository, &signing).await?;
        let channel: ChannelName =
            self.channel.parse().map_err(|_| CliError::usage("--channel is not a valid channel name"))?;
        let changed = if self.undo {
            undo(&mut session, &channel).await?
        } else {
            let keys = self.keys.iter().map(|given| read_public(given)).collect::<Result<Vec<_>, _>>()?;
            appoint(&mut session, &channel, NewSigners { keys, threshold: self.threshold }).await?
        };
        super::sign::show(context, &changed)
    }
}

async fn undo(session: &mut SigningSession, channel: &ChannelName) -> Result<ListChange, CliError> {
    let lifetime = RoleName::Targets.lifetimes().default;
    change_list(session, lifetime, async |_, view| {
        let NextList { mut files, delegations } = as_is(view.targets());
        let has_signers = delegations.as_ref().is_some_and(|all| all.signers(channel).is_some());
        if !has_signers {
            return Ok((RoleName::Targets, None));
        }
        let role = RoleName::Channel(channel.clone());
        files.extend(as_is(view.list(&role)).files);
        let delegations = signers_without(delegations.as_ref(), channel);
        Ok((RoleName::Targets, Some(NextList { files, delegations })))
    })
    .await
}

/// Moves the channel's files from targets to the channel's own list, in one call.
async fn appoint(
    session: &mut SigningSession,
    channel: &ChannelName,
    signers: NewSigners,
) -> Result<ListChange, CliError> {
    let mut before = None;
    for _ in 0..MAX_ATTEMPTS {
        let view = session.view().await?;
        if session.service_signs(&view) {
            return Err(CliError::usage(
                "channels have signers only where a publisher signs targets: `spindrift trust rotate targets`",
            ));
        }
        let proposal = DelegationProposal::sign(session, &view, channel, signers.clone())?;
        let base = view.targets().map_or(0, |list| list.head().version.number());
        let outcome = match proposal.refusal {
            Some(outcome) => outcome,
            None if before == Some(base) && !offer_to_drop(session).await? => ListOutcome::Blocked,
            None => match session.calls.send(proposal.metadata.clone(), Some(base)).await? {
                SendOutcome::Accepted if proposal.is_complete => ListOutcome::Current,
                SendOutcome::Accepted => ListOutcome::Waiting,
                SendOutcome::Changed => {
                    before = Some(base);
                    continue;
                }
            },
        };
        return Ok(ListChange { outcome, ..proposal.changed });
    }
    Err(CliError::Conflict("others keep publishing: run this again".to_owned()))
}

/// Both lists, signed with the available keys.
struct DelegationProposal {
    metadata: BTreeMap<String, SignedFile>,
    is_complete: bool,
    /// Why nothing was sent.
    refusal: Option<ListOutcome>,
    changed: ListChange,
}

impl DelegationProposal {
    fn sign(
        session: &mut SigningSession,
        view: &View,
        channel: &ChannelName,
        signers: NewSigners,
    ) -> Result<Self, CliError> {
        let role = RoleName::Channel(channel.clone());
        let current = view.targets().ok_or_else(|| {
            CliError::Conflict(
                "there is no list yet: publish something, or run `spindrift trust sign`".to_owned(),
            )
        })?;
        let (next, delegations, own) = split(view, channel, signers)?;
        let is_same = next.files == *current.targets()
            && next.delegations.as_ref() == current.delegations()
            && view.list(&role).is_some();
        let lifetime = role.lifetimes().default;
        let mut targets = Signed::unsigned(next_version(Some(current), next, lifetime)?);
        let next = NextList { files: own, delegations: None };
        let mut list = Signed::unsigned(next_version(view.list(&role), next, lifetime)?);
        let unsigned = || CliError::Other("the channel has no signers".to_owned());
        let (of_targets, of_channel) =
            (view.root.role().targets(), delegations.signers(channel).ok_or_else(unsigned)?);
        let used = session.key_ring.sign(&mut targets, &[of_targets], &[])?;
        session.key_ring.sign(&mut list, &[of_channel], &[])?;
        let refusal = if is_same {
            Some(ListOutcome::Unchanged)
        } else {
            used.is_empty().then_some(ListOutcome::NoKey)
        };
        let is_signed =
            targets.is_signed_by(of_targets).and_then(|all| Ok(all && list.is_signed_by(of_channel)?));
        Ok(Self {
            metadata: [(RoleName::Targets.to_string(), file(&targets)?), (role.to_string(), file(&list)?)]
                .into(),
            is_complete: is_signed.map_err(|error| unwritable(&error))?,
            refusal,
            changed: ListChange {
                role: role.to_string(),
                version: list.role().head().version.number(),
                outcome: ListOutcome::Unchanged,
                difference: list_difference(Some(current), targets.role()),
            },
        })
    }
}

/// The files of the next targets, all delegations, and the files of the channel's list.
fn split(
    view: &View,
    channel: &ChannelName,
    signers: NewSigners,
) -> Result<(NextList, Delegations, TargetFiles), CliError> {
    let NextList { files, delegations } = as_is(view.targets());
    let (mut own, others): (TargetFiles, TargetFiles) =
        files.into_iter().partition(|(_, file)| file.custom().channel.as_ref() == Some(channel));
    own.extend(as_is(view.list(&RoleName::Channel(channel.clone()))).files);
    let all = signers_with(delegations.as_ref(), channel, signers)?;
    Ok((NextList { files: others, delegations: Some(all.clone()) }, all, own))
}
