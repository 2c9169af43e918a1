//! The change of metadata that a call makes.

use spindrift_core::{Id, Timestamp};
use spindrift_trust::{NewFile, Proposal, Renewal};

use crate::events::EventCause;

/// A change of metadata that is to become current, or to wait for signatures.
pub(crate) struct MetadataChange {
    /// Metadata that was signed offline and passed [`spindrift_trust::validate_proposal`].
    pub(crate) proposal: Proposal,
    /// Roots before the proposal's that are not recorded yet, from version 1.
    pub(crate) old_roots: Vec<NewFile>,
    /// How much the service signs again, due or not.
    pub(crate) renewal: Renewal,
    /// The call that staged the proposal, if it is staged.
    pub(crate) staged_by: Option<StagingCall>,
    /// The reason, for the event.
    pub(crate) cause: EventCause,
    /// The text of the event once the change is current.
    pub(crate) message: &'static str,
}

/// A call that staged files.
#[derive(Debug, Clone)]
pub(crate) struct StagingCall {
    pub(crate) event: Id,
    pub(crate) at: Timestamp,
}

impl MetadataChange {
    /// A change without a proposal.
    pub(crate) fn of_service(cause: EventCause, renewal: Renewal, message: &'static str) -> Self {
        Self { renewal, ..Self::of_proposal(Proposal::default(), cause, message) }
    }

    /// A change to this proposal, which is not staged.
    pub(crate) fn of_proposal(proposal: Proposal, cause: EventCause, message: &'static str) -> Self {
        let renewal = Renewal::Nothing;
        Self { proposal, old_roots: Vec::new(), renewal, staged_by: None, cause, message }
    }
}
