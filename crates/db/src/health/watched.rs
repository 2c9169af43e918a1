//! The releases of an application whose failures are watched.

use serde::Deserialize;
use spindrift_core::health::{MAX_WATCHED, Round, WatchedRelease};
use spindrift_core::{Id, Timestamp, Version};

use crate::SqlError;
use crate::offered::{FOR_ALL, visible};
use crate::row::Row;

/// An element of the list.
#[derive(Deserialize)]
struct WatchedRow {
    id: Id,
    version: Version,
    unreached: Vec<String>,
    round_at: Option<Timestamp>,
    offered_at: Option<Timestamp>,
    complete: u8,
}

/// An expression for statements about applications `a`: the newest visible releases as a JSON list. `now` is
/// a parameter.
pub(crate) fn list(now: &str) -> String {
    format!(
        "(SELECT json_group_array(json_object('id', w.id, 'version', w.version, 'unreached', json(w.unreached), \
           'round_at', w.round_at, 'offered_at', w.offered_at, 'complete', w.complete)) FROM ( \
          SELECT r.id, r.version, r.version_key, {UNREACHED} AS unreached, \
           CASE WHEN r.published THEN r.round_at ELSE r.publish_at END AS round_at, \
           coalesce(r.offered_at, r.publish_at) AS offered_at, {FOR_ALL} AS complete \
          FROM offers r WHERE r.app_id = a.id AND {} ORDER BY r.version_key DESC LIMIT {MAX_WATCHED}) w)",
        visible(now)
    )
}

/// The names of the owner's channels whose clients do not get an offer `r`, as a JSON list.
pub(crate) const UNREACHED: &str = "(SELECT json_group_array(c.name) FROM channels c \
  WHERE c.owner_id = r.owner_id AND r.channel_id <> '' AND c.id <> r.channel_id AND NOT EXISTS \
   (SELECT 1 FROM channel_includes i WHERE i.channel_id = c.id AND i.included_id = r.channel_id))";

/// Reads the column `watched`, a [`list`].
pub(crate) fn read(row: &Row<'_>, now: Timestamp) -> Result<Vec<WatchedRelease>, SqlError> {
    let rows: Vec<WatchedRow> = row.json("watched")?;
    let watched = |row: WatchedRow| {
        let round = row.round_at.map(|since| Round { release: row.id, since });
        let round = round
            .zip(row.offered_at)
            .filter(|(round, offered_at)| round.is_under_way(*offered_at, row.complete != 0, now));
        WatchedRelease {
            version: row.version,
            unreached: row.unreached,
            round: round.map(|(round, _)| round),
        }
    };
    Ok(rows.into_iter().map(watched).collect())
}
