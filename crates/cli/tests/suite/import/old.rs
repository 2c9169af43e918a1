//! A faynoSync server that answers as documented, and its storage on another host.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use spindrift_tests::{appcast, electron_yml, sparkle_item, squirrel_line, tauri_signature, velopack_asset};

use super::wire_server::{WireAnswer, WireRequest, WireServer};

pub(super) const PASSWORD: &str = "a password of old";
/// The token that its calls need.
pub(super) const TOKEN: &str = "old.jwt.token";
/// The addresses of the server and its storage in the fixtures.
const URLS: [&str; 2] = ["http://old", "http://storage"];
/// A PNG file.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

/// Counts signatures. Each one is different, because it contains the time.
static SIGNED: AtomicUsize = AtomicUsize::new(0);

/// Answers in place of the usual ones, by path.
type Overrides = Arc<Mutex<BTreeMap<String, OverridingAnswer>>>;

enum OverridingAnswer {
    Always(WireAnswer),
    /// Answers in this order, where `None` is the usual one. After that, always the usual one.
    InTurn(VecDeque<Option<WireAnswer>>),
}

/// The server.
pub(super) struct OldServer {
    api: WireServer,
    storage: WireServer,
    api_overrides: Overrides,
    storage_overrides: Overrides,
}

/// How downloads of private files are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DownloadMode {
    /// With a redirect, for everyone.
    Open,
    /// With JSON, for users.
    WithLogin,
}

pub(super) fn fixture(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/faynosync").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The fixtures that the server returns, by path, and releases by application.
#[derive(Clone)]
pub(super) struct OldContent {
    pub(super) lists: BTreeMap<&'static str, Value>,
    pub(super) releases: BTreeMap<&'static str, Value>,
}

impl OldContent {
    pub(super) fn documented() -> Self {
        let lists = [
            ("/whoami", "whoami.json"),
            ("/app/list", "app-list.json"),
            ("/channel/list", "channel-list.json"),
            ("/platform/list", "platform-list.json"),
            ("/arch/list", "arch-list.json"),
            ("/report-keys/list", "report-keys-list.json"),
            ("/users/list", "users-list.json"),
            ("/token/list", "token-list.json"),
        ];
        let releases = [("notes", "releases-notes.json"), ("My Desk", "releases-my-desk.json")];
        Self {
            lists: lists.into_iter().map(|(path, name)| (path, fixture(name))).collect(),
            releases: releases.into_iter().map(|(app, name)| (app, fixture(name))).collect(),
        }
    }

    /// One application with these releases and nothing else.
    pub(super) fn of_notes(releases: Value) -> Self {
        let mut content = Self::documented();
        let notes = content.lists["/app/list"]["apps"][0].clone();
        content.lists.insert("/app/list", json!({ "apps": [notes] }));
        for (path, key) in
            [("/report-keys/list", "report_keys"), ("/users/list", "users"), ("/token/list", "tokens")]
        {
            content.lists.insert(path, json!({ key: null }));
        }
        content.releases = BTreeMap::from([("notes", releases)]);
        content
    }
}

/// A release of `notes` on `stable` with one file for Linux.
pub(super) fn release(id: usize, version: &str, link: &str) -> Value {
    json!({
        "ID": format!("653a544e4bd2c5f6{id:08x}"), "AppName": "notes", "Version": version, "Channel": "stable",
        "Published": true, "Critical": false, "Intermediate": false, "Updated_at": "2023-10-26T11:58:06Z",
        "Artifacts": [{ "link": link, "platform": "linux", "arch": "amd64", "package": ".deb" }], "Changelog": null,
    })
}

impl OldServer {
    pub(super) fn start(content: OldContent, downloads: DownloadMode) -> Self {
        let [api_overrides, storage_overrides] = [Overrides::default(), Overrides::default()];
        let of_storage = Arc::clone(&storage_overrides);
        let storage = WireServer::start(Box::new(move |asked| overridden(&of_storage, asked, stored)));
        let api = WireServer::start(Box::new(|_| WireAnswer::Endless));
        let urls = [api.url().to_owned(), storage.url().to_owned()];
        let of_api = Arc::clone(&api_overrides);
        api.answer(Box::new(move |asked| {
            overridden(&of_api, asked, |asked| answer(&content, downloads, &urls, asked))
        }));
        Self { api, storage, api_overrides, storage_overrides }
    }

    /// A documented server with open downloads.
    pub(super) fn documented() -> Self {
        Self::start(OldContent::documented(), DownloadMode::Open)
    }

    pub(super) fn url(&self) -> &str {
        self.api.url()
    }

    /// Sets the server's answer at a path. `None`: the usual one.
    pub(super) fn set_answer(&self, path: &str, said: Option<WireAnswer>) {
        put(&self.api_overrides, path, said);
    }

    /// Sets the next answers at a path. `None`: the usual one.
    pub(super) fn say_in_turn(&self, path: &str, said: impl IntoIterator<Item = Option<WireAnswer>>) {
        put_in_turn(&self.api_overrides, path, said);
    }

    /// Like [`Self::set_answer`], for its storage. Paths are compared decoded.
    pub(super) fn store(&self, path: &str, said: Option<WireAnswer>) {
        put(&self.storage_overrides, path, said);
    }

    /// Like [`Self::say_in_turn`], for its storage.
    pub(super) fn store_in_turn(&self, path: &str, said: impl IntoIterator<Item = Option<WireAnswer>>) {
        put_in_turn(&self.storage_overrides, path, said);
    }

    /// The requests so far for a path of its storage: the range of each, or `all`.
    pub(super) fn read(&self, path: &str) -> Vec<String> {
        let asked = self.stored_asked().into_iter().filter(|asked| decoded(asked) == path);
        asked.map(|asked| asked.range().unwrap_or("all").to_owned()).collect()
    }

    /// The requests to its storage so far.
    pub(super) fn stored_asked(&self) -> Vec<WireRequest> {
        self.storage.requests()
    }

    /// The requests to the server so far.
    pub(super) fn requests(&self) -> Vec<WireRequest> {
        self.api.requests()
    }
}

fn put(overrides: &Overrides, path: &str, said: Option<WireAnswer>) {
    let mut overrides = overrides.lock().unwrap();
    match said {
        Some(said) => overrides.insert(path.to_owned(), OverridingAnswer::Always(said)),
        None => overrides.remove(path),
    };
}

fn put_in_turn(overrides: &Overrides, path: &str, said: impl IntoIterator<Item = Option<WireAnswer>>) {
    overrides.lock().unwrap().insert(path.to_owned(), OverridingAnswer::InTurn(said.into_iter().collect()));
}

fn overridden(
    overrides: &Overrides,
    asked: &WireRequest,
    usual: impl FnOnce(&WireRequest) -> WireAnswer,
) -> WireAnswer {
    let mut overrides = overrides.lock().unwrap();
    let said = match overrides.get_mut(&decoded(asked)) {
        Some(OverridingAnswer::Always(said)) => Some(said.clone()),
        Some(OverridingAnswer::InTurn(all)) => all.pop_front().flatten(),
        None => None,
    };
    drop(overrides);
    said.unwrap_or_else(|| usual(asked))
}

fn decoded(asked: &WireRequest) -> String {
    percent_decode_str(&asked.path).decode_utf8().unwrap().into_owned()
}

fn error(status: u16, text: &str) -> WireAnswer {
    WireAnswer::Whole(status, String::new(), json!({ "error": text }).to_string().into_bytes())
}

fn answer(
    content: &OldContent,
    downloads: DownloadMode,
    urls: &[String; 2],
    asked: &WireRequest,
) -> WireAnswer {
    let query = |name: &str| asked.query.get(name).map_or("", String::as_str);
    let here = |json: &Value| {
        let text = json.to_string().replace(URLS[0], &urls[0]).replace(URLS[1], &urls[1]);
        WireAnswer::Json(text)
    };
    if asked.path == "/login" {
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        let is_right = body["password"] == PASSWORD && body["username"] == "ada";
        return if is_right {
            here(&json!({ "token": TOKEN }))
        } else {
            error(401, "invalid username or password")
        };
    }
    let is_user = asked.headers.get("authorization").is_some_and(|given| given == &format!("Bearer {TOKEN}"));
    let number = SIGNED.fetch_add(1, Ordering::Relaxed);
    let signed = format!("{}/private/{}?X-Amz-Signature={number}", urls[1], query("key"));
    match asked.path.as_str() {
        "/download" if downloads == DownloadMode::Open => WireAnswer::To(signed.replace(' ', "%20")),
        "/checkVersion" => here(&tauri_check(query("platform"), query("version"))),
        _ if !is_user => error(401, "missing authorization header"),
        "/download" => here(&json!({ "download_url": signed.replace(' ', "%20") })),
        "/search" => match content.releases.get(query("app_name")) {
            Some(all) => {
                let all = all.as_array().unwrap();
                let (page, limit): (usize, usize) =
                    (query("page").parse().unwrap(), query("limit").parse().unwrap());
                let items: Vec<&Value> = all.iter().skip((page - 1) * limit).take(limit).collect();
                let items = if items.is_empty() { Value::Null } else { json!(items) };
                here(&json!({ "items": items, "total": all.len(), "page": page, "limit": limit }))
            }
            None => error(500, "app_name not found in apps_meta collection"),
        },
        path => match content.lists.get(path) {
            Some(list) => here(list),
            None => WireAnswer::Whole(404, String::new(), b"404 page not found".to_vec()),
        },
    }
}

/// A check returns the signature of the offered release: 1.2.0 for copies with the required 1.1.0,
/// which is offered first.
fn tauri_check(platform: &str, version: &str) -> Value {
    match (platform, version) {
        ("linux", "1.1.0") => json!({
            "version": "1.2.0", "notes": "- Smaller", "signature": tauri_signature(Some("1.2.0")),
            "url": "http://storage/releases/notes-ada/stable/linux/amd64/notes-1.2.0.AppImage",
        }),
        ("linux", _) => json!({
            "version": "", "url": "http://storage/releases/notes-ada/stable/linux/amd64/notes-1.1.0.rpm",
        }),
        _ => json!({ "update_available": false, "error": "Not found" }),
    }
}

/// A file whose content is its name. Feeds list such files.
fn stored(asked: &WireRequest) -> WireAnswer {
    let path = decoded(asked);
    let name = path.rsplit('/').next().unwrap();
    let body = match name {
        "RELEASES" => squirrel_line("Notes-1.0.0-full.nupkg").into_bytes(),
        "latest-linux-arm64.yml" => electron_yml("1.1.0", &["Notes-1.1.0.AppImage"]).into_bytes(),
        // The delta is not listed, because the release that it starts from has no package.
        "releases.stable.json" => {
            let full = velopack_asset("1.2.0", "Full", "Notes-1.2.0-full.nupkg");
            json!({ "Assets": [full] }).to_string().into_bytes()
        }
        "appcast.stable.xml" => appcast(&[sparkle_item("1.1.0", "Notes-1.1.0.zip")]).into_bytes(),
        "notes-logo.png" => PNG.to_vec(),
        name => name.as_bytes().to_vec(),
    };
    ranged(asked, body)
}

/// A file, or the requested part of it.
fn ranged(asked: &WireRequest, mut body: Vec<u8>) -> WireAnswer {
    let tag = "ETag: \"1\"\r\n";
    let Some((from, to)) = asked.range().and_then(|range| range.strip_prefix("bytes=")?.split_once('-'))
    else {
        return WireAnswer::Whole(200, tag.to_owned(), body);
    };
    let (length, from) = (body.len(), from.parse().unwrap());
    let to = to.parse().unwrap_or(length - 1);
    let headers = format!("{tag}Content-Range: bytes {from}-{to}/{length}\r\n");
    WireAnswer::Whole(206, headers, body.drain(from..=to).collect())
}
