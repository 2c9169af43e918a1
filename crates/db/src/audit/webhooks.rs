//! Webhooks. Each records the position in the owner's audit log up to which entries were sent.

use spindrift_core::webhook::{Retry, WebhookKinds};
use spindrift_core::{AppName, Id, Timestamp};

use crate::changes::Change;
use crate::row::{Row, id_or_empty, to_json};
use crate::transaction::{retry_while_locked, run_awaiting_lock};
use crate::{Audited, SqlConn, SqlError, leases, params};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub id: Id,
    pub owner_id: Id,
    /// The application that its entries are about. `None`: entries about any application, or about none.
    pub app_id: Option<Id>,
    pub app: Option<AppName>,
    /// For people. Not unique.
    pub name: String,
    pub url: String,
    /// The kinds of its entries.
    pub kinds: WebhookKinds,
    /// The position in the log up to which entries were sent.
    pub delivered_seq: u64,
    /// The position in the log of the first entry whose message may have a halt link. Links of earlier messages are
    /// revoked. `None`: messages have no halt links, and all are revoked.
    pub halt_links_from: Option<u64>,
    /// Since when deliveries have failed. `None` if the last one succeeded.
    pub failing_since: Option<Timestamp>,
    /// The last failure, in readable form.
    pub last_failure: Option<String>,
    /// Before this time it is not tried again.
    pub next_try: Option<Timestamp>,
    /// When it was switched off.
    pub off_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

impl Webhook {
    /// Whether it is on, and may be tried at this time.
    pub fn may_try(&self, now: Timestamp) -> bool {
        self.off_at.is_none() && self.next_try.is_none_or(|next| next <= now)
    }
}

const SELECT: &str = "SELECT w.id, w.owner_id, w.app_id, a.name AS app, w.name, w.url, w.kinds, w.delivered_seq, \
  w.halt_links_from, w.failing_since, \
  w.last_failure, w.next_try, w.off_at, w.created_at FROM webhooks w LEFT JOIN apps a ON a.id = w.app_id";

fn webhook(row: &Row<'_>) -> Result<Webhook, SqlError> {
    Ok(Webhook {
        id: row.get("id")?,
        owner_id: row.get("owner_id")?,
        app_id: Some(row.get::<Id>("app_id")?).filter(|id| !id.as_str().is_empty()),
        app: row.get("app")?,
        name: row.get("name")?,
        url: row.get("url")?,
        kinds: WebhookKinds::from_list(row.json("kinds")?),
        delivered_seq: row.get("delivered_seq")?,
        halt_links_from: row.get("halt_links_from")?,
        failing_since: row.get("failing_since")?,
        last_failure: row.get("last_failure")?,
        next_try: row.get("next_try")?,
        off_at: row.get("off_at")?,
        created_at: row.get("created_at")?,
    })
}

/// The webhooks of an owner, oldest first.
pub fn of_owner(conn: &impl SqlConn, owner: &Id) -> Result<Vec<Webhook>, SqlError> {
    conn.run(&format!("{SELECT} WHERE w.owner_id = ?1 ORDER BY w.id"), &params![owner])?.all(webhook)
}

pub fn by_id(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<Option<Webhook>, SqlError> {
    conn.run(&format!("{SELECT} WHERE w.owner_id = ?1 AND w.id = ?2"), &params![owner, id])?.one(webhook)
}

/// The webhook with this id, of any owner.
pub fn of_any_owner(conn: &impl SqlConn, id: &Id) -> Result<Option<Webhook>, SqlError> {
    conn.run(&format!("{SELECT} WHERE w.id = ?1"), &params![id])?.one(webhook)
}

/// At most `limit` webhooks that have something to send at `now` and to which no process is sending, those
/// whose last turn was longest ago first. With `owner`, only the owner's. An `Err` in the list stands for a
/// webhook that cannot be read.
pub fn due(
    conn: &impl SqlConn,
    owner: Option<&Id>,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<Result<Webhook, SqlError>>, SqlError> {
    let sql = format!(
        "{SELECT} WHERE (?1 IS NULL OR w.owner_id = ?1) AND w.off_at IS NULL AND coalesce(w.next_try, 0) <= ?2 \
          AND w.delivered_seq < (SELECT max(seq) FROM audit_log l WHERE l.owner_id = w.owner_id) \
          AND NOT EXISTS (SELECT 1 FROM leases e WHERE e.name = 'webhook.' || w.id AND e.expires_at > ?2) \
         ORDER BY coalesce(w.turn_at, 0), w.id LIMIT ?3"
    );
    conn.run(&sql, &params![owner, now, limit])?.all(|row| Ok(webhook(row)))
}

/// Inserts a webhook. Its first entry is the one after `delivered_seq`.
pub fn insert(conn: &impl Audited, webhook: &Webhook) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO webhooks (id, owner_id, app_id, name, url, kinds, delivered_seq, halt_links_from, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        &params![
            &webhook.id,
            &webhook.owner_id,
            id_or_empty(webhook.app_id.as_ref()),
            webhook.name.as_str(),
            &webhook.url,
            to_json(webhook.kinds.as_list())?,
            webhook.delivered_seq,
            webhook.halt_links_from,
            webhook.created_at
        ],
    )
}

/// Changes the name of a webhook, and which of its messages may have halt links. `Ok(false)`: the owner has none
/// with this id.
pub fn update(
    conn: &impl Audited,
    owner: &Id,
    id: &Id,
    name: &str,
    halt_links_from: Option<u64>,
) -> Result<bool, SqlError> {
    let sql =
        "UPDATE webhooks SET name = ?3, halt_links_from = ?4 WHERE owner_id = ?1 AND id = ?2 RETURNING id";
    Ok(run_awaiting_lock(conn, sql, &params![owner, id, name, halt_links_from])?.exist())
}

/// Deletes a webhook. `Ok(false)`: the owner has none with this id.
pub fn delete(conn: &impl Audited, owner: &Id, id: &Id) -> Result<bool, SqlError> {
    let sql = "DELETE FROM webhooks WHERE owner_id = ?1 AND id = ?2 RETURNING id";
    Ok(run_awaiting_lock(conn, sql, &params![owner, id])?.exist())
}

/// Deletes the webhooks of an application that is being deleted.
pub fn forget_app(conn: &Change<'_, impl SqlConn>, app: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM webhooks WHERE app_id = ?1", &params![app])
}

/// Takes the right to send to a webhook, until `until`. `Ok(false)`: another process holds it.
pub fn begin(
    conn: &impl SqlConn,
    id: &Id,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, SqlError> {
    if !leases::take(conn, &lease(id), holder, now, until)? {
        return Ok(false);
    }
    retry_while_locked(conn, "UPDATE webhooks SET turn_at = ?2 WHERE id = ?1", &params![id, now])?;
    Ok(true)
}

/// Gives that right back.
pub fn end(conn: &impl SqlConn, id: &Id, holder: &str) -> Result<(), SqlError> {
    leases::release(conn, &lease(id), holder)
}

fn lease(id: &Id) -> String {
    format!("webhook.{id}")
}

/// Records that all entries up to this position were sent, or are not for this webhook.
pub fn record_delivery(conn: &impl SqlConn, id: &Id, seq: u64) -> Result<(), SqlError> {
    let sql = "UPDATE webhooks SET delivered_seq = max(delivered_seq, ?2), failing_since = NULL, last_failure = NULL, \
               next_try = NULL WHERE id = ?1";
    retry_while_locked(conn, sql, &params![id, seq]).map(|_| ())
}

/// Forgets the failures of all webhooks, and switches those on again that were switched off.
pub fn forget_failures(conn: &impl SqlConn) -> Result<(), SqlError> {
    let sql = "UPDATE webhooks SET failing_since = NULL, last_failure = NULL, next_try = NULL, off_at = NULL \
               WHERE failing_since IS NOT NULL";
    retry_while_locked(conn, sql, &[]).map(|_| ())
}

/// Records a failure, and its consequences.
pub fn record_failure(
    conn: &impl SqlConn,
    id: &Id,
    since: Timestamp,
    (failure, retry): (&str, Retry),
    now: Timestamp,
) -> Result<(), SqlError> {
    let (next_try, off_at) = match retry {
        Retry::At(next) => (Some(next), None),
        Retry::Off => (None, Some(now)),
    };
    let sql =
        "UPDATE webhooks SET failing_since = ?2, last_failure = ?3, next_try = ?4, off_at = ?5 WHERE id = ?1";
    retry_while_locked(conn, sql, &params![id, since, failure, next_try, off_at]).map(|_| ())
}
