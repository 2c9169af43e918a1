//! The clients of faynoSync, which speak the same interface, replayed: each request goes out as they send it, with their
//! headers, in their order, in their letter case. The assertions cover the parts of the answer that they read.

mod cli;
mod collection;
mod dashboard;
mod dashboard_people;
mod dashboard_reports;
mod sdk;

use serde_json::{Value, json};
use spindrift_tests::{API_KEY, Call, Client, PASSWORD, World};

/// A form as a client writes it: the parts in its order, between boundaries of its own.
struct Form {
    boundary: &'static str,
    body: Vec<u8>,
}

impl Form {
    const fn new(boundary: &'static str) -> Self {
        Self { boundary, body: Vec::new() }
    }

    fn field(self, name: &str, value: &str) -> Self {
        self.part(&format!("name=\"{name}\""), "", value.as_bytes())
    }

    fn file(self, name: &str, content_type: &str, bytes: &[u8]) -> Self {
        let header = format!("Content-Type: {content_type}\r\n");
        self.part(&format!("name=\"file\"; filename=\"{name}\""), &header, bytes)
    }

    fn part(mut self, disposition: &str, header: &str, bytes: &[u8]) -> Self {
        let boundary = self.boundary;
        let head = format!("--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n{header}\r\n");
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(bytes);
        self.body.extend_from_slice(b"\r\n");
        self
    }

    fn content_type(&self) -> String {
        format!("multipart/form-data; boundary={}", self.boundary)
    }

    fn bytes(self) -> Vec<u8> {
        let mut body = self.body;
        body.extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        body
    }

    fn on(self, call: Call<'_>) -> Call<'_> {
        let content_type = self.content_type();
        call.header("Content-Type", &content_type).body(&self.bytes())
    }
}

/// An admin who signed up and logged in with the bodies that all of these clients send.
fn admin(world: &World, name: &str) -> Client {
    let body = json!({ "username": name, "password": PASSWORD, "api_key": API_KEY });
    let answer = world.client().post_json("/signup", body).ok();
    assert_eq!(answer["result"], "Successfully created admin user.");
    let answer = world.client().post_json("/login", json!({ "username": name, "password": PASSWORD })).ok();
    world.client().with_token(text(&answer["token"]))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a text: {value}"))
}

fn items<'a>(answer: &'a Value, key: &str) -> &'a [Value] {
    answer[key].as_array().unwrap_or_else(|| panic!("a list of {key}: {answer}"))
}

/// The file at a signed address, fetched as a browser opens it: without any header of ours.
fn fetch(url: &str) -> String {
    Client::new("").get(url).send().expect(200).text()
}

/// The application `myapp` on `nightly`, `linux`, `amd64`; answers the application's identifier.
fn with_myapp(admin: &Client) -> String {
    let form = Form::new("----form").field("data", r#"{"app":"myapp","description":"d","reports":"true"}"#);
    let app = form.on(admin.post("/app/create")).ok();
    admin.post_json("/channel/create", json!({ "channel": "nightly" })).ok();
    let updaters = json!([{ "type": "manual", "default": true }, { "type": "squirrel_windows" }, { "type": "velopack" }]);
    admin.post_json("/platform/create", json!({ "platform": "linux", "updaters": updaters })).ok();
    admin.post_json("/arch/create", json!({ "arch": "amd64" })).ok();
    text(&app["createAppResult.Created"]).to_owned()
}

/// The metadata of an upload to it, as a text.
fn myapp(version: &str, publish: bool) -> String {
    json!({
        "app_name": "myapp", "version": version, "channel": "nightly", "publish": publish, "critical": false,
        "intermediate": false, "platform": "linux", "arch": "amd64", "changelog": "- Faster\n- Smaller",
    })
    .to_string()
}

const CHECK: &str = "app_name=myapp&version=0.0.0.1&channel=nightly&platform=linux&arch=amd64&owner=admin";
