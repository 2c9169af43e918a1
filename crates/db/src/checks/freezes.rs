//! Freezes: until one ends, steps of rollouts and scheduled publications wait.
//!
//! Releases store the freezes that hold them, and the times that follow, so that nothing but their writers has
//! to read this table (`release_freezes`).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use spindrift_core::{AppName, Freeze, Freezes, Id, Release, Timestamp};

use crate::changes::Change;
use crate::row::{Row, id_or_empty, to_json};
use crate::{SqlConn, SqlError, courses, params, releases};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFreeze {
    pub id: Id,
    /// The application. `None`: all of the owner's.
    pub app_id: Option<Id>,
    pub app: Option<AppName>,
    pub span: Freeze,
    /// Why rollouts are frozen.
    pub reason: String,
    /// The name of the user or token that created it.
    pub created_by: String,
    pub created_at: Timestamp,
}

const SELECT: &str = "SELECT f.id, f.app_id, a.name AS app, f.begins_at, f.ends_at, f.reason, f.created_by, \
  f.created_at FROM freezes f LEFT JOIN apps a ON a.id = f.app_id WHERE f.owner_id = ?1 AND f.ends_at > ?2";

fn stored_freeze(row: &Row<'_>) -> Result<StoredFreeze, SqlError> {
    Ok(StoredFreeze {
        id: row.get("id")?,
        app_id: row.get("app_id")?,
        app: row.get("app")?,
        span: Freeze { from: row.get("begins_at")?, to: row.get("ends_at")? },
        reason: row.get("reason")?,
        created_by: row.get("created_by")?,
        created_at: row.get("created_at")?,
    })
}

/// The freezes of an owner that are not over, in the order of their beginnings. With `app`, only those that
/// hold this application; with `apps`, only those that hold any of these.
pub fn of_owner(
    conn: &impl SqlConn,
    owner: &Id,
    app: Option<&Id>,
    apps: Option<&[Id]>,
    now: Timestamp,
) -> Result<Vec<StoredFreeze>, SqlError> {
    let sql = format!(
        "{SELECT} AND (?3 IS NULL OR f.app_id IN ('', ?3)) \
         AND (?4 IS NULL OR f.app_id = '' OR f.app_id IN (SELECT value FROM json_each(?4))) \
         ORDER BY f.begins_at, f.id"
    );
    let apps = apps.map(|apps| to_json(&apps)).transpose()?;
    conn.run(&sql, &params![owner, now, app, apps])?.all(stored_freeze)
}

/// The owner's freeze with this id, unless it is over.
pub fn by_id(
    conn: &impl SqlConn,
    owner: &Id,
    id: &Id,
    now: Timestamp,
) -> Result<Option<StoredFreeze>, SqlError> {
    conn.run(&format!("{SELECT} AND f.id = ?3"), &params![owner, now, id])?.one(stored_freeze)
}

/// Inserts a freeze, and makes the releases wait that it holds. Returns their applications.
pub fn insert(
    conn: &Change<'_, impl SqlConn>,
    owner: &Id,
    freeze: &StoredFreeze,
) -> Result<Vec<AppName>, SqlError> {
    conn.execute(
        "INSERT INTO freezes (id, owner_id, app_id, begins_at, ends_at, reason, created_by, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        &params![
            &freeze.id,
            owner,
            id_or_empty(freeze.app_id.as_ref()),
            freeze.span.from,
            freeze.span.to,
            &freeze.reason,
            &freeze.created_by,
            freeze.created_at
        ],
    )?;
    apply(conn, owner, freeze.app_id.as_ref(), freeze.created_at)
}

/// Deletes a freeze. The releases that it holds go on now, or at their own times. Returns their applications.
pub fn delete(
    conn: &Change<'_, impl SqlConn>,
    owner: &Id,
    freeze: &StoredFreeze,
    now: Timestamp,
) -> Result<Vec<AppName>, SqlError> {
    conn.execute("DELETE FROM freezes WHERE id = ?1", &params![&freeze.id])?;
    apply(conn, owner, freeze.app_id.as_ref(), now)
}

/// Deletes the freezes of an owner that are over. The audit log keeps them.
pub fn delete_ended(conn: &Change<'_, impl SqlConn>, owner: &Id, now: Timestamp) -> Result<(), SqlError> {
    conn.execute("DELETE FROM freezes WHERE owner_id = ?1 AND ends_at <= ?2", &params![owner, now])
}

/// Deletes the freezes of an application that is being deleted.
pub fn forget_app(conn: &Change<'_, impl SqlConn>, app: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM freezes WHERE app_id = ?1", &params![app])
}

/// The columns of an offer that freezes change.
#[derive(Serialize)]
struct HeldOffer {
    id: Id,
    channel: String,
    rollout_plan: Option<String>,
    next_at: Option<Timestamp>,
    publish_at: Option<Timestamp>,
    planned_at: Option<Timestamp>,
}

impl HeldOffer {
    fn of(release: &Release) -> Result<Self, SqlError> {
        Ok(Self {
            id: release.id.clone(),
            channel: release.channel_id.as_ref().map_or_else(String::new, ToString::to_string),
            rollout_plan: courses::plan(&release.rollout)?,
            next_at: release.due(),
            publish_at: release.publish_at,
            planned_at: release.planned_at,
        })
    }
}

/// Lets the releases under way wait for the freezes that are not over, and for no others. Returns the
/// applications of those that change.
fn apply(
    conn: &Change<'_, impl SqlConn>,
    owner: &Id,
    app: Option<&Id>,
    now: Timestamp,
) -> Result<Vec<AppName>, SqlError> {
    let freezes = of_owner(conn, owner, app, None, now)?;
    let mut of_apps: BTreeMap<Id, Freezes> = BTreeMap::new();
    let mut changed: Vec<Release> = Vec::new();
    for release in releases::under_way(conn, owner, app)? {
        let holding = of_apps.entry(release.app_id.clone()).or_insert_with(|| {
            let holds =
                |freeze: &&StoredFreeze| freeze.app_id.as_ref().is_none_or(|id| *id == release.app_id);
            freezes.iter().filter(holds).map(|freeze| freeze.span).collect()
        });
        let held = release.clone().with_freezes(holding, now);
        if held != release {
            changed.push(held);
        }
    }
    for (is_promoted, table, key) in [
        (false, "releases", "t.id = n.id"),
        (true, "promotions", "t.release_id = n.id AND t.channel_id = n.channel"),
    ] {
        let offers = changed.iter().filter(|release| release.is_promoted == is_promoted);
        let offers: Vec<HeldOffer> = offers.map(HeldOffer::of).collect::<Result<_, _>>()?;
        if !offers.is_empty() {
            conn.execute(&update(table, key), &params![to_json(&offers)?])?;
        }
    }
    let ids: BTreeSet<&Id> = changed.iter().map(|release| &release.app_id).collect();
    let sql = "SELECT name FROM apps WHERE id IN (SELECT value FROM json_each(?1))";
    conn.run(sql, &params![to_json(&ids)?])?.all(|row| row.get("name"))
}

/// Writes the [`HeldOffer`]s in the parameter.
fn update(table: &str, key: &str) -> String {
    format!(
        "UPDATE {table} AS t SET rollout_plan = n.rollout_plan, next_at = n.next_at, \
          publish_at = n.publish_at, planned_at = n.planned_at \
         FROM (SELECT json_extract(value, '$.id') AS id, json_extract(value, '$.channel') AS channel, \
           json_extract(value, '$.rollout_plan') AS rollout_plan, json_extract(value, '$.next_at') AS next_at, \
           json_extract(value, '$.publish_at') AS publish_at, json_extract(value, '$.planned_at') AS planned_at \
          FROM json_each(?1)) AS n WHERE {key}"
    )
}
