//! Step 5: artifacts are marked by what is current.

use std::collections::BTreeMap;

use spindrift_core::ChannelName;
use spindrift_service::{Failure, Ports};
use spindrift_trust::{Signed, TargetsRole};

use crate::exclusive::Exclusive;
use crate::mark::{self, Listed};
use crate::repository::Repository;

/// Marks artifacts by the current lists, unless that is done.
pub(crate) async fn mark<P: Ports>(exclusive: &Exclusive<'_, P>) -> Result<(), Failure> {
    let repository = exclusive.load()?;
    if repository.row.revision <= repository.row.marked_revision {
        return Ok(());
    }
    mark_by(exclusive.ports, exclusive.conn, &repository).await
}

/// Marks artifacts by the lists of this repository, if they are current still.
pub(crate) async fn mark_by<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    repository: &Repository,
) -> Result<(), Failure> {
    let targets = repository.targets(conn)?;
    let mut files = BTreeMap::new();
    if let Some(targets) = targets {
        let delegations = targets.role().delegations();
        let is_delegated =
            |channel: &ChannelName| delegations.is_some_and(|all| all.signers(channel).is_some());
        let channels = repository.channels(conn)?.into_iter();
        let delegated = channels.filter(|(channel, _)| is_delegated(channel)).map(|(_, list)| list);
        let listed = |list: Signed<TargetsRole>| list.into_role().into_targets();
        files.extend(delegated.flat_map(listed));
        files.append(&mut listed(targets));
    }
    let row = &repository.row;
    let (app, revision) = (&row.app_id, row.revision);
    let listed = Listed { app, owner_id: &row.owner_id, owner: &row.owner, revision, files };
    mark::mark(ports, conn, &listed).await
}
