//! Failure reports: the body, and the compressed details in it.

use std::cell::RefCell;
use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use flate2::bufread::GzDecoder;
use futures::executor::block_on;
use serde_json::{Value, json};
use spindrift_api::{DETAILS_CONTENT_TYPE, DETAILS_ENCODING};
use spindrift_core::{Id, Timestamp};
use spindrift_db::{Audit, SqlConn as _};
use spindrift_native::NativePlatform;
use spindrift_service::changes::edit;
use spindrift_service::{ServiceError, report_keys};
use spindrift_settings::{REPORTS_MAX_DETAILS_COMPRESSED_BYTES, REPORTS_MAX_DETAILS_DECOMPRESSED_BYTES};
use spindrift_web::Request;

use crate::world::{NOW, slowly};

/// A file system in memory. Reports are written to the database, and waiting for a disk would take most of the time.
const MEMORY: &str = "/dev/shm";
/// Seconds between two reports: the limits on reports end in the meantime.
const PAUSE_SECONDS: i64 = 3600;

/// The bytes are a body, and they are details: each is accepted or refused. Details are accepted exactly if another
/// reader can read them too, and they are within the limits.
pub fn reports(data: &[u8]) -> bool {
    WORLD.with_borrow_mut(|world| {
        let as_body = world.send(data.to_vec());
        assert!(matches!(as_body, 202 | 400 | 403 | 413), "{as_body}");
        let status = world.send(report(data));
        match object(data) {
            Some(()) => assert_eq!(status, 202, "details that others can read"),
            None => assert!(matches!(status, 400 | 413), "{status} for details that nobody can read"),
        }
        as_body == 202 || status == 202
    })
}

/// A report with these bytes as details.
fn report(details: &[u8]) -> Vec<u8> {
    let body = json!({
        "application": { "name": "notes", "version": "1.2.3", "channel": "stable" },
        "system": { "platform": "linux", "arch": "amd64" },
        "event": { "type": "crash", "reason": "panic" },
        "details": { "encoding": DETAILS_ENCODING, "content_type": DETAILS_CONTENT_TYPE, "payload": STANDARD.encode(details) },
    });
    body.to_string().into_bytes()
}

/// Whether the bytes are exactly one compressed JSON object, within the limits.
fn object(details: &[u8]) -> Option<()> {
    let limit = |text: &str| text.parse::<usize>().ok();
    let most = limit(REPORTS_MAX_DETAILS_COMPRESSED_BYTES.row.default)?;
    let most_unpacked = limit(REPORTS_MAX_DETAILS_DECOMPRESSED_BYTES.row.default)?;
    let mut decoder = GzDecoder::new(details);
    let mut unpacked = Vec::new();
    (&mut decoder).take(most_unpacked as u64 + 1).read_to_end(&mut unpacked).ok()?;
    // The end is read, and with it the check sum.
    decoder.read(&mut [0]).ok().filter(|more| *more == 0)?;
    let is_one = decoder.get_ref().is_empty() && details.len() <= most && unpacked.len() <= most_unpacked;
    let is_object = serde_json::from_slice::<Value>(&unpacked).is_ok_and(|value| value.is_object());
    (is_one && is_object).then_some(())
}

thread_local! {
    static WORLD: RefCell<World> = RefCell::new(World::new());
}

/// The component with an application that accepts reports, and a storage that does not answer.
struct World {
    platform: NativePlatform,
    key: String,
    now: Timestamp,
    _dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let memory = Path::new(MEMORY);
        let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let dir = tempfile::tempdir_in(place).expect("a folder");
        let platform = NativePlatform::new(dir.path())
            .with_time(NOW)
            .with_variable("device_hash_key", "key of devices")
            .with_variable("s3_api_endpoint", "https://s3.example")
            .with_variable("s3_public_url", "https://cdn.example")
            .with_variable("s3_bucket", "pub")
            .with_variable("s3_bucket_private", "priv")
            .with_variable("s3_bucket_cdn", "cdn");
        platform.fail_http(true);
        let conn = spindrift_db::open(&platform, NOW).expect("a database");
        let run = |sql: &str| conn.run(sql, &[]).expect("a statement");
        run(
            "INSERT INTO users (id, username, password_hash, created_at, updated_at) VALUES ('ada', 'ada', '', 0, 0)",
        );
        run(
            "INSERT INTO apps (id, owner_id, name, reports, created_at, updated_at) VALUES ('app', 'ada', 'notes', 1, 0, 0)",
        );
        edit(&platform, &conn, &Id::from_text("ada"), |conn| {
            report_keys::ensure(&platform, conn, &Id::from_text("app"))?;
            Ok::<_, ServiceError>(((), Audit::Consequence))
        })
        .expect("a key");
        let keys = spindrift_db::report_keys::of_owner(&conn, &Id::from_text("ada")).expect("keys");
        let key = keys.first().map(|key| key.value.clone()).expect("a key");
        Self { platform, key, now: NOW, _dir: dir }
    }

    fn send(&mut self, body: Vec<u8>) -> u16 {
        self.now = self.now.plus_seconds(PAUSE_SECONDS);
        self.platform.set_time(self.now);
        let request = http::Request::post("/reports/ingest")
            .header("authorization", format!("Bearer {}", self.key))
            .header("x-device-id", "device")
            .header("content-type", "application/json")
            .body(());
        let request =
            Request::new(request.expect("a request").into_parts().0, slowly(vec![Bytes::from(body)]));
        let reply = block_on(component_reports::handle(self.platform.clone(), request));
        reply.response.status().as_u16()
    }
}
