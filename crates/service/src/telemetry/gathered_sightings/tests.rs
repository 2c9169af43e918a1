use std::cell::RefCell;
use std::pin::pin;
use std::time::Duration;

use futures::FutureExt as _;
use futures::executor::block_on;
use spindrift_core::{Day, DownloadWay, Id, Scope};
use spindrift_db::downloads::DownloadEvent;
use spindrift_db::{SqlError, SqlRows, SqlValue};
use spindrift_native::NativePlatform;
use spindrift_web::{Clock as _, KeyValue as _};

use super::super::sighting::DeviceSighting;
use super::*;

fn platform(dir: &tempfile::TempDir) -> NativePlatform {
    let platform = NativePlatform::new(dir.path());
    platform.set_variable("device_hash_key", "a key of the tests");
    platform.set_variable("telemetry_gathered", "true");
    platform.with_time(Timestamp::from_millis(1_700_000_000_000))
}

fn seen(device: &str) -> DeviceSighting {
    DeviceSighting {
        app_id: Id::from_text("app"),
        scope: Scope {
            owner: "acme".parse().unwrap(),
            app: "notes".parse().unwrap(),
            channel: None,
            platform: None,
            arch: None,
        },
        version: "1.0.0".parse().unwrap(),
        device: device.parse().unwrap(),
        is_latest: true,
    }
}

fn device(ports: &NativePlatform, name: &str) -> [Countable; 1] {
    [Countable::Device(seen(name), Day::of(ports.now()))]
}

/// Leaves a device waiting until somebody else counts it: the request that should count it ends while it
/// gathers.
fn keep_one(ports: &NativePlatform, name: &str) {
    let kept = keep(ports, &device(ports, name)).now_or_never();
    assert!(kept.is_none_or(|kept| kept.unwrap()));
}

fn numbers(conn: &impl SqlConn) -> (i64, i64) {
    let rows = conn.run("SELECT count(*), coalesce(sum(requests), 0) FROM telemetry", &[]).unwrap();
    match rows.values[0][..] {
        [SqlValue::Integer(devices), SqlValue::Integer(requests)] => (devices, requests),
        ref other => panic!("{other:?}"),
    }
}

/// Devices and requests that are counted, after a reader has counted the ones that wait.
fn counted(ports: &NativePlatform) -> (i64, i64) {
    let conn = spindrift_db::open(ports, ports.now()).unwrap();
    count(ports, &conn);
    numbers(&conn)
}

#[test]
fn each_is_counted_once() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    for n in 0..ROUND + 10 {
        keep_one(&ports, &format!("device-{}", n % 100));
    }
    let conn = spindrift_db::open(&ports, ports.now()).unwrap();
    assert_eq!(numbers(&conn), (100, ROUND), "by the request with that number");
    assert_eq!(counted(&ports), (100, ROUND + 10));
    assert_eq!(counted(&ports), (100, ROUND + 10));
    assert!((1..=ROUND + 10).all(|number| ports.get(&key(number)) == Ok(None)), "nothing is left");
}

#[test]
fn the_request_that_finds_nothing_else_waiting_counts() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    let conn = spindrift_db::open(&ports, ports.now()).unwrap();
    let keep = async |name| assert!(keep(&ports, &device(&ports, name)).await.unwrap());
    let mut first = pin!(keep("a"));
    assert!(first.as_mut().now_or_never().is_none(), "it gathers");
    assert!(keep("b").now_or_never().is_some(), "it is left to the first");
    assert_eq!(numbers(&conn), (0, 0));
    block_on(first);
    assert_eq!(numbers(&conn), (2, 2));

    let mut second = pin!(keep("c"));
    assert!(second.as_mut().now_or_never().is_none());
    assert_eq!(counted(&ports), (3, 3), "by others");
    block_on(keep("d"));
    assert_eq!(numbers(&conn), (4, 4));
    block_on(second);
    assert_eq!(numbers(&conn), (4, 4));
}

#[test]
fn counting_goes_on_until_nothing_waits() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    let conn = spindrift_db::open(&ports, ports.now()).unwrap();
    let first = device(&ports, "first");
    let mut first = pin!(keep(&ports, &first));
    assert!(first.as_mut().now_or_never().is_none());
    let missing = ports.increment(NEXT, 1).unwrap();
    for n in 0..5 {
        assert!(first.as_mut().now_or_never().is_none(), "a request is still at it");
        keep_one(&ports, &n.to_string());
    }
    assert_eq!(numbers(&conn), (1, 1));
    ports.set(&key(missing), b"not an entry").unwrap();
    ports.advance(Duration::from_secs(11));
    assert!(block_on(first).unwrap());
    assert_eq!(numbers(&conn), (6, 6));
}

#[test]
fn counting_that_fails_is_tried_again_for_half_a_minute() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    let seen = device(&ports, "a");
    ports.fail_sql(true);
    let mut failing = pin!(keep(&ports, &seen));
    for _ in 0..=RETRY_SECONDS {
        assert!(failing.as_mut().now_or_never().is_none());
        ports.advance(Duration::from_secs(1));
    }
    assert!(failing.now_or_never().unwrap().unwrap(), "it gives up, and the device waits");
    ports.fail_sql(false);
    assert_eq!(counted(&ports), (1, 1));
}

#[test]
fn nobody_waits_forever_for_a_request_that_has_ended() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    let first = device(&ports, "a");
    let mut first = pin!(keep(&ports, &first));
    assert!(first.as_mut().now_or_never().is_none());
    ports.increment(NEXT, 1).unwrap();
    for _ in 0..=RETRY_SECONDS {
        assert!(first.as_mut().now_or_never().is_none());
        ports.advance(Duration::from_secs(1));
    }
    let mut ends = || {
        ports.advance(Duration::from_secs(1));
        first.as_mut().now_or_never().is_some()
    };
    assert!((0..3).any(|_| ends()), "it gives up");
    keep_one(&ports, "b");
    ports.advance(Duration::from_secs(11));
    assert_eq!(counted(&ports), (2, 2), "by others");
    block_on(keep(&ports, &device(&ports, "c"))).unwrap();
    let conn = spindrift_db::open(&ports, ports.now()).unwrap();
    assert_eq!(numbers(&conn), (3, 3), "by itself again");
}

#[test]
fn waiting_sightings_are_limited_by_memory() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    block_on(keep(&ports, &device(&ports, "a"))).unwrap();
    ports.increment(NEXT, MAX_WAITING - 1).unwrap();
    keep_one(&ports, "b");
    keep_one(&ports, "c");
    let kept = |number| ports.get(&key(number)).unwrap().is_some();
    assert!(kept(1 + MAX_WAITING) && !kept(2 + MAX_WAITING));
    let conn = spindrift_db::open(&ports, ports.now()).unwrap();
    while numbers(&conn) != (2, 2) {
        ports.advance(Duration::from_secs(11));
        count(&ports, &conn);
    }
    keep_one(&ports, "d");
    ports.advance(Duration::from_secs(11));
    assert_eq!(counted(&ports), (3, 3), "they are kept again");
}

#[test]
fn sightings_counted_elsewhere_are_not_counted_again() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    keep_one(&ports, "a");
    let conn = spindrift_db::open(&ports, ports.now()).unwrap();
    let (log, folded) = position(&ports, &conn).unwrap();
    let batch = read(&ports, folded, 1).unwrap();
    assert_eq!(counted(&ports), (1, 1));
    assert_eq!(gathered_sightings::fold(&conn, &log, folded, batch.to, batch.rows.clone()), Ok(false));
    assert_eq!(counted(&ports), (1, 1));
}

/// A connection that runs an action just before it reports how far the log is counted.
struct Meanwhile<'a, C> {
    conn: &'a C,
    once: RefCell<Option<Box<dyn FnOnce() + 'a>>>,
}

impl<C: SqlConn> SqlConn for Meanwhile<'_, C> {
    fn run(&self, sql: &str, params: &[SqlValue]) -> Result<SqlRows, SqlError> {
        if sql.starts_with("SELECT folded")
            && let Some(work) = self.once.take()
        {
            work();
        }
        self.conn.run(sql, params)
    }
}

#[test]
fn a_log_that_others_count_meanwhile_is_not_one_that_was_set_back() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    keep_one(&ports, "a");
    assert_eq!(counted(&ports), (1, 1));
    let log = ports.get(LOG);
    let conn = spindrift_db::open(&ports, ports.now()).unwrap();
    let others = || {
        keep_one(&ports, "b");
        assert_eq!(counted(&ports), (2, 2));
    };
    let meanwhile = Meanwhile { conn: &conn, once: RefCell::new(Some(Box::new(others))) };

    count(&ports, &meanwhile);

    assert_eq!(ports.get(LOG), log);
    assert_eq!(counted(&ports), (2, 2));
}

#[test]
fn ungathered_devices_do_not_touch_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    keep_one(&ports, "a");
    ports.set_variable("telemetry_gathered", "false");
    let conn = spindrift_db::open(&ports, ports.now()).unwrap();
    ports.fail_key_value(true);
    count(&ports, &conn);
    ports.fail_key_value(false);
    assert_eq!(counted(&ports), (0, 0));
    ports.set_variable("telemetry_gathered", "true");
    assert_eq!(counted(&ports), (1, 1), "it has waited");
}

#[test]
fn a_number_without_a_sighting_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    keep_one(&ports, "a");
    let missing = ports.increment(NEXT, 1).unwrap();
    keep_one(&ports, "b");
    assert_eq!(counted(&ports), (1, 1), "its request may still be at it");

    let late =
        entry(ports.now(), &serde_json::from_str("[1, \"app\", 7, \"1\", \"\", \"\", \"\", true]").unwrap());
    ports.set(&key(missing), late.as_bytes()).unwrap();
    assert_eq!(counted(&ports), (3, 3));

    ports.increment(NEXT, 1).unwrap();
    ports.set(&key(ports.increment(NEXT, 1).unwrap()), b"not an entry").unwrap();
    keep_one(&ports, "c");
    ports.advance(Duration::from_secs(11));
    assert_eq!(counted(&ports), (4, 4), "it has ended in between");
}

#[test]
fn a_store_that_is_emptied_begins_again() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    for device in ["a", "b", "c"] {
        keep_one(&ports, device);
    }
    assert_eq!(counted(&ports), (3, 3));
    for emptied in [false, true] {
        ports.increment(NEXT, -ports.increment(NEXT, 0).unwrap()).unwrap();
        if emptied {
            ports.delete(LOG).unwrap();
        }
        keep_one(&ports, "d");
        assert_eq!(counted(&ports).1, if emptied { 5 } else { 4 });
    }
}

#[test]
fn a_database_that_is_set_back_counts_on() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    keep_one(&ports, "a");
    assert_eq!(counted(&ports), (1, 1));
    ports.increment(NEXT, 3 * BATCH).unwrap();
    keep_one(&ports, "b");
    ports.advance(Duration::from_secs(11));
    assert_eq!(counted(&ports), (2, 2));
}

#[test]
fn a_key_in_the_database_is_not_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let ports = NativePlatform::new(dir.path()).with_variable("telemetry_gathered", "true");
    let kept = keep(&ports, &device(&ports, "a")).now_or_never();
    assert!(!kept.unwrap().unwrap());
    assert_eq!(ports.get(NEXT), Ok(None));
}

#[test]
fn downloads_wait_with_their_devices() {
    let dir = tempfile::tempdir().unwrap();
    let ports = platform(&dir);
    let of_request = |name| {
        let [device] = device(&ports, name);
        let (day, version) = (Day::of(ports.now()), "2.0.0".parse().unwrap());
        let download = DownloadEvent { app_id: Id::from_text("app"), day, version, way: DownloadWay::Patch };
        [device, Countable::Download(download)]
    };
    for name in ["a", "b"] {
        let kept = keep(&ports, &of_request(name)).now_or_never();
        assert!(kept.is_none_or(|kept| kept.unwrap()));
    }
    let conn = spindrift_db::open(&ports, ports.now()).unwrap();
    assert_eq!(numbers(&conn), (0, 0));
    for _ in 0..2 {
        assert_eq!(counted(&ports), (2, 2));
        let rows = conn.run("SELECT version, way, downloads FROM telemetry_downloads", &[]).unwrap();
        let texts = ["2.0.0", "patch"].map(|text| SqlValue::Text(text.to_owned()));
        assert_eq!(rows.values, [[&texts[..], &[SqlValue::Integer(2)]].concat()]);
    }
}
