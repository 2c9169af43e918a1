//! Step 5: artifacts are marked by what is current. Those that leave the list are marked in step 3.

use std::collections::BTreeMap;

use spindrift_core::ChannelName;
use spindrift_db::SqlConn;
use spindrift_service::Ports;
use spindrift_trust::{NewFile, RoleName, Signed, TargetFile, TargetName, TargetsRole};

use crate::error::RepositoryError;
use crate::lease::RepositoryLease;
use crate::mark::{self, Leaving, Listed};
use crate::repository::Repository;

/// Marks artifacts by the current lists, unless that is done.
pub(crate) async fn mark<P: Ports>(lease: &RepositoryLease<'_, P>) -> Result<(), RepositoryError> {
    let repository = lease.load()?;
    if repository.row.revision <= repository.row.marked_revision {
        return Ok(());
    }
    mark_by(lease.ports, lease.conn, &repository).await
}

/// Marks artifacts by the lists of this repository, if they are current still.
pub(crate) async fn mark_by<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    repository: &Repository,
) -> Result<(), RepositoryError> {
    let files = match repository.targets(conn)? {
        Some(targets) => named(targets, repository.channels(conn)?),
        None => BTreeMap::new(),
    };
    let row = &repository.row;
    let (app, revision) = (&row.app_id, row.revision);
    let listed = Listed { app, owner_id: &row.owner_id, owner: &row.owner, revision, files };
    mark::mark(ports, conn, &listed).await
}

/// What would be offered and not listed, if these files became current.
pub(crate) fn leaving(
    conn: &impl SqlConn,
    repository: &Repository,
    files: &[NewFile],
) -> Result<Leaving, RepositoryError> {
    let (mut targets, mut channels) = (None, BTreeMap::new());
    for file in files {
        match &file.role {
            RoleName::Targets => targets = Some(Signed::read(&file.bytes)?),
            RoleName::Channel(channel) => {
                channels.insert(channel.clone(), Signed::read(&file.bytes)?);
            }
            RoleName::Root | RoleName::Snapshot | RoleName::Timestamp => (),
        }
    }
    if targets.is_none() && channels.is_empty() {
        return Ok(Leaving::default());
    }
    let Some(targets) = targets.map_or_else(|| repository.targets(conn), |targets| Ok(Some(targets)))? else {
        return Ok(Leaving::default());
    };
    for (channel, list) in repository.channels(conn)? {
        channels.entry(channel).or_insert(list);
    }
    mark::leaving(conn, &repository.row.app_id, &named(targets, channels))
}

/// Everything that the list of all, and the lists of channels with signers of their own, name.
fn named(
    targets: Signed<TargetsRole>,
    channels: BTreeMap<ChannelName, Signed<TargetsRole>>,
) -> BTreeMap<TargetName, TargetFile> {
    let delegations = targets.role().delegations();
    let is_delegated = |channel: &ChannelName| delegations.is_some_and(|all| all.signers(channel).is_some());
    let delegated = channels.into_iter().filter(|(channel, _)| is_delegated(channel)).map(|(_, list)| list);
    let listed = |list: Signed<TargetsRole>| list.into_role().into_targets();
    let mut files: BTreeMap<_, _> = delegated.flat_map(listed).collect();
    files.append(&mut listed(targets));
    files
}
