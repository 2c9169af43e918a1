//! Listing files again that a call took off the list but did not delete because it was killed.

use spindrift_db::Audit;
use spindrift_db::changes::{self, Subject};
use spindrift_db::pending_removal::{self, RemainingArtifact};
use spindrift_service::{Ports, log};

use crate::error::RepositoryError;

/// Maximum number of files that one run lists again.
const BATCH: u32 = 500;

/// Puts the files back on the lists. A failure does not stop the others; the first one is returned.
pub(super) fn relist<P: Ports>(ports: &P, conn: &P::Conn) -> Result<(), RepositoryError> {
    let mut first = Ok(());
    for RemainingArtifact { id, owner_id, app_id, version } in
        pending_removal::remaining(conn, ports.now(), BATCH)?
    {
        let subject = Subject::Release(&app_id, &version);
        let kept = changes::commit(conn, &owner_id, subject, ports.now(), |change| {
            pending_removal::set(change, std::slice::from_ref(&id), None)?;
            Ok::<_, RepositoryError>(((), Audit::Consequence))
        });
        // No answer to a check changes yet: checks offer what is listed, and the list is signed next.
        if let Err(failure) = kept.map(drop) {
            log::warn("a file that was not deleted is not listed again", &failure);
            first = first.and(Err(failure));
        }
    }
    first
}
