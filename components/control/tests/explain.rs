//! `POST /explain`, from its callers' point of view.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

use futures::executor::block_on;
use serde_json::{Value, json};
use spindrift_auth::JwtKey;
use spindrift_core::{Id, Timestamp};
use spindrift_db::{SqlConn as _, SqlValue};
use spindrift_native::NativePlatform;
use spindrift_web::{Clock as _, Request, ResponseBody};

const SECRET: &str = "a secret of at least thirty-two bytes";
/// 2026-11-21T01:43:42Z.
const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

struct World {
    platform: NativePlatform,
    _dir: tempfile::TempDir,
}

impl World {
    /// Ada has `notes`, the channels stable, beta (which includes stable) and nightly, linux, windows, and
    /// amd64. Bob may see `notes`, and Eve may not.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let platform = NativePlatform::new(dir.path()).with_time(NOW).with_variable("jwt_secret", SECRET);
        let world = Self { platform, _dir: dir };
        let user = |name: &str, owner: &str, permissions: &str| {
            world.sql(&format!(
                "INSERT INTO users (id, username, owner_id, password_hash, permissions, created_at, updated_at) \
                 VALUES ('{name}', '{name}', {owner}, '', {permissions}, 0, 0)"
            ));
        };
        user("ada", "NULL", "NULL");
        user("bob", "'ada'", "'{\"apps\":{\"allowed\":[\"notes\"]}}'");
        user("eve", "'ada'", "'{\"apps\":{\"allowed\":[]}}'");
        user("other", "NULL", "NULL");
        for (table, name) in [
            ("apps", "notes"),
            ("channels", "stable"),
            ("channels", "beta"),
            ("channels", "nightly"),
            ("archs", "amd64"),
        ] {
            world.sql(&format!(
                "INSERT INTO {table} (id, owner_id, name, created_at, updated_at) VALUES ('{name}', 'ada', '{name}', 0, 0)"
            ));
        }
        for (name, updaters) in [("linux", "[]"), ("windows", r#"[{"type":"velopack"},{"type":"tauri"}]"#)] {
            world.sql(&format!(
                "INSERT INTO platforms (id, owner_id, name, updaters, created_at, updated_at) \
                 VALUES ('{name}', 'ada', '{name}', '{updaters}', 0, 0)"
            ));
        }
        world.sql("INSERT INTO channel_includes (channel_id, included_id) VALUES ('beta', 'stable')");
        world
    }

    fn sql(&self, sql: &str) -> Vec<Vec<SqlValue>> {
        spindrift_db::open(&self.platform, self.platform.now()).unwrap().run(sql, &[]).unwrap().values
    }

    /// A published release of a channel with a file for linux.
    fn release(&self, version: &str, channel: &str) {
        let key = version.parse::<spindrift_core::Version>().unwrap().sort_key();
        self.sql(&format!(
            "INSERT INTO releases (id, owner_id, app_id, version, version_key, channel_id, published, rollout_bp, rollout_seed, created_at, \
              updated_at) VALUES ('{version}', 'ada', 'notes', '{version}', '{key}', '{channel}', 1, 10000, 'seed', 0, 0)"
        ));
        self.sql(&format!(
            "INSERT INTO artifacts (id, release_id, app_id, platform_id, arch_id, package, slot, updater, file_name, bucket, \
              storage_key, size, md5, created_at) VALUES ('{version}', '{version}', 'notes', 'linux', 'amd64', 'deb', 'deb', \
              'manual', 'n.deb', 'public', '{version}.deb', 1, '', 0)"
        ));
    }

    fn change(&self, table: &str, version: &str, set: &str) {
        self.sql(&format!("UPDATE {table} SET {set} WHERE id = '{version}'"));
    }

    /// The answer about a client of 1.0 in stable on linux, unless the change says otherwise.
    fn ask(&self, who: &str, change: &[(&str, Value)]) -> (u16, Value) {
        let mut body = json!({
            "app": "notes", "channel": "stable", "platform": "linux", "arch": "amd64", "version": "1.0",
        });
        for (key, value) in change {
            body[*key] = value.clone();
        }
        let token = JwtKey::new(SECRET).unwrap();
        let token =
            token.issue(&Id::from_text(who), &who.parse().unwrap(), 0, None, self.platform.now()).unwrap();
        let head = http::Request::builder().method("POST").uri("/explain");
        let head = head.header("authorization", format!("Bearer {token}"));
        let (parts, ()) = head.header("content-type", "application/json").body(()).unwrap().into_parts();
        let bytes = body.to_string().into_bytes();
        let body = futures::stream::once(async move { Ok(bytes.into()) });
        let request = Request::new(parts, Box::pin(body));
        let reply = block_on(component_control::handle(self.platform.clone(), request));
        let status = reply.response.status().as_u16();
        let ResponseBody::Full(bytes) = reply.response.into_body() else { panic!("a full body") };
        (status, serde_json::from_slice(&bytes).unwrap())
    }

    fn explain(&self, change: &[(&str, &str)]) -> Value {
        let change: Vec<_> = change.iter().map(|(key, value)| (*key, json!(value))).collect();
        let (status, body) = self.ask("ada", &change);
        assert_eq!(status, 200, "{body}");
        body
    }

    fn refusal(&self, who: &str, change: &[(&str, Value)]) -> (u16, String) {
        let (status, body) = self.ask(who, change);
        (status, body["error"].as_str().unwrap_or_default().to_owned())
    }
}

/// The versions with the codes of their reasons.
fn codes(body: &Value) -> Vec<(&str, Vec<&str>)> {
    let releases = body["releases"].as_array().unwrap().iter();
    let codes = releases.map(|release| {
        let because = release["because"].as_array().unwrap().iter();
        let codes = because.map(|reason| reason["code"].as_str().unwrap());
        (release["version"].as_str().unwrap(), codes.collect())
    });
    codes.collect()
}

/// The first code of each release.
fn first_codes(body: &Value) -> Vec<String> {
    codes(body).into_iter().map(|(_, codes)| codes[0].to_owned()).collect()
}

#[test]
fn every_release_has_its_reasons() {
    let world = World::new();
    for version in ["1.0", "1.1", "1.2", "1.3", "1.5", "1.6", "1.7"] {
        world.release(version, "stable");
    }
    world.release("1.4", "nightly");
    world.change("releases", "1.2", "intermediate = 1, critical = 1");
    world.change("artifacts", "1.5", "platform_id = 'windows'");
    world.change("artifacts", "1.6", "listing = 'unlisted'");
    world.change("releases", "1.7", "published = 0");
    let body = world.explain(&[]);
    assert_eq!(body["at"], "2026-11-21T01:43:42+00:00");
    assert_eq!(
        body["answer"],
        json!({ "update_available": true, "version": "1.2", "critical": true, "shut_off": false })
    );
    assert_eq!(
        codes(&body),
        [
            ("1.7", vec!["draft"]),
            ("1.6", vec!["not_listed"]),
            ("1.5", vec!["no_file"]),
            ("1.4", vec!["other_channel"]),
            ("1.3", vec!["held_below"]),
            ("1.2", vec!["offered"]),
            ("1.1", vec!["surpassed"]),
            ("1.0", vec!["not_newer"]),
        ]
    );
    let [draft, held, offered] = [0, 4, 5].map(|at| &body["releases"][at]);
    assert_eq!(draft["because"], json!([{ "code": "draft", "text": "It is a draft." }]));
    let text = "1.2 has to be installed first.";
    assert_eq!(held["because"], json!([{ "code": "held_below", "text": text, "by": "1.2" }]));
    assert_eq!((&offered["channel"], &offered["offered"]), (&json!("stable"), &json!(true)));
}

#[test]
fn a_plan_is_told_ahead() {
    let world = World::new();
    world.release("1.0", "stable");
    world.release("2.0", "stable");
    let plan = json!({
        "plan": [{ "percent": 5, "for": "1h" }, { "percent": 28, "for": "1h" }, { "percent": 100 }],
        "step": 0, "since": NOW.as_millis(),
    });
    world.change("releases", "2.0", &format!("rollout_bp = 500, rollout_plan = '{plan}'"));
    let device = ("device", "device-2");
    let body = world.explain(&[device]);
    assert_eq!(
        body["answer"],
        json!({ "update_available": false, "version": "1.0", "critical": false, "shut_off": false })
    );
    let because = &body["releases"][0]["because"][0];
    assert_eq!(because["code"], "outside_rollout");
    assert_eq!((&because["position"], &because["basis_points"]), (&json!(2782), &json!(500)));
    assert_eq!(because["next"], json!({ "percent": 28, "at": "2026-11-21T02:43:42+00:00" }));
    let later = world.explain(&[device, ("at", "2026-11-21T02:43:42Z")]);
    assert_eq!(later["at"], "2026-11-21T02:43:42+00:00");
    assert_eq!(
        (&later["answer"]["version"], &later["releases"][0]["offered"]),
        (&json!("2.0"), &json!(true))
    );

    world.change("releases", "2.0", "rollout_state = 'halted'");
    assert_eq!(codes(&world.explain(&[device])), [("2.0", vec!["halted"]), ("1.0", vec!["not_newer"])]);
}

#[test]
fn a_channel_offers_what_it_includes() {
    let world = World::new();
    world.release("1.1", "stable");
    world.release("1.2", "beta");
    let of = |channel| first_codes(&world.explain(&[("channel", channel)]));
    assert_eq!(of("stable"), ["other_channel", "offered"]);
    assert_eq!(of("beta"), ["offered", "surpassed"]);
    assert_eq!(of("nightly"), ["other_channel", "other_channel"]);
}

#[test]
fn an_updater_sees_what_it_installs() {
    let world = World::new();
    for version in ["1.1", "1.2", "1.3", "1.4"] {
        world.release(version, "stable");
        world.change("artifacts", version, "platform_id = 'windows', updater = 'velopack'");
    }
    world.change("artifacts", "1.1", "updater = 'tauri', package = 'msi', signature = 's'");
    world.change("releases", "1.4", "published = 0");
    let file = json!({
        "package_id": "N", "version": "1.2", "kind": "Full", "file_name": "n.deb", "sha1": "9", "size": 1,
    });
    world.sql(&format!(
        "INSERT INTO release_feeds (release_id, app_id, platform_id, arch_id, updater, file_name, feed) \
         VALUES ('1.2', 'notes', 'windows', 'amd64', 'velopack', 'releases.win.json', '{}')",
        json!({ "updater": "velopack", "assets": [file] })
    ));
    let on = |updater| first_codes(&world.explain(&[("platform", "windows"), ("updater", updater)]));
    assert_eq!(on("velopack"), ["draft", "not_installable", "offered", "not_installable"], "1.3 has no feed");
    assert_eq!(on("tauri"), ["draft", "not_installable", "not_installable", "offered"]);
}

#[test]
fn the_offered_release_is_in_a_long_list() {
    let world = World::new();
    world.release("1.0", "stable");
    world.release("1.1", "stable");
    for n in 0..120 {
        world.release(&format!("2.0-nightly.{n}"), "nightly");
    }
    let body = world.explain(&[]);
    let releases = body["releases"].as_array().unwrap();
    assert_eq!((releases.len(), &releases[0]["version"]), (100, &json!("2.0-nightly.119")));
    assert_eq!((&releases[99]["version"], &releases[99]["offered"]), (&json!("1.1"), &json!(true)));
}

#[test]
fn a_question_is_refused_as_a_check_is() {
    let world = World::new();
    world.release("1.1", "stable");
    let refusal = |change: &[(&str, Value)]| world.refusal("ada", change);
    let not_found = |name: &str| (404, format!("{name} not found"));
    assert_eq!(refusal(&[("app", json!("other"))]), not_found("application"));
    assert_eq!(refusal(&[("channel", json!("alpha"))]), not_found("channel"));
    assert_eq!(refusal(&[("arch", json!("mips"))]), not_found("arch"));
    assert_eq!(refusal(&[("channel", Value::Null)]), (400, "channel is required".to_owned()));
    assert_eq!(refusal(&[("updater", json!("tauri"))]), (400, "updater not supported".to_owned()));
    assert_eq!(refusal(&[("version", Value::Null)]), (400, "missing version".to_owned()));
    assert_eq!(refusal(&[("version", json!(1))]).0, 400);
    assert_eq!(
        refusal(&[("at", json!("2027-11-21T00:00:00Z"))]),
        (400, "invalid at parameter: a time in the next 90 days".to_owned())
    );
}

#[test]
fn people_see_what_concerns_them() {
    let world = World::new();
    world.release("1.1", "stable");
    assert_eq!(world.refusal("bob", &[]).0, 200);
    assert_eq!(world.refusal("eve", &[]), (404, "application not found".to_owned()));
    assert_eq!(world.refusal("other", &[]), (404, "application not found".to_owned()));
}

#[test]
fn nothing_is_stored() {
    let world = World::new();
    world.release("1.1", "stable");
    world.explain(&[("device", "device-2")]);
    for table in ["telemetry", "audit_log"] {
        assert!(world.sql(&format!("SELECT 1 FROM {table}")).is_empty(), "{table}");
    }
    assert_eq!(world.platform.stored_keys(), [] as [String; 0]);
}
