//! Shut-offs, and what the clients of a scope learn of them and of withdrawn versions.

use spindrift_core::{AppName, Id, MAX_WITHDRAWN, Stops, Target, Timestamp, Version, WithdrawnVersion};

use crate::changes::Change;
use crate::row::{Row, id_or_empty, target_ids, to_json};
use crate::scopes::IN_CHANNEL;
use crate::{SqlConn, SqlError, params};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shutoff {
    pub id: Id,
    pub app_id: Id,
    pub app: AppName,
    /// The channel of the clients. `None`: any.
    pub channel_id: Option<Id>,
    pub channel: Option<String>,
    /// The platform of the clients. `None`: any.
    pub platform_id: Option<Id>,
    pub platform: Option<String>,
    /// Why the clients were shut off.
    pub reason: String,
    /// The name of the user or token that created it.
    pub created_by: String,
    pub created_at: Timestamp,
}

/// The clients that a shut-off is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShutoffPlace {
    pub app_id: Id,
    /// The channel. `None`: any.
    pub channel_id: Option<Id>,
    /// The platform. `None`: any.
    pub platform_id: Option<Id>,
}

const SELECT: &str = "SELECT s.id, s.app_id, a.name AS app, s.channel_id, c.name AS channel, s.platform_id, p.name AS platform, \
  s.reason, s.created_by, s.created_at \
 FROM shutoffs s JOIN apps a ON a.id = s.app_id LEFT JOIN channels c ON c.id = s.channel_id \
  LEFT JOIN platforms p ON p.id = s.platform_id WHERE s.owner_id = ?1";

fn shutoff(row: &Row<'_>) -> Result<Shutoff, SqlError> {
    let id = |column| Ok::<_, SqlError>(Some(row.get::<Id>(column)?).filter(|id| !id.as_str().is_empty()));
    Ok(Shutoff {
        id: row.get("id")?,
        app_id: row.get("app_id")?,
        app: row.get("app")?,
        channel_id: id("channel_id")?,
        channel: row.get("channel")?,
        platform_id: id("platform_id")?,
        platform: row.get("platform")?,
        reason: row.get("reason")?,
        created_by: row.get("created_by")?,
        created_at: row.get("created_at")?,
    })
}

/// The shut-offs of an owner, oldest first. With `app`, only those of this application; with `apps`, only
/// those of these.
pub fn of_owner(
    conn: &impl SqlConn,
    owner: &Id,
    app: Option<&Id>,
    apps: Option<&[Id]>,
) -> Result<Vec<Shutoff>, SqlError> {
    let sql = format!(
        "{SELECT} AND (?2 IS NULL OR s.app_id = ?2) \
         AND (?3 IS NULL OR s.app_id IN (SELECT value FROM json_each(?3))) ORDER BY s.id"
    );
    conn.run(&sql, &params![owner, app, apps.map(|apps| to_json(&apps)).transpose()?])?.all(shutoff)
}

/// The owner's shut-off with this id.
pub fn by_id(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<Option<Shutoff>, SqlError> {
    conn.run(&format!("{SELECT} AND s.id = ?2"), &params![owner, id])?.one(shutoff)
}

/// The shut-off for exactly these clients.
pub fn of_place(conn: &impl SqlConn, owner: &Id, place: &ShutoffPlace) -> Result<Option<Shutoff>, SqlError> {
    let sql = format!("{SELECT} AND s.app_id = ?2 AND s.channel_id = ?3 AND s.platform_id = ?4");
    let params = params![
        owner,
        &place.app_id,
        id_or_empty(place.channel_id.as_ref()),
        id_or_empty(place.platform_id.as_ref())
    ];
    conn.run(&sql, &params)?.one(shutoff)
}

/// The number of shut-offs of an application.
pub fn count(conn: &impl SqlConn, app: &Id) -> Result<u64, SqlError> {
    let rows = conn.run("SELECT count(*) AS count FROM shutoffs WHERE app_id = ?1", &params![app])?;
    Ok(rows.one(|row| row.get("count"))?.unwrap_or(0))
}

/// Whether any clients of an application that use this channel are shut off.
pub fn exist_for(conn: &impl SqlConn, app: &Id, channel: Option<&Id>) -> Result<bool, SqlError> {
    let sql = "SELECT 1 FROM shutoffs WHERE app_id = ?1 AND channel_id IN ('', ?2) LIMIT 1";
    Ok(conn.run(sql, &params![app, id_or_empty(channel)])?.exist())
}

pub fn insert(
    conn: &Change<'_, impl SqlConn>,
    owner: &Id,
    id: &Id,
    place: &ShutoffPlace,
    (reason, created_by): (&str, &str),
    now: Timestamp,
) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO shutoffs (id, owner_id, app_id, channel_id, platform_id, reason, created_by, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        &params![
            id,
            owner,
            &place.app_id,
            id_or_empty(place.channel_id.as_ref()),
            id_or_empty(place.platform_id.as_ref()),
            reason,
            created_by,
            now
        ],
    )
}

pub fn delete(conn: &Change<'_, impl SqlConn>, id: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM shutoffs WHERE id = ?1", &params![id])
}

/// Deletes the shut-offs of an application that is being deleted.
pub fn forget_app(conn: &Change<'_, impl SqlConn>, app: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM shutoffs WHERE app_id = ?1", &params![app])
}

/// Deletes the shut-offs of a channel or platform that is being deleted; `column` refers to it.
pub(crate) fn forget_dimension(conn: &impl SqlConn, column: &str, id: &Id) -> Result<(), SqlError> {
    conn.execute(&format!("DELETE FROM shutoffs WHERE {column} = ?1"), &params![id])
}

/// The stops that clients of a scope learn of.
pub fn of_scope(conn: &impl SqlConn, app: &Id, target: &Target) -> Result<Stops, SqlError> {
    let [channel, platform, arch] = target_ids(target);
    let sql = format!(
        "SELECT NULL AS version, NULL AS reason, 0 AS withdrawn_at FROM shutoffs \
         WHERE app_id = ?1 AND channel_id IN ('', ?2) AND platform_id IN ('', ?3) \
         UNION ALL SELECT version, reason, withdrawn_at FROM ( \
          SELECT DISTINCT r.version, r.withdraw_reason AS reason, r.withdrawn_at, r.id FROM offers r \
          WHERE r.app_id = ?1 AND r.withdrawn_at IS NOT NULL AND {IN_CHANNEL} AND EXISTS ( \
           SELECT 1 FROM artifacts x WHERE x.release_id = r.id AND x.platform_id = ?3 AND x.arch_id = ?4) \
          ORDER BY r.withdrawn_at DESC, r.id DESC LIMIT {MAX_WITHDRAWN})"
    );
    let rows = conn.run(&sql, &params![app, channel, platform, arch])?;
    let found: Vec<Option<(Version, String)>> =
        rows.all(|row| Ok(row.get::<Option<_>>("version")?.zip(row.get::<Option<String>>("reason")?)))?;
    let withdrawn =
        found.iter().flatten().cloned().map(|(version, reason)| WithdrawnVersion { version, reason });
    Ok(Stops { shut_off: found.contains(&None), withdrawn: withdrawn.collect() })
}
