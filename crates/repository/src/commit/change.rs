//! What a commit is to make current.

use spindrift_core::Id;
use spindrift_trust::{Again, NewFile, Proposal};

use crate::events::Cause;

/// What a commit is to make current.
pub(crate) struct MetadataChange {
    /// What people have signed and [`spindrift_trust::validate_proposal`] has accepted.
    pub(crate) proposal: Proposal,
    /// Roots before the proposal's that are not recorded yet, from version 1.
    pub(crate) old_roots: Vec<NewFile>,
    /// What the service signs anew in any case.
    pub(crate) again: Again,
    /// The event of the proposal, if it was staged.
    pub(crate) accepted: Option<Id>,
    /// Why.
    pub(crate) cause: Cause,
    /// For people.
    pub(crate) message: &'static str,
}

impl MetadataChange {
    /// A change without metadata of people.
    pub(crate) fn of_service(cause: Cause, again: Again, message: &'static str) -> Self {
        let proposal = Proposal::default();
        Self { proposal, old_roots: Vec::new(), again, accepted: None, cause, message }
    }
}
