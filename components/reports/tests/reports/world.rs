//! The world of one test: an owner with an application that accepts reports, and a storage that accepts
//! everything.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures::executor::block_on;
use serde_json::{Value, json};
use spindrift_auth::JwtKey;
use spindrift_core::{Id, Timestamp};
use spindrift_db::{Audit, SqlConn as _, SqlValue};
use spindrift_native::{NativeConn, NativePlatform};
use spindrift_service::changes::edit;
use spindrift_service::{Ports as _, ServiceError, report_keys};
use spindrift_web::{Clock as _, Request, ResponseBody};

const SECRET: &str = "a secret of at least thirty-two bytes";
/// 2026-11-21T01:43:00Z, the first second of a minute.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_795_225_380_000);

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) retry_after: Option<String>,
}

impl Answer {
    pub(crate) fn error(&self) -> (u16, &str) {
        (self.status, self.body["error"].as_str().unwrap_or_default())
    }
}

pub(crate) struct World {
    pub(crate) platform: NativePlatform,
    pub(crate) key: String,
    pub(crate) app: Id,
    /// Methods and paths of all requests to the storage.
    pub(crate) storage: Arc<Mutex<Vec<String>>>,
    owner: Id,
    _dir: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (address, storage) = serve_storage();
        let platform = NativePlatform::new(dir.path())
            .with_time(NOW)
            .with_variable("jwt_secret", SECRET)
            .with_variable("device_hash_key", "key of devices")
            .with_variable("s3_api_endpoint", &format!("http://{address}"))
            .with_variable("s3_public_url", &format!("http://{address}/pub"))
            .with_variable("s3_access_key", "access")
            .with_variable("s3_secret_key", "secret")
            .with_variable("s3_bucket", "pub")
            .with_variable("s3_bucket_private", "priv")
            .with_variable("s3_bucket_cdn", "cdn");
        let (owner, app) = (platform.new_id(), platform.new_id());
        let mut world = Self { platform, key: String::new(), app, storage, owner, _dir: dir };
        world.sql(&format!(
            "INSERT INTO users (id, username, password_hash, created_at, updated_at) VALUES ('{}', 'ada', '', 0, 0)",
            world.owner
        ));
        world.add_app(&world.app, "notes");
        world.key = world.key_of(&world.app);
        world
    }

    pub(crate) fn conn(&self) -> NativeConn {
        spindrift_db::open(&self.platform, self.platform.now()).unwrap()
    }

    pub(crate) fn sql(&self, sql: &str) -> Vec<Vec<SqlValue>> {
        self.conn().run(sql, &[]).unwrap().values
    }

    pub(crate) fn add_app(&self, id: &Id, name: &str) {
        self.sql(&format!(
            "INSERT INTO apps (id, owner_id, name, reports, created_at, updated_at) VALUES ('{id}', '{}', '{name}', 1, 0, 0)",
            self.owner
        ));
        edit(&self.platform, &self.conn(), &self.owner, |conn| {
            report_keys::ensure(&self.platform, conn, id)?;
            Ok::<_, ServiceError>(((), Audit::Consequence))
        })
        .unwrap();
    }

    /// A team user with these permissions.
    pub(crate) fn add_member(&self, name: &str, permissions: &Value) {
        self.sql(&format!(
            "INSERT INTO users (id, username, owner_id, password_hash, permissions, created_at, updated_at) \
             VALUES ('{name}-id', '{name}', '{}', '', '{permissions}', 0, 0)",
            self.owner
        ));
    }

    pub(crate) fn key_of(&self, app: &Id) -> String {
        match self
            .sql(&format!("SELECT key_value FROM report_keys WHERE app_id = '{app}'"))
            .remove(0)
            .remove(0)
        {
            SqlValue::Text(key) => key,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn send(&self, method: &str, uri: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut builder = http::Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        let (parts, ()) = builder.body(()).unwrap().into_parts();
        let body = Bytes::copy_from_slice(body.as_bytes());
        let request = Request::new(parts, Box::pin(futures::stream::iter([Ok(body)])));
        let reply = block_on(component_reports::handle(self.platform.clone(), request));
        let retry_after = reply.response.headers().get("retry-after").map(|v| v.to_str().unwrap().to_owned());
        let status = reply.response.status().as_u16();
        let ResponseBody::Full(bytes) = reply.response.into_body() else { panic!("a full body") };
        Answer { status, body: serde_json::from_slice(&bytes).unwrap(), retry_after }
    }

    /// A report as the application sends it.
    pub(crate) fn report(&self, device: &str, body: &Value) -> Answer {
        self.report_from("192.0.2.1", device, body)
    }

    /// The same through a proxy that names this address.
    pub(crate) fn report_from(&self, address: &str, device: &str, body: &Value) -> Answer {
        let authorization = format!("Bearer {}", self.key);
        let headers = [
            ("authorization", authorization.as_str()),
            ("x-device-id", device),
            ("x-forwarded-for", address),
            ("content-type", "application/json; charset=utf-8"),
        ];
        self.send("POST", "/reports/ingest", &headers, &body.to_string())
    }

    /// A call by a person.
    pub(crate) fn call(&self, who: &str, method: &str, uri: &str, body: &Value) -> Answer {
        let id = if who == "ada" { self.owner.clone() } else { Id::from_text(format!("{who}-id")) };
        let token = JwtKey::new(SECRET)
            .unwrap()
            .issue(&id, &who.parse().unwrap(), 0, None, self.platform.now())
            .unwrap();
        let authorization = format!("Bearer {token}");
        let headers = [("authorization", authorization.as_str()), ("content-type", "application/json")];
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.send(method, uri, &headers, &body)
    }

    /// The only group.
    pub(crate) fn group(&self) -> Value {
        let groups = self.call("ada", "GET", "/reports/groups", &Value::Null).body;
        assert_eq!(groups["total"], 1, "{groups}");
        groups["items"][0].clone()
    }
}

pub(crate) fn body(reason: &str) -> Value {
    json!({
        "application": {"name": "notes", "version": "1.2.3", "channel": "stable"},
        "system": {"platform": "linux", "arch": "amd64"},
        "event": {"type": "crash", "reason": reason},
    })
}

pub(crate) fn with_details(reason: &str, content: &[u8]) -> Value {
    let mut body = body(reason);
    body["details"] = json!({
        "encoding": "gzip+base64",
        "content_type": "application/json",
        "payload": STANDARD.encode(gzip(content)),
    });
    body
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    packed.extend(miniz_oxide::deflate::compress_to_vec(bytes, 6));
    packed.extend(crc32fast::hash(bytes).to_le_bytes());
    packed.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
    packed
}

fn serve_storage() -> (std::net::SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            if let Some(line) = answer_ok(stream) {
                log.lock().unwrap().push(line);
            }
        }
    });
    (address, asked)
}

/// Reads a request and answers 200; returns its method and path.
fn answer_ok(mut stream: TcpStream) -> Option<String> {
    let (mut head, mut byte) = (String::new(), [0]);
    while !head.ends_with("\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(char::from(byte[0]));
    }
    let lower = head.to_ascii_lowercase();
    let length = lower.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).ok()?;
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").ok()?;
    let mut line = head.split(' ');
    Some(format!("{} {}", line.next()?, line.next()?.split('?').next()?))
}
