//! The counts of the service, compared with the requests sent.

use std::collections::BTreeMap;
use std::time::Duration;

use spindrift_tests::World;

use super::reporter::REPORT;
use super::tally::Tally;

/// How long devices may take to be counted after the last answer: a locked database is tried for half a minute.
const COUNTED_WITHIN: Duration = Duration::from_secs(40);

/// Devices and their requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) devices: u64,
    pub(super) requests: u64,
}

/// The requests sent, by application.
pub(super) fn sent(tally: &Tally) -> BTreeMap<String, Count> {
    let mut sent = BTreeMap::<String, Count>::new();
    for ((app, _), requests) in &tally.sightings {
        let count = sent.entry((*app).to_owned()).or_default();
        count.devices += 1;
        count.requests += requests;
    }
    sent
}

/// The counts of the service. Waits until they equal those of the sent requests, as long as that may take.
pub(super) fn counted(
    world: &World,
    sent: &BTreeMap<String, Count>,
    mut look: impl FnMut(),
) -> BTreeMap<String, Count> {
    let start = std::time::Instant::now();
    loop {
        // Reading the figures counts the devices that wait.
        look();
        let counted = read(world);
        if counted == *sent || start.elapsed() > COUNTED_WITHIN {
            return counted;
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

fn read(world: &World) -> BTreeMap<String, Count> {
    let sql = "SELECT a.name, count(DISTINCT t.device), sum(t.requests) \
               FROM telemetry t JOIN apps a ON a.id = t.app_id GROUP BY a.name";
    let rows = world.database().query_rows(sql, [], |row| {
        let number = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
        Ok((row.get(0)?, Count { devices: number(1)?, requests: number(2)? }))
    });
    rows.unwrap().into_iter().collect()
}

/// The problem of the groups of reports: each report that was accepted is in one.
pub(super) fn wrong_reports(world: &World, tally: &Tally) -> Option<String> {
    let accepted = tally.answered(REPORT, 202);
    let counted = world.number("SELECT coalesce(sum(event_count), 0) FROM report_groups");
    (counted != Ok(accepted.cast_signed()))
        .then(|| format!("{accepted} reports were accepted, and {counted:?} are counted"))
}
