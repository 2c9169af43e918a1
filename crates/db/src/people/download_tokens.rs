//! Download tokens: one for an application, and one for each of its channels. Only a digest of the token is
//! stored.

use spindrift_core::{AppName, ChannelName, Id, Timestamp};

use crate::row::{id_or_empty, to_json};
use crate::{Audited, SqlConn, SqlError, params};

/// A token as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadTokenRow {
    pub id: Id,
    pub app: (Id, AppName),
    /// The channel's id and name. `None`: the token is for all channels.
    pub channel: Option<(Id, ChannelName)>,
    /// The first characters of the token, so that people can recognise it.
    pub prefix: String,
    pub updated_at: Timestamp,
}

/// A new token for an application or one of its channels, which replaces the existing one.
#[derive(Debug, Clone, Copy)]
pub struct NewDownloadToken<'a> {
    /// Identifier. A token that replaces another takes on that one's id instead.
    pub id: &'a Id,
    pub app: &'a Id,
    /// The channel; `None`: all channels.
    pub channel: Option<&'a Id>,
    /// The digest under which it is looked up.
    pub digest: &'a str,
    /// Its first characters.
    pub prefix: &'a str,
}

/// Sets the token of the application or of one of its channels. The previous one, if any, becomes invalid.
pub fn replace(conn: &impl Audited, token: &NewDownloadToken<'_>, now: Timestamp) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO download_tokens (id, app_id, channel_id, token_hash, token_prefix, updated_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (app_id, channel_id) DO UPDATE \
         SET token_hash = excluded.token_hash, token_prefix = excluded.token_prefix, updated_at = excluded.updated_at",
        &params![token.id, token.app, id_or_empty(token.channel), token.digest, token.prefix, now],
    )
}

/// The tokens of an owner's applications, by name; an application's own token precedes those of its channels.
pub fn of_owner(conn: &impl SqlConn, owner: &Id) -> Result<Vec<DownloadTokenRow>, SqlError> {
    let rows = conn.run(
        "SELECT t.id, a.id AS app_id, a.name AS app, c.id AS channel_id, c.name AS channel, t.token_prefix, t.updated_at \
         FROM download_tokens t JOIN apps a ON a.id = t.app_id LEFT JOIN channels c ON c.id = t.channel_id \
         WHERE a.owner_id = ?1 ORDER BY a.name, c.name",
        &params![owner],
    )?;
    rows.all(|row| {
        Ok(DownloadTokenRow {
            id: row.get("id")?,
            app: (row.get("app_id")?, row.get("app")?),
            channel: row.get::<Option<_>>("channel_id")?.zip(row.get("channel")?),
            prefix: row.get("token_prefix")?,
            updated_at: row.get("updated_at")?,
        })
    })
}

/// Whether the token with this digest is valid for the application's releases in one of the channels.
pub fn admits(conn: &impl SqlConn, digest: &str, app: &Id, channels: &[Id]) -> Result<bool, SqlError> {
    let rows = conn.run(
        "SELECT 1 FROM download_tokens WHERE token_hash = ?1 AND app_id = ?2 \
          AND (channel_id = '' OR channel_id IN (SELECT value FROM json_each(?3)))",
        &params![digest, app, to_json(&channels)?],
    )?;
    Ok(rows.exist())
}

/// Whether the token with this digest belongs to the application, for all channels or for one.
pub fn is_of_app(conn: &impl SqlConn, digest: &str, app: &Id) -> Result<bool, SqlError> {
    let rows = conn
        .run("SELECT 1 FROM download_tokens WHERE token_hash = ?1 AND app_id = ?2", &params![digest, app])?;
    Ok(rows.exist())
}

/// Deletes the tokens of an application that is being deleted.
pub fn end_of_app(conn: &impl Audited, app: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM download_tokens WHERE app_id = ?1", &params![app])
}

/// Deletes the tokens of a channel that is being deleted.
pub(crate) fn end_of_channel(conn: &impl SqlConn, channel: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM download_tokens WHERE channel_id = ?1", &params![channel])
}
