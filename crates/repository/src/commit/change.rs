//! The change of metadata that a commit makes.

use spindrift_core::Id;
use spindrift_trust::{Again, NewFile, Proposal};

use crate::events::Cause;

/// A change of metadata that is to become current.
pub(crate) struct MetadataChange {
    /// Metadata that was signed offline and passed [`spindrift_trust::validate_proposal`].
    pub(crate) proposal: Proposal,
    /// Roots before the proposal's that are not recorded yet, from version 1.
    pub(crate) old_roots: Vec<NewFile>,
    /// The roles that the service signs again in any case.
    pub(crate) again: Again,
    /// The event that staged the proposal, if it was staged.
    pub(crate) accepted: Option<Id>,
    /// The reason, for the event.
    pub(crate) cause: Cause,
    /// The text of the event.
    pub(crate) message: &'static str,
}

impl MetadataChange {
    /// A change without a proposal.
    pub(crate) fn of_service(cause: Cause, again: Again, message: &'static str) -> Self {
        let proposal = Proposal::default();
        Self { proposal, old_roots: Vec::new(), again, accepted: None, cause, message }
    }
}
