//! An instance that answers many requests: it remembers answers and records for half a second each, and
//! gathers devices.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

use std::time::Duration;

use futures::FutureExt as _;
use futures::executor::block_on;
use http::header::{ETAG, IF_NONE_MATCH};
use spindrift_core::Timestamp;
use spindrift_db::{SqlConn as _, SqlValue};
use spindrift_native::NativePlatform;
use spindrift_web::{Clock as _, DeferredWork, KeyValue as _, Request, Response, ResponseBody};

/// 2026-11-21T01:43:42Z.
const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);
const CHECK: &str = "/checkVersion?app_name=notes&version=1.0&owner=ada";

/// An owner without channels, platforms and architectures.
const WORLD: [&str; 2] = [
    "INSERT INTO users (id, username, password_hash, created_at, updated_at) VALUES ('u', 'ada', '', 0, 0)",
    "INSERT INTO apps (id, owner_id, name, created_at, updated_at) VALUES ('a', 'u', 'notes', 0, 0)",
];

fn platform(dir: &tempfile::TempDir) -> NativePlatform {
    let platform = NativePlatform::new(dir.path())
        .with_time(NOW)
        .with_variable("s3_public_url", "http://storage.example/pub")
        .as_instance();
    for statement in WORLD {
        run(&platform, statement);
    }
    publish(&platform, "2.0");
    // Makes the record, which the next request reads.
    ask(&platform, &CHECK.replace("1.0", "0.1"), &[]);
    platform
}

fn run(platform: &NativePlatform, sql: &str) {
    spindrift_db::open(platform, platform.now()).unwrap().run(sql, &[]).unwrap();
}

/// Publishes a release as another instance does: the record in the store is gone, and this instance is not
/// told.
fn publish(platform: &NativePlatform, version: &str) {
    let another = platform.clone().as_instance();
    run(
        &another,
        &format!(
            "INSERT INTO releases (id, owner_id, app_id, version, version_key, published, rollout_bp, rollout_seed, created_at, updated_at) \
             VALUES ('r{version}', 'u', 'a', '{version}', '{version}', 1, 10000, 's', 0, 0)"
        ),
    );
    run(
        &another,
        &format!(
            "INSERT INTO artifacts (id, release_id, app_id, package, slot, updater, file_name, bucket, storage_key, size, md5, created_at) \
             VALUES ('x{version}', 'r{version}', 'a', 'deb', 'deb', 'manual', 'n.deb', 'public', '{version}.deb', 1, '', 0)"
        ),
    );
    run(&another, "UPDATE users SET revision = revision + 1");
    forget_records(&another);
}

/// Deletes the records of scopes from the store.
fn forget_records(platform: &NativePlatform) {
    for key in platform.stored_keys().iter().filter(|key| key.starts_with("scope.")) {
        platform.delete(key).unwrap();
    }
}

fn ask(platform: &NativePlatform, uri: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = http::Request::builder().uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (parts, ()) = request.body(()).unwrap().into_parts();
    let request = Request::new(parts, Box::pin(futures::stream::empty()));
    block_on(component_check::handle(platform.clone(), request)).response
}

/// Sends a check with a device, and begins the work after its answer. Returns the number of devices counted
/// by then, and the rest of the work.
fn count(platform: &NativePlatform, device: &str) -> (i64, Option<DeferredWork>) {
    let request = http::Request::builder().uri(CHECK).header("x-device-id", device);
    let (parts, ()) = request.body(()).unwrap().into_parts();
    let request = Request::new(parts, Box::pin(futures::stream::empty()));
    let mut after = block_on(component_check::handle(platform.clone(), request)).after.unwrap();
    let is_done = after.as_mut().now_or_never().is_some();
    (counted(platform), (!is_done).then_some(after))
}

fn counted(platform: &NativePlatform) -> i64 {
    let conn = spindrift_db::open(platform, platform.now()).unwrap();
    match conn.run("SELECT count(*) FROM telemetry", &[]).unwrap().values[0][..] {
        [SqlValue::Integer(devices)] => devices,
        ref other => panic!("{other:?}"),
    }
}

/// The version in an answer.
fn offered(response: &Response) -> String {
    let ResponseBody::Full(body) = response.body() else { panic!("a body") };
    let body = String::from_utf8(body.to_vec()).unwrap();
    body.split("\"version\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

#[test]
fn an_answer_is_remembered_for_everybody_and_not_for_long() {
    let dir = tempfile::tempdir().unwrap();
    let platform = platform(&dir);
    let first = ask(&platform, CHECK, &[]);
    let tag = first.headers()[ETAG].to_str().unwrap().to_owned();
    publish(&platform, "3.0");
    assert_eq!(offered(&ask(&platform, CHECK, &[])), "2.0", "remembered");
    let again = ask(&platform, CHECK, &[(IF_NONE_MATCH.as_str(), &tag)]);
    assert_eq!((again.status().as_u16(), again.headers()[ETAG].to_str().unwrap()), (304, tag.as_str()));
    assert_ne!(first.headers()["x-request-id"], again.headers()["x-request-id"]);
    // Another question, of the same record.
    assert_eq!(offered(&ask(&platform, &CHECK.replace("1.0", "1.1"), &[])), "2.0");
    platform.advance(Duration::from_millis(499));
    assert_eq!(offered(&ask(&platform, CHECK, &[])), "2.0");
    platform.advance(Duration::from_millis(1));
    assert_eq!(offered(&ask(&platform, CHECK, &[])), "3.0");
}

/// An answer made of a remembered record is remembered itself: together at most a second.
#[test]
fn an_answer_is_a_second_old_at_most() {
    let dir = tempfile::tempdir().unwrap();
    let platform = platform(&dir);
    assert_eq!(offered(&ask(&platform, CHECK, &[])), "2.0");
    publish(&platform, "3.0");
    platform.advance(Duration::from_millis(499));
    let late = CHECK.replace("1.0", "1.2");
    assert_eq!(offered(&ask(&platform, &late, &[])), "2.0");
    platform.advance(Duration::from_millis(499));
    assert_eq!(offered(&ask(&platform, &late, &[])), "2.0");
    platform.advance(Duration::from_millis(1));
    assert_eq!(offered(&ask(&platform, &late, &[])), "3.0");
}

/// With a device, each request is decided, and each device is counted.
#[test]
fn a_request_with_a_device_is_never_answered_from_memory() {
    let dir = tempfile::tempdir().unwrap();
    let platform = platform(&dir);
    ask(&platform, CHECK, &[]);
    run(&platform, "UPDATE releases SET rollout_bp = 0");
    forget_records(&platform);
    assert_eq!(offered(&ask(&platform, CHECK, &[])), "2.0");
    let decided = ask(&platform, CHECK, &[("x-device-id", "d")]);
    let ResponseBody::Full(body) = decided.body() else { panic!("a body") };
    assert!(String::from_utf8_lossy(body).contains("\"update_available\":false"), "{body:?}");
    assert_eq!(decided.headers()["cache-control"], "private, no-store");
}

/// A host may give each request an instance of its own, and all of them would wait for nothing.
#[test]
fn an_instance_gathers_devices_from_its_second_request_on() {
    let dir = tempfile::tempdir().unwrap();
    let platform = platform(&dir);
    let (devices, left) = count(&platform.clone().first(), "a");
    assert_eq!(devices, 1, "the first request counts at once");
    assert!(left.is_none());

    let (devices, left) = count(&platform, "b");
    assert_eq!(devices, 1, "the second one waits for others");
    block_on(left.unwrap());
    assert_eq!(counted(&platform), 2);
}

/// An answer that no shared cache may keep is made again. That a name does not exist is known for five
/// seconds.
#[test]
fn an_error_is_not_remembered() {
    let dir = tempfile::tempdir().unwrap();
    let platform = platform(&dir);
    let other = CHECK.replace("notes", "todo");
    assert_eq!(ask(&platform, &other, &[]).status(), 404);
    platform.advance(std::time::Duration::from_secs(6));
    run(
        &platform,
        "INSERT INTO apps (id, owner_id, name, created_at, updated_at) VALUES ('b', 'u', 'todo', 0, 0)",
    );
    assert_eq!(ask(&platform, &other, &[]).status(), 200);
}

#[test]
fn a_check_that_renews_the_record_is_noted() {
    let dir = tempfile::tempdir().unwrap();
    let platform = platform(&dir);
    assert!(platform.get("asked.a").unwrap().is_some(), "there was no record");
    platform.delete("asked.a").unwrap();

    ask(&platform, CHECK, &[]);
    assert_eq!(platform.get("asked.a"), Ok(None), "a fresh record costs one read");

    forget_records(&platform);
    platform.advance(Duration::from_secs(1));
    ask(&platform, CHECK, &[]);
    assert!(platform.get("asked.a").unwrap().is_some());
}
