//! Channels that also offer the releases of other channels to their clients.

use std::collections::BTreeMap;

use spindrift_core::Id;

use crate::changes::Change;
use crate::{SqlConn, SqlError, params};

/// The ids that each of an owner's channels includes. Channels that include none are left out.
pub fn of_owner(conn: &impl SqlConn, owner: &Id) -> Result<BTreeMap<Id, Vec<Id>>, SqlError> {
    let rows = conn.run(
        "SELECT i.channel_id, i.included_id FROM channel_includes i JOIN channels c ON c.id = i.channel_id \
         JOIN channels d ON d.id = i.included_id WHERE c.owner_id = ?1 ORDER BY d.name",
        &params![owner],
    )?;
    let mut includes: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
    let pairs: Vec<(Id, Id)> = rows.all(|row| Ok((row.get("channel_id")?, row.get("included_id")?)))?;
    for (channel, included) in pairs {
        includes.entry(channel).or_default().push(included);
    }
    Ok(includes)
}

/// Replaces the list of channels that a channel includes.
pub fn replace(conn: &Change<'_, impl SqlConn>, channel: &Id, included: &[Id]) -> Result<(), SqlError> {
    conn.run("DELETE FROM channel_includes WHERE channel_id = ?1", &params![channel])?;
    for id in included {
        conn.run(
            "INSERT OR IGNORE INTO channel_includes (channel_id, included_id) VALUES (?1, ?2)",
            &params![channel, id],
        )?;
    }
    Ok(())
}

/// Deletes a channel from all lists, including its own.
pub fn forget(conn: &impl SqlConn, channel: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM channel_includes WHERE channel_id = ?1 OR included_id = ?1", &params![channel])
}
