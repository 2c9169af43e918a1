//! Step 5: artifacts are marked by what is current.

use std::collections::BTreeMap;

use spindrift_service::{Failure, Ports};
use spindrift_trust::{Signed, TargetsRole};

use crate::exclusive::Exclusive;
use crate::mark::{self, Listed};

/// Marks artifacts by the current lists, unless that is done.
pub(crate) async fn mark<P: Ports>(exclusive: &Exclusive<'_, P>) -> Result<(), Failure> {
    let repository = exclusive.load()?;
    let row = &repository.row;
    if row.revision <= row.marked_revision {
        return Ok(());
    }
    let targets = repository.targets(exclusive.conn)?;
    let mut files = BTreeMap::new();
    if let Some(targets) = targets {
        let delegations = targets.role().delegations();
        let is_delegated = |channel| delegations.is_some_and(|all| all.signers(channel).is_some());
        let channels = repository.channels(exclusive.conn)?;
        let delegated = channels.iter().filter(|(channel, _)| is_delegated(channel)).map(|(_, list)| list);
        let listed = |list: &Signed<TargetsRole>| list.role().targets().clone();
        files.extend(delegated.flat_map(listed));
        files.extend(listed(&targets));
    }
    let (app, revision) = (exclusive.app, row.revision);
    let listed = Listed { app, owner_id: &row.owner_id, owner: &row.owner, revision, files };
    mark::mark(exclusive.ports, exclusive.conn, &listed).await
}
