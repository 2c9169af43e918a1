//! Groups of devices, such as testers.

use spindrift_core::{
    AdmittedGroups, AppName, DeviceGroupName, GroupDevice, GroupKey, Id, RecordGroup, Release, Timestamp,
};

use crate::changes::Change;
use crate::row::{FromColumn, Row, to_json};
use crate::{SqlConn, SqlError, SqlValue, params, releases};

impl From<GroupKey> for SqlValue {
    fn from(key: GroupKey) -> Self {
        Self::Blob(key.digest().to_vec())
    }
}

impl FromColumn for GroupKey {
    fn from_column(value: &SqlValue) -> Option<Self> {
        if let SqlValue::Blob(bytes) = value { Self::from_digest(bytes) } else { None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceGroup {
    pub id: Id,
    pub app_id: Id,
    pub app: AppName,
    /// Unique within the application.
    pub name: DeviceGroupName,
    /// Number of devices in its list.
    pub devices: u64,
    pub created_at: Timestamp,
}

const SELECT: &str = "SELECT g.id, g.app_id, a.name AS app, g.name, g.created_at, \
  (SELECT count(*) FROM device_group_members m WHERE m.group_id = g.id) AS devices \
 FROM device_groups g JOIN apps a ON a.id = g.app_id WHERE g.owner_id = ?1";

fn group(row: &Row<'_>) -> Result<DeviceGroup, SqlError> {
    Ok(DeviceGroup {
        id: row.get("id")?,
        app_id: row.get("app_id")?,
        app: row.get("app")?,
        name: row.get("name")?,
        devices: row.get("devices")?,
        created_at: row.get("created_at")?,
    })
}

/// The groups of an application, by name.
pub fn of_app(conn: &impl SqlConn, owner: &Id, app: &Id) -> Result<Vec<DeviceGroup>, SqlError> {
    conn.run(&format!("{SELECT} AND g.app_id = ?2 ORDER BY g.name"), &params![owner, app])?.all(group)
}

pub fn by_id(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<Option<DeviceGroup>, SqlError> {
    conn.run(&format!("{SELECT} AND g.id = ?2"), &params![owner, id])?.one(group)
}

/// Inserts a group. A name that the application already has is an [`SqlError::Constraint`].
pub fn insert(
    conn: &Change<'_, impl SqlConn>,
    owner: &Id,
    group: &DeviceGroup,
    key: &GroupKey,
) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO device_groups (id, owner_id, app_id, name, key_digest, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        &params![
            &group.id,
            owner,
            &group.app_id,
            &group.name,
            *key,
            group.created_at
        ],
    )
}

/// Replaces the key of a group.
pub fn set_key(conn: &Change<'_, impl SqlConn>, id: &Id, key: &GroupKey) -> Result<(), SqlError> {
    let sql = "UPDATE device_groups SET key_digest = ?2 WHERE id = ?1";
    conn.execute(sql, &params![id, *key])
}

/// Adds devices to the list of a group, and removes others. A device in both lists is in the group
/// afterwards. Returns whether the group's list has changed.
pub fn change_devices(
    conn: &Change<'_, impl SqlConn>,
    id: &Id,
    add: &[GroupDevice],
    remove: &[GroupDevice],
) -> Result<bool, SqlError> {
    let list = |devices: &[GroupDevice]| {
        let stored: Vec<i64> = devices.iter().map(|device| device.to_stored()).collect();
        to_json(&stored)
    };
    let (add, remove) = (list(add)?, list(remove)?);
    let removed = "DELETE FROM device_group_members WHERE group_id = ?1 AND device IN (SELECT value FROM json_each(?2)) \
                   AND device NOT IN (SELECT value FROM json_each(?3)) RETURNING device";
    let removed = conn.run(removed, &params![id, remove, add.as_str()])?.exist();
    let added = "INSERT OR IGNORE INTO device_group_members (group_id, device) SELECT ?1, value FROM json_each(?2) \
                 RETURNING device";
    Ok(conn.run(added, &params![id, add])?.exist() || removed)
}

/// Deletes a group that no release lets in.
pub fn delete(conn: &Change<'_, impl SqlConn>, id: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM device_group_members WHERE group_id = ?1", &params![id])?;
    conn.execute("DELETE FROM device_groups WHERE id = ?1", &params![id])
}

/// Deletes the groups of an application that is being deleted.
pub fn forget_app(conn: &Change<'_, impl SqlConn>, app: &Id) -> Result<(), SqlError> {
    let members =
        "DELETE FROM device_group_members WHERE group_id IN (SELECT id FROM device_groups WHERE app_id = ?1)";
    conn.execute(members, &params![app])?;
    conn.execute("DELETE FROM device_groups WHERE app_id = ?1", &params![app])
}

/// The offers of an application that let a group in.
pub fn offers(conn: &impl SqlConn, app: &Id, name: &DeviceGroupName) -> Result<Vec<Release>, SqlError> {
    let sql = format!(
        "SELECT {} FROM offers r WHERE r.app_id = ?1 AND EXISTS (SELECT 1 FROM json_each(r.let_in) WHERE value = ?2)",
        releases::columns()
    );
    conn.run(&sql, &params![app, name])?.all(releases::release)
}

/// Number of devices in the lists of all groups that releases of an application let in.
pub fn devices_in_use(conn: &impl SqlConn, app: &Id) -> Result<u64, SqlError> {
    let sql = "SELECT count(*) AS count FROM device_groups g JOIN device_group_members m ON m.group_id = g.id \
               WHERE g.app_id = ?1 AND g.name IN ( \
                SELECT value FROM offers r, json_each(r.let_in) WHERE r.app_id = ?1)";
    Ok(conn.run(sql, &params![app])?.one(|row| row.get("count"))?.unwrap_or(0))
}

/// The first of these groups that does not exist in the application.
pub fn missing(
    conn: &impl SqlConn,
    app: &Id,
    groups: &AdmittedGroups,
) -> Result<Option<DeviceGroupName>, SqlError> {
    if groups.is_empty() {
        return Ok(None);
    }
    let sql = "SELECT value AS name FROM json_each(?2) \
               WHERE value NOT IN (SELECT name FROM device_groups WHERE app_id = ?1) LIMIT 1";
    conn.run(sql, &params![app, to_json(groups)?])?.one(|row| row.get("name"))
}

/// These groups of an application in the form that records store, each with its name.
pub fn of_record(
    conn: &impl SqlConn,
    app: &Id,
    names: &[&DeviceGroupName],
) -> Result<Vec<(DeviceGroupName, RecordGroup)>, SqlError> {
    let sql = "SELECT g.name, g.key_digest, m.device \
               FROM device_groups g LEFT JOIN device_group_members m ON m.group_id = g.id \
               WHERE g.app_id = ?1 AND g.name IN (SELECT value FROM json_each(?2)) ORDER BY g.name";
    let rows = conn.run(sql, &params![app, to_json(names)?])?;
    let found: Vec<(DeviceGroupName, GroupKey, Option<i64>)> =
        rows.all(|row| Ok((row.get("name")?, row.get("key_digest")?, row.get("device")?)))?;
    let groups = found.chunk_by(|one, other| one.0 == other.0).filter_map(|rows| {
        let (name, key, _) = rows.first()?;
        let devices = rows.iter().filter_map(|&(_, _, device)| Some(GroupDevice::from_stored(device?)));
        Some((name.clone(), RecordGroup { key: *key, devices: devices.collect() }))
    });
    Ok(groups.collect())
}
