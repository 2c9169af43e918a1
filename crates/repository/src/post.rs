//! Proposals that users send.

use spindrift_service::Ports;
use spindrift_trust::{Proposal, RoleName};

use crate::accept::accept;
use crate::app_repository::AppRepository;
use crate::change::MetadataChange;
use crate::commit::reconcile;
use crate::error::RepositoryError;
use crate::events::{EventCause, FINISHED, Task};
use crate::repeated_call::repeated_post;
use crate::repository::Repository;
use crate::staged::{StagedProposal, of_roles};
use crate::validate::validate;

impl<P: Ports> AppRepository<'_, P> {
    /// Accepts metadata: with enough signatures it becomes current, with only some it waits for the others.
    /// `base` is the version of the list that it was made from, which is that of targets or else of the
    /// channel; 0 means that there was none. Fails if another version is current. Also fails while something
    /// else is staged for these roles, unless the new metadata has all signatures and may replace it: then
    /// what was staged is dropped.
    pub async fn post(
        &self,
        mut proposal: Proposal,
        base: Option<u64>,
        cause: EventCause,
    ) -> Result<Task, RepositoryError> {
        self.with_lease(async |lease| {
            let repository = reconcile(lease).await?;
            if let Some(task) = repeated_post(lease, &repository, &proposal)? {
                return Ok(task);
            }
            // Before the other rules: a list that was made from an older one usually breaks those too, and
            // has to be made again anyway.
            require_base(&repository, &proposal, base)?;
            let mut staged = of_roles(self.conn, self.app, &proposal)?;
            let is_same = matches!(staged.as_slice(), [only] if proposal.merge(&only.proposal));
            let same = if is_same { staged.pop() } else { None };
            let lacking = validate(lease, &repository, &proposal).await?;
            let may_replace =
                |other: &StagedProposal| lacking.is_empty() && proposal.may_replace(&other.proposal);
            if !staged.iter().all(may_replace) {
                return Err(RepositoryError::TargetsChanged);
            }
            let staged_by = same.map(|same| same.staged_by);
            let change =
                MetadataChange { staged_by, ..MetadataChange::of_proposal(proposal, cause, FINISHED) };
            accept(lease, &repository, change, &lacking).await
        })
        .await
    }
}

fn require_base(
    repository: &Repository,
    proposal: &Proposal,
    base: Option<u64>,
) -> Result<(), RepositoryError> {
    let role = match (&proposal.targets, proposal.channels.keys().next()) {
        (None, Some(channel)) => RoleName::Channel(channel.clone()),
        _ => RoleName::Targets,
    };
    let current = repository.lists.get(&role).map_or(0, |head| head.version.number());
    if base.is_none_or(|base| base == current) { Ok(()) } else { Err(RepositoryError::TargetsChanged) }
}
