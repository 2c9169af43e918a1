//! Channels with signers of their own, whose names appear in signed metadata.

use spindrift_core::{ChannelName, Id};
use spindrift_db::{SqlConn, repository_metadata};
use spindrift_trust::{RoleName, Signed, TargetsRole};

use crate::error::RepositoryError;
use crate::files::current;

/// Whether a channel of this owner has signers of its own in any repository.
pub fn has_signers(conn: &impl SqlConn, owner: &Id, channel: &ChannelName) -> Result<bool, RepositoryError> {
    let role = RoleName::Channel(channel.clone()).to_string();
    for app in repository_metadata::apps_with_role(conn, owner, &role)? {
        let targets: Option<Signed<TargetsRole>> = current(conn, &app, &RoleName::Targets)?;
        let delegations = targets.as_ref().and_then(|targets| targets.role().delegations());
        if delegations.is_some_and(|delegations| delegations.signers(channel).is_some()) {
            return Ok(true);
        }
    }
    Ok(false)
}
