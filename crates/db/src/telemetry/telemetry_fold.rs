//! Folding past days, so that figures need not read every device of every day.
//!
//! `telemetry_days` contains what devices reported on each day, with their number; `telemetry_devices`
//! contains each device once; and `telemetry_fold` records how far both extend. Figures read the folded days
//! from there and later ones from `telemetry` (`docs/adr/0049-days-that-are-over-are-folded.md`).

use spindrift_core::Day;

use crate::transaction::{in_transaction, retry_while_locked};
use crate::{SqlConn, SqlError, SqlValue, params};

/// The days from `?1` to `?2`, and the last folded day. Statements for figures begin with it.
pub(crate) const DAYS: &str = "WITH RECURSIVE days (day) AS (VALUES (?1) UNION ALL SELECT day + 1 FROM days WHERE day < ?2), \
 folded (day) AS MATERIALIZED (SELECT coalesce(max(day), -1) FROM telemetry_fold)";

/// An expression for each of [`DAYS`]: `one` for days that are not folded, and `all` for those that are.
pub(crate) fn by_fold(one: &str, all: &str) -> String {
    format!("iif(days.day > (SELECT day FROM folded), ({one}), ({all}))")
}

/// Which requests of `telemetry t` count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowFilter {
    /// The expression that is true for a row that counts.
    pub(crate) selects: &'static str,
    /// The expression that is true if all rows count.
    pub(crate) is_open: &'static str,
}

impl RowFilter {
    pub(crate) const NONE: Self = Self { selects: "true", is_open: "true" };
}

/// The table `last_seen`, which follows [`DAYS`]: each device of the applications in the JSON list `?3` once,
/// with what it reported last on these days. Folded days are read from the folded tables if all requests
/// count and no later day is folded.
pub(crate) fn last_seen(RowFilter { selects, is_open }: RowFilter) -> String {
    const REPORT: &str = "t.device, t.version, t.channel, t.platform, t.arch, t.is_latest";
    // In `last_raw`, SQLite takes the columns that are not grouped from the row with the latest day.
    format!(
        "read_folded (day) AS MATERIALIZED (SELECT iif({is_open} AND day <= ?2, day, -1) FROM folded), \
         read_raw (day) AS MATERIALIZED (SELECT day FROM days WHERE day > (SELECT day FROM read_folded)), \
         last_raw AS (SELECT a.value AS app_id, {REPORT}, max(t.day) FROM read_raw r CROSS JOIN json_each(?3) a \
          CROSS JOIN telemetry t ON t.day = r.day AND t.app_id = a.value WHERE {selects} GROUP BY a.key, t.device), \
         last_seen AS (SELECT t.app_id, {REPORT} FROM last_raw t \
         UNION ALL SELECT t.app_id, {REPORT} FROM json_each(?3) a CROSS JOIN telemetry_devices t ON t.app_id = a.value \
          WHERE t.day BETWEEN ?1 AND (SELECT day FROM read_folded) AND NOT EXISTS (SELECT 1 FROM read_raw r \
           CROSS JOIN telemetry o ON o.day = r.day AND o.app_id = t.app_id AND o.device = t.device))"
    )
}

/// How far days have been folded.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Position {
    /// The last day that is folded completely.
    day: i64,
    /// The application and device of the last folded row of the next day. An empty application means that
    /// there is none.
    row: (String, i64),
}

impl Position {
    /// Nothing is folded.
    const START: Self = Self { day: -1, row: (String::new(), 0) };

    fn end_of(day: Day) -> Self {
        Self { day: day.number(), row: (String::new(), 0) }
    }

    /// The primary key of `telemetry` after which rows are not folded yet.
    fn key(&self) -> [SqlValue; 3] {
        params![self.day + 1, &self.row.0, self.row.1]
    }
}

/// Folds at most `limit` rows of days up to `last`. Returns how many: fewer than `limit` if these were all.
/// No more requests may be counted for `last` and earlier days. If `today` is already folded, the clock was
/// set back, and folding starts over.
pub fn fold(conn: &impl SqlConn, today: Day, last: Day, limit: u32) -> Result<u64, SqlError> {
    let is_done = |position: &Position| position.day >= last.number() && position.day < today.number();
    if is_done(&position(conn)?) {
        return Ok(0);
    }
    in_transaction(conn, |conn| {
        let mut position = position(conn)?;
        if is_done(&position) {
            return Ok(0);
        }
        if position.day >= today.number() {
            clear(conn)?;
            position = Position::START;
        }
        let (count, end) = piece(conn, &position, last, limit)?;
        if let Some(end) = &end {
            add(conn, &position, end)?;
        }
        let reached = end.filter(|_| count == u64::from(limit)).unwrap_or_else(|| Position::end_of(last));
        move_to(conn, &reached)?;
        Ok(count)
    })
}

fn position(conn: &impl SqlConn) -> Result<Position, SqlError> {
    let rows = conn.run("SELECT day, app_id, device FROM telemetry_fold", &[])?;
    let found =
        rows.one(|row| Ok(Position { day: row.get("day")?, row: (row.get("app_id")?, row.get("device")?) }))?;
    Ok(found.unwrap_or(Position::START))
}

fn move_to(conn: &impl SqlConn, Position { day, row: (app, device) }: &Position) -> Result<(), SqlError> {
    let values = params![*day, app, *device];
    conn.run(
        "INSERT OR REPLACE INTO telemetry_fold (id, day, app_id, device) VALUES (1, ?1, ?2, ?3)",
        &values,
    )
    .map(|_| ())
}

/// The next rows, at most `limit`: their number, and where they end.
fn piece(
    conn: &impl SqlConn,
    from: &Position,
    last: Day,
    limit: u32,
) -> Result<(u64, Option<Position>), SqlError> {
    let [day, app, device] = from.key();
    let rows = conn.run(
        "WITH piece AS MATERIALIZED (SELECT day, app_id, device FROM telemetry \
          WHERE (day, app_id, device) > (?1, ?2, ?3) AND day <= ?4 ORDER BY day, app_id, device LIMIT ?5) \
         SELECT day, app_id, device, (SELECT count(*) FROM piece) AS count FROM piece \
         ORDER BY day DESC, app_id DESC, device DESC LIMIT 1",
        &params![day, app, device, last, limit],
    )?;
    let found = rows.one(|row| {
        let day: i64 = row.get("day")?;
        let end = Position { day: day - 1, row: (row.get("app_id")?, row.get("device")?) };
        Ok((row.get("count")?, Some(end)))
    })?;
    Ok(found.unwrap_or((0, None)))
}

/// Folds the rows after `from`, up to the one at `end`.
fn add(conn: &impl SqlConn, from: &Position, end: &Position) -> Result<(), SqlError> {
    const PIECE: &str =
        "FROM telemetry WHERE (day, app_id, device) > (?1, ?2, ?3) AND (day, app_id, device) <= (?4, ?5, ?6)";
    let range = [from.key(), end.key()].concat();
    let days = format!(
        "INSERT INTO telemetry_days (day, app_id, version, channel, platform, arch, is_latest, devices, requests) \
         SELECT day, app_id, version, channel, platform, arch, is_latest, count(*), sum(requests) {PIECE} \
         GROUP BY 1, 2, 3, 4, 5, 6, 7 \
         ON CONFLICT (day, app_id, version, channel, platform, arch, is_latest) DO UPDATE \
          SET devices = devices + excluded.devices, requests = requests + excluded.requests"
    );
    let devices = format!(
        "INSERT INTO telemetry_devices (app_id, device, day, version, channel, platform, arch, is_latest) \
         SELECT app_id, device, day, version, channel, platform, arch, is_latest {PIECE} ORDER BY day, app_id, device \
         ON CONFLICT (app_id, device) DO UPDATE SET day = excluded.day, version = excluded.version, \
          channel = excluded.channel, platform = excluded.platform, arch = excluded.arch, is_latest = excluded.is_latest"
    );
    conn.run(&days, &range)?;
    conn.run(&devices, &range).map(|_| ())
}

fn clear(conn: &impl SqlConn) -> Result<(), SqlError> {
    conn.run("DELETE FROM telemetry_days", &[])?;
    conn.run("DELETE FROM telemetry_devices", &[]).map(|_| ())
}

/// Deletes at most `limit` rows of days before `day` from each table. Returns the larger of the two numbers
/// of deleted rows.
pub fn delete_before(conn: &impl SqlConn, day: Day, limit: u32) -> Result<u64, SqlError> {
    let delete = |sql| retry_while_locked(conn, sql, &params![day, limit]);
    let days = delete(
        "DELETE FROM telemetry_days WHERE (day, app_id, version, channel, platform, arch, is_latest) IN \
          (SELECT day, app_id, version, channel, platform, arch, is_latest FROM telemetry_days WHERE day < ?1 LIMIT ?2) \
         RETURNING 1",
    )?;
    let devices = delete(
        "DELETE FROM telemetry_devices WHERE (app_id, device) IN \
          (SELECT app_id, device FROM telemetry_devices WHERE day < ?1 LIMIT ?2) RETURNING 1",
    )?;
    Ok(days.values.len().max(devices.values.len()) as u64)
}
