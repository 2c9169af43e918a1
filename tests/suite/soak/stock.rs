//! The content of the hosts and their stores, and its bounds.

use std::collections::BTreeMap;

use spindrift_tests::{Processes, World};

use super::author::MOST_RELEASES;
use super::device::DEVICES;
use super::line::LINES;
use super::reporter::{REASONS, REPORT};
use super::tally::Tally;

/// Of its memory after the first quarter, a host may have so many percent more at the end,
const MORE_PERCENT: u64 = 20;
/// and so many KiB.
const MORE_KIB: u64 = 20 * 1024;
/// Counters that a report opens: of its device, its group and its key; and the note of these.
const COUNTERS: u64 = 4;
/// Sightings that wait in the key-value store, and those that a run of the counting may leave.
const WAITING: u64 = 2_048;
/// Things that may come and go: each release with everything that belongs to it.
const COMES_AND_GOES: u64 = 4 * (MOST_RELEASES * LINES.len()) as u64;

/// The stock at one moment.
#[derive(Debug)]
pub(super) struct Stock {
    /// Memory of each host, in KiB. `None`: it is gone, or the system does not tell.
    pub(super) memory: Vec<Option<u64>>,
    /// Keys of the key-value store, by their kind.
    pub(super) keys: BTreeMap<String, u64>,
    /// Rows of the database, by table.
    pub(super) rows: BTreeMap<String, u64>,
}

impl Stock {
    pub(super) fn take(world: &World, hosts: &[u32]) -> Self {
        let memory = hosts.iter().map(|host| Processes::under(*host).memory_kib()).collect();
        let mut keys = BTreeMap::new();
        for key in world.keys() {
            let kind = key.split('.').next().unwrap_or_default();
            *keys.entry(kind.to_owned()).or_default() += 1;
        }
        Self { memory, keys, rows: rows(world) }
    }

    /// The excesses compared with an earlier moment.
    pub(super) fn too_much(&self, before: &Self, tally: &Tally) -> Vec<String> {
        let mut found = Vec::new();
        for (host, (now, before)) in self.memory.iter().zip(&before.memory).enumerate() {
            let Some(before) = before else { continue };
            let Some(now) = now else {
                found.push(format!("host {host} is gone"));
                continue;
            };
            let most = before * (100 + MORE_PERCENT) / 100 + MORE_KIB;
            if *now > most {
                found.push(format!("host {host} has {now} KiB of memory, and {most} are allowed"));
            }
        }
        let kinds = [("keys", &self.keys, &before.keys), ("rows", &self.rows, &before.rows)];
        for (what, now, before) in kinds {
            for (name, count) in now {
                let most = most(name, tally)
                    .unwrap_or(before.get(name).copied().unwrap_or_default() + COMES_AND_GOES);
                if *count > most {
                    found.push(format!("{count} {what} of {name}, and {most} are allowed"));
                }
            }
        }
        found
    }
}

/// The calls that change something. A schedule counts twice.
const CHANGES: [&str; 20] = [
    "plan",
    "upload: complete",
    "promote",
    "demote",
    "rollout",
    "let in",
    "requires",
    "edit",
    "delete",
    "withdraw",
    "restore",
    "halt",
    "resume",
    "shut off",
    "lift",
    "schedule",
    "schedule",
    "new channel",
    "end of a channel",
    "change of an app",
];

/// The bound of a growing store. `None`: it does not grow, except for things that come and go.
fn most(name: &str, tally: &Tally) -> Option<u64> {
    let uploads = tally.answered("upload: init", 200) + LINES.len() as u64;
    let reports = tally.calls.get(REPORT).map_or(0, super::tally::Calls::count);
    // Also those that last for more than one day.
    let days = 2;
    match name {
        "audit_log" => Some(changes(tally) + COMES_AND_GOES),
        "telemetry" => Some(days * DEVICES * LINES.len() as u64),
        "report_groups" => Some(REASONS),
        // Until their windows end: an hour, and 10 minutes until they are removed.
        "rate" => Some(COUNTERS * reports + COMES_AND_GOES),
        "sightings" => Some(WAITING),
        // A record of each kind for each application; scopes also of the channel that releases are promoted from.
        "scope" => Some(2 * LINES.len() as u64),
        "feed" | "latest" => Some(LINES.len() as u64),
        // For 30 days, so that a repeated completion can be answered.
        "upload_sessions" => Some(uploads),
        // Static answers are kept for versions that are gone.
        "scope_versions" => Some(uploads + tally.answered("promote", 201)),
        _ => None,
    }
}

/// The entries of the audit log: one for each change, and one by the clock for each release that was published at a time.
fn changes(tally: &Tally) -> u64 {
    CHANGES.iter().map(|kind| tally.calls.get(kind).map_or(0, super::tally::Calls::count)).sum()
}

fn rows(world: &World) -> BTreeMap<String, u64> {
    let database = world.database();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
                  AND name NOT LIKE 'libsql_%'";
    let tables: Vec<String> = database.query_rows(tables, [], |row| row.get(0)).unwrap();
    let count = |table: String| {
        let sql = format!("SELECT count(*) FROM {table}");
        let count: i64 = database.query_row(&sql, [], |row| row.get(0)).unwrap();
        (table, count.unsigned_abs())
    };
    tables.into_iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stock(memory: impl Into<Option<u64>>, keys: u64, rows: u64) -> Stock {
        let named = |name: &str, count| BTreeMap::from([(name.to_owned(), count)]);
        Stock { memory: vec![memory.into()], keys: named("logged", keys), rows: named("releases", rows) }
    }

    #[test]
    fn growth_is_noticed() {
        let before = stock(100 * 1024, 10, 10);
        let tally = Tally::default();
        assert_eq!(stock(140 * 1024, 10 + COMES_AND_GOES, 10).too_much(&before, &tally), [""; 0]);
        for (after, expected) in [
            (stock(140 * 1024 + 1, 10, 10), "host 0 has 143361 KiB of memory, and 143360 are allowed"),
            (stock(None, 10, 10), "host 0 is gone"),
            (stock(0, 11 + COMES_AND_GOES, 10), "179 keys of logged, and 178 are allowed"),
            (stock(0, 10, 11 + COMES_AND_GOES), "179 rows of releases, and 178 are allowed"),
        ] {
            assert_eq!(after.too_much(&before, &tally), [expected]);
        }
    }

    #[test]
    fn growing_stores_have_their_own_bounds() {
        let after = Stock { rows: BTreeMap::from([("report_groups".into(), REASONS + 1)]), ..stock(0, 0, 0) };
        assert_eq!(after.too_much(&stock(0, 0, 0), &Tally::default()).len(), 1);
    }
}
