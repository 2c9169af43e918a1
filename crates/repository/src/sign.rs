//! Signatures that users send for staged metadata.

use spindrift_service::Ports;
use spindrift_trust::{RoleName, Signature};

use crate::accept::accept;
use crate::app_repository::AppRepository;
use crate::change::MetadataChange;
use crate::commit::reconcile;
use crate::error::RepositoryError;
use crate::events::{EventCause, FINISHED, Task};
use crate::repeated_call::repeated_signature;
use crate::staged::{StagedProposal, of_role};
use crate::validate::validate;

impl<P: Ports> AppRepository<'_, P> {
    /// Adds a signature to the staged metadata of a role. With the last missing signature it becomes current,
    /// together with everything that was sent with it. Fails if nothing is staged.
    pub async fn sign(
        &self,
        role: &RoleName,
        signature: Signature,
        cause: EventCause,
    ) -> Result<Task, RepositoryError> {
        self.with_lease(async |lease| {
            let repository = reconcile(lease).await?;
            let Some(StagedProposal { staged_by, mut proposal }) = of_role(self.conn, self.app, role)? else {
                return repeated_signature(lease, &repository, role, &signature);
            };
            proposal.add(role, signature);
            let lacking = validate(lease, &repository, &proposal).await?;
            let staged_by = Some(staged_by);
            let change =
                MetadataChange { staged_by, ..MetadataChange::of_proposal(proposal, cause, FINISHED) };
            accept(lease, &repository, change, &lacking).await
        })
        .await
    }
}
