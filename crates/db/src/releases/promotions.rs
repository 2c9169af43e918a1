//! Promotions: releases that are also offered in further channels. See
//! `docs/adr/0058-a-promotion-is-a-further-offer.md`.
//!
//! Like all offers, promotions are read as [`Release`]s, from the view `offers`.

use spindrift_core::feeds::ReleaseFeed;
use spindrift_core::{ChannelName, Hold, Id, Release, Timestamp, Updater, Version};

use crate::changes::Change;
use crate::courses;
use crate::row::{id_or_empty, to_json};
use crate::{SqlConn, SqlError, params, release_freezes};

/// Inserts a promotion. A second one into the same channel is an [`SqlError::Constraint`]. `has_copies`:
/// clients of the channel get copies of the files.
pub fn insert(
    conn: &Change<'_, impl SqlConn>,
    promoted: &Release,
    has_copies: bool,
    now: Timestamp,
) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO promotions (release_id, channel_id, app_id, has_copies, rollout_bp, rollout_state, let_in, revision) \
         VALUES (?1, ?2, ?3, ?4, 0, 'on', '[]', 0)",
        &params![
            &promoted.id,
            id_or_empty(promoted.channel_id.as_ref()),
            &promoted.app_id,
            has_copies
        ],
    )?;
    // From now on, the promotion itself is halted.
    conn.execute(
        "DELETE FROM ended_halts WHERE release_id = ?1 AND channel_id = ?2",
        &params![&promoted.id, id_or_empty(promoted.channel_id.as_ref())],
    )?;
    update(conn, promoted, now)
}

/// Writes the fields of a promotion that people or the passage of time change, with the freezes that hold it.
/// Flags other than `published`, the notes, the cured versions and the withdrawal belong to the release.
pub(crate) fn update(
    conn: &Change<'_, impl SqlConn>,
    promoted: &Release,
    now: Timestamp,
) -> Result<(), SqlError> {
    let promoted = &release_freezes::hold(conn, promoted, now)?;
    let [rollout_bp, rollout_state, rollout_plan] = courses::values(&promoted.rollout, now)?;
    conn.execute(
        "UPDATE promotions SET published = ?3, offered_at = ?4, revision = ?5, rollout_bp = ?6, rollout_state = ?7, rollout_plan = ?8, \
          next_at = ?9, publish_at = ?10, guard = ?11, round_at = ?12, let_in = ?13, planned_at = ?14 \
         WHERE release_id = ?1 AND channel_id = ?2",
        &params![
            &promoted.id,
            id_or_empty(promoted.channel_id.as_ref()),
            promoted.flags.published,
            promoted.offered_at,
            promoted.revision,
            rollout_bp,
            rollout_state,
            rollout_plan,
            promoted.due(),
            promoted.publish_at,
            promoted.guard.as_ref().map(to_json).transpose()?,
            promoted.round_at,
            to_json(&promoted.admitted_groups)?,
            promoted.planned_at,
        ],
    )
}

/// Ends a promotion that has no copies left. Remembers whether it was halted.
pub fn delete(conn: &Change<'_, impl SqlConn>, promoted: &Release) -> Result<(), SqlError> {
    let key = params![&promoted.id, id_or_empty(promoted.channel_id.as_ref())];
    if promoted.rollout.hold == Hold::Halted {
        conn.execute("INSERT OR IGNORE INTO ended_halts (release_id, channel_id) VALUES (?1, ?2)", &key)?;
    }
    conn.execute("DELETE FROM promotions WHERE release_id = ?1 AND channel_id = ?2", &key)
}

/// The channels, by id and name, in which a promotion of the release was halted when it ended.
pub fn ended_halts(conn: &impl SqlConn, release: &Id) -> Result<Vec<(Id, ChannelName)>, SqlError> {
    let rows = conn.run(
        "SELECT c.id, c.name FROM ended_halts h JOIN channels c ON c.id = h.channel_id \
         WHERE h.release_id = ?1 ORDER BY c.name",
        &params![release],
    )?;
    rows.all(|row| Ok((row.get("id")?, row.get("name")?)))
}

/// Ends the promotions of a release that is being deleted.
pub fn forget_release(conn: &Change<'_, impl SqlConn>, release: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM ended_halts WHERE release_id = ?1", &params![release])?;
    conn.execute("DELETE FROM promotions WHERE release_id = ?1", &params![release])
}

/// Forgets a channel that is being deleted.
pub(crate) fn forget_channel(conn: &Change<'_, impl SqlConn>, channel: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM ended_halts WHERE channel_id = ?1", &params![channel])
}

/// The channels to which a release was promoted with copies of its files.
pub fn with_copies(conn: &impl SqlConn, release: &Id) -> Result<Vec<ChannelName>, SqlError> {
    let rows = conn.run(
        "SELECT c.name FROM promotions p JOIN channels c ON c.id = p.channel_id \
         WHERE p.release_id = ?1 AND p.has_copies = 1 ORDER BY c.name",
        &params![release],
    )?;
    rows.all(|row| row.get("name"))
}

/// The version of a release of the application that was promoted without copies of its files. `Ok(None)` if
/// there is none.
pub fn without_copies(conn: &impl SqlConn, app: &Id) -> Result<Option<Version>, SqlError> {
    let rows = conn.run(
        "SELECT r.version FROM promotions p JOIN releases r ON r.id = p.release_id \
         WHERE p.app_id = ?1 AND p.has_copies = 0 LIMIT 1",
        &params![app],
    )?;
    rows.one(|row| row.get("version"))
}

/// Whether a feed of the release names a channel. Clients of other channels ignore such a feed.
pub fn has_channel_in_feed(conn: &impl SqlConn, release: &Id) -> Result<bool, SqlError> {
    let rows = conn.run(
        "SELECT feed FROM release_feeds WHERE release_id = ?1 AND updater = ?2",
        &params![release, Updater::Sparkle],
    )?;
    let feeds: Vec<ReleaseFeed> = rows.all(|row| row.json("feed"))?;
    Ok(feeds.iter().any(|feed| matches!(feed, ReleaseFeed::Sparkle(feed) if feed.names_channel())))
}
