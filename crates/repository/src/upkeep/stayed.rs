//! Files that a call has taken off the list to delete them, and that are still there because it was killed.

use spindrift_db::changes::{self, Subject};
use spindrift_db::leaving::{self, Stayed};
use spindrift_service::{Failure, Ports, log};

/// Most files that one run lists again.
const BATCH: u32 = 500;

/// Lets the lists have them again. Failures do not stop the others, and the first is returned.
pub(super) fn list_again<P: Ports>(ports: &P, conn: &P::Conn) -> Result<(), Failure> {
    let mut first = Ok(());
    for Stayed { id, owner_id, app_id, version } in leaving::stayed(conn, ports.now(), BATCH)? {
        let subject = Subject::Release(&app_id, &version);
        let kept = changes::commit(conn, &owner_id, subject, ports.now(), |change| {
            Ok::<_, Failure>(leaving::set(change, std::slice::from_ref(&id), None)?)
        });
        // No check is answered otherwise: what is offered follows the list, which is signed next.
        if let Err(failure) = kept.map(drop) {
            log::warn("a file that was not deleted is not listed again", &failure);
            first = first.and(Err(failure));
        }
    }
    first
}
