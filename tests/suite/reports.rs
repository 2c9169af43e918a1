//! Failure reports: taking them in, their keys, their groups and their details.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use serde_json::{Value, json};
use spindrift_tests::{
    Account, Answer, Client, Driver, Multipart, PRIVATE_BUCKET, World, gzip, on_hosts, sha256_hex,
};

use crate::concurrency::in_parallel;

on_hosts! {
    every: [
        a_report_is_counted,
        refusals_come_in_their_order,
        every_field_is_checked,
        details_are_checked_after_the_report_is_counted,
        a_report_with_corrected_details_is_accepted,
        an_application_has_only_so_many_groups,
        a_service_without_reports_has_no_such_path,
        keys_come_and_go_with_the_application,
        a_new_key_ends_the_old_one,
        an_admin_brings_a_key_along,
        a_retired_key_is_for_its_owner_alone,
        an_application_that_is_disabled_behind_its_key_is_refused,
        a_resolved_group_is_reopened_and_a_muted_one_stays,
        groups_are_changed,
        groups_are_deleted_with_their_details,
        groups_are_filtered,
        groups_are_paged,
        groups_belong_to_their_owner,
        team_users_need_the_application_and_the_permission,
        details_are_kept_as_sent,
        a_group_keeps_its_newest_details,
        a_zip_bomb_is_refused_quickly,
        a_storage_that_is_down_costs_only_the_details,
        ten_thousand_reports_are_counted_or_refused,
    ],
    in_process: [
        a_device_reports_a_failure_once_an_hour,
        a_group_takes_30_reports_a_minute,
        a_key_takes_100_reports_a_minute,
        a_limit_comes_before_details_and_after_the_application,
        a_failing_key_value_store_lets_reports_in,
        a_report_that_could_not_be_counted_may_be_sent_again,
        of_ten_thousand_reports_a_minute_takes_30_of_each_group,
    ],
}

/// An application `notes` that accepts reports; answers its key.
pub(crate) fn create_notes(owner: &Account) -> String {
    owner.create_app_with(json!({ "app": "notes", "reports": true }));
    owner.create_channel("stable");
    owner.create_platform("linux");
    owner.create_arch("amd64");
    key(owner, "notes").unwrap()
}

/// The key of an application.
pub(crate) fn key(owner: &Account, app: &str) -> Option<String> {
    let list = owner.get("/report-keys/list").ok();
    let keys = list["report_keys"].as_array().unwrap();
    let found = keys.iter().find(|key| key["app_name"] == app)?;
    Some(found["key_value"].as_str().unwrap().to_owned())
}

/// A user of the admin's team with these permissions on applications.
#[expect(clippy::needless_pass_by_value, reason = "callers write the JSON in the call")]
pub(crate) fn team_user(world: &World, admin: &Account, name: &str, apps: Value) -> Account {
    let body = json!({ "username": name, "password": "password of a user", "permissions": { "apps": apps } });
    admin.post_json("/user/create", body).ok();
    world.login(name, "password of a user")
}

/// A report without details.
pub(crate) fn failure() -> Value {
    json!({
        "application": { "name": "notes", "version": "1.2.3", "channel": "stable" },
        "system": { "platform": "linux", "arch": "amd64" },
        "event": { "type": "crash", "reason": "segv" },
    })
}

pub(crate) fn failure_because(reason: &str) -> Value {
    let mut report = failure();
    report["event"]["reason"] = json!(reason);
    report
}

/// A report with these bytes, packed.
pub(crate) fn with_details(mut report: Value, packed: &[u8]) -> Value {
    report["details"] = json!({
        "encoding": "gzip+base64", "content_type": "application/json", "payload": STANDARD.encode(packed),
    });
    report
}

/// Sends a report.
pub(crate) fn send(client: &Client, key: &str, device: &str, report: &Value) -> Answer {
    let client = client.with_token(key);
    client.post_json("/reports/ingest", report.clone()).header("x-device-id", device).send()
}

fn reporting(host: Driver) -> (World, Account, String) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    (world, acme, key)
}

fn groups(owner: &Account, query: &str) -> Vec<Value> {
    owner.get(&format!("/reports/groups?{query}")).ok()["items"].as_array().unwrap().clone()
}

/// The only group.
pub(crate) fn group(owner: &Account) -> Value {
    let found = groups(owner, "");
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

/// Address of a group.
fn group_path(group: &Value) -> String {
    format!("/reports/groups/{}", group["group_hash"].as_str().unwrap())
}

/// How many were counted, and how many details were stored and rejected.
fn counts(owner: &Account) -> (u64, u64, u64) {
    let stats = &group(owner)["stats"];
    let number = |name: &str| stats[name].as_u64().unwrap();
    (number("count"), number("details_stored"), number("details_rejected"))
}

fn patch(owner: &Account, path: &str, change: &Value) -> Answer {
    let call = owner.call(Method::PATCH, path).header("content-type", "application/json");
    call.body(change.to_string().as_bytes()).send()
}

fn refused(status: u16, text: &str) -> (u16, String) {
    (status, text.to_owned())
}

fn a_report_is_counted(host: Driver) {
    let (world, acme, key) = reporting(host);
    let hash = sha256_hex(b"notes|1.2.3|stable|linux|amd64|crash|segv");

    let answer = send(world.client(), &key, "device-1", &failure()).expect(202);
    assert_eq!(answer.json(), json!({ "status": "accepted", "group_hash": hash, "stored_details": false }));
    let mut again = failure();
    again["application"]["version"] = json!("1-2-3");
    again["extra"] = json!([1]);
    let _ = send(world.client(), &key, "device-2", &again).expect(202);

    let group = group(&acme);
    assert_eq!(group["group_hash"], hash);
    assert_eq!(group["app_id"], acme.app_id("notes"));
    for part in ["application", "system", "event"] {
        assert_eq!(group[part], failure()[part]);
    }
    assert_eq!(counts(&acme), (2, 0, 0));
    assert_eq!((&group["status"], &group["tags"], &group["note"]), (&json!("open"), &json!([]), &json!("")));
    assert!(!group.to_string().contains(&key) && !group.to_string().contains("device-"), "{group}");
    let _ = send(world.client(), &key, "device-1", &failure_because("other")).expect(202);
    assert_eq!(groups(&acme, "").len(), 2);
}

/// A report to send, with its faults.
struct Sending {
    authorization: Option<String>,
    device: Option<&'static str>,
    content_type: &'static str,
    body: Value,
    padding: usize,
    cut: bool,
}

impl Sending {
    fn send(&self, world: &World) -> (u16, String) {
        let mut body = self.body.to_string();
        if self.cut {
            body.pop();
        }
        body.push_str(&" ".repeat(self.padding));
        let mut call = world.client().post("/reports/ingest").header("content-type", self.content_type);
        if let Some(authorization) = &self.authorization {
            call = call.header("authorization", authorization);
        }
        if let Some(device) = self.device {
            call = call.header("x-device-id", device);
        }
        call.body(body.as_bytes()).send().refusal()
    }
}

/// A device identifier with a character too many.
const TOO_LONG: &str = match std::str::from_utf8(&[b'x'; 129]) {
    Ok(text) => text,
    Err(_) => "",
};

type Fault = (fn(&mut Sending), u16, &'static str);

/// The faults, in the order in which they are reported.
const FAULTS: [Fault; 17] = [
    (|sending| sending.authorization = None, 401, "invalid report key"),
    (|sending| sending.authorization = Some("Basic abc".to_owned()), 401, "invalid report key"),
    (|sending| sending.authorization = Some("Bearer rpk_short".to_owned()), 401, "invalid report key"),
    (|sending| sending.device = None, 400, "missing X-Device-ID"),
    (|sending| sending.device = Some(TOO_LONG), 400, "invalid X-Device-ID"),
    (
        |sending| sending.authorization = Some(format!("Bearer rpk_{}", "0".repeat(64))),
        401,
        "invalid report key",
    ),
    (|sending| sending.padding = 3000, 413, "report body too large"),
    (
        |sending| sending.content_type = "text/plain",
        415,
        "unsupported content type, expected application/json",
    ),
    (|sending| sending.cut = true, 400, "malformed JSON"),
    (|sending| sending.body["application"]["version"] = json!("one"), 400, "invalid application.version"),
    (|sending| sending.body["event"]["type"] = json!("party"), 400, "invalid event.type"),
    (|sending| sending.body["event"]["reason"] = json!("a b"), 400, "invalid event.reason"),
    (|sending| sending.body["details"] = json!([]), 400, "invalid details"),
    (|sending| sending.body["details"] = json!({ "encoding": "gzip" }), 400, "unsupported details.encoding"),
    (
        |sending| sending.body["details"] = json!({ "encoding": "gzip+base64" }),
        400,
        "missing details.content_type",
    ),
    (
        |sending| sending.body["application"]["name"] = json!("papers"),
        403,
        "report key does not belong to this application",
    ),
    (
        |sending| {
            sending.body["details"] =
                json!({ "encoding": "gzip+base64", "content_type": "application/json", "payload": "%" });
        },
        400,
        "invalid details.payload",
    ),
];

fn refusals_come_in_their_order(host: Driver) {
    let world = World::builder(host).with_variable("reports_max_body_bytes", "2000").start();
    let acme = world.admin("acme");
    let key = create_notes(&acme);

    for first in 0..FAULTS.len() {
        let mut sending = Sending {
            authorization: Some(format!("Bearer {key}")),
            device: Some("device"),
            content_type: "application/json",
            body: failure(),
            padding: 0,
            cut: false,
        };
        // Later faults first, so that an earlier one of the same thing is sent.
        for (spoil, ..) in FAULTS[first..].iter().rev() {
            spoil(&mut sending);
        }
        let (_, status, text) = FAULTS[first];
        assert_eq!(sending.send(&world), refused(status, text), "fault {first}");
    }
    assert_eq!(counts(&acme), (1, 0, 1), "only the last one was counted");
}

fn every_field_is_checked(host: Driver) {
    let (world, acme, key) = reporting(host);
    let ask = |report: &Value| send(world.client(), &key, "device", report).refusal();

    for (part, name, invalid) in [
        ("application", "name", &["a/b", ""][..]),
        ("application", "version", &["one", "1.2.3.4.5.6.7", "1..2"]),
        ("application", "channel", &["a b", "..", ".stable"]),
        ("system", "platform", &["a/b", "a b"]),
        ("system", "arch", &["..", "a\n"]),
        ("event", "type", &["Crash", "explosion"]),
        ("event", "reason", &["a b", "<b>", "at main.rs:1", "é"]),
    ] {
        let mut report = failure();
        for value in invalid.iter().filter(|value| !value.is_empty()) {
            report[part][name] = json!(value);
            assert_eq!(ask(&report), refused(400, &format!("invalid {part}.{name}")), "{value}");
        }
        report[part][name] = json!(1);
        assert_eq!(ask(&report), refused(400, &format!("invalid {part}.{name}")));
        for absent in [json!(""), Value::Null] {
            report[part][name] = absent;
            assert_eq!(ask(&report), refused(400, &format!("missing {part}.{name}")));
        }
        report[part] = json!("text");
        assert_eq!(ask(&report), refused(400, &format!("invalid {part}")));
    }
    let mut report = with_details(failure(), &gzip(b"{}"));
    for (name, other) in [("encoding", "gzip"), ("content_type", "text/plain")] {
        for (value, text) in [(json!(other), "unsupported"), (json!(1), "invalid"), (Value::Null, "missing")]
        {
            let before = std::mem::replace(&mut report["details"][name], value);
            assert_eq!(ask(&report), refused(400, &format!("{text} details.{name}")));
            report["details"][name] = before;
        }
    }
    report["details"] = json!("text");
    assert_eq!(ask(&report), refused(400, "invalid details"));
    assert_eq!(ask(&failure_because(&"r".repeat(129))), refused(400, "invalid event.reason"));
    assert_eq!(ask(&json!([])), refused(400, "malformed JSON"));
    assert_eq!(groups(&acme, ""), Vec::<Value>::new(), "none of them was counted");
    let _ = send(world.client(), &key, "device", &failure_because(&"r".repeat(128))).expect(202);
    for kind in ["crash", "startup_failure", "update_failure", "install_failure", "rollback_failure"] {
        let mut report = failure();
        report["event"]["type"] = json!(kind);
        let _ = send(world.client(), &key, "device", &report).expect(202);
    }
}

fn details_are_checked_after_the_report_is_counted(host: Driver) {
    let world = World::builder(host)
        .with_variable("reports_max_details_compressed_bytes", "1000")
        .with_variable("reports_max_details_decompressed_bytes", "2000")
        .start();
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    let good = with_details(failure(), &gzip(b"{}"));
    let payload = |value: Value| {
        let mut report = good.clone();
        report["details"]["payload"] = value;
        report
    };
    let packed = |bytes: &[u8]| with_details(failure(), &gzip(bytes));
    let mut damaged = gzip(b"{\"a\": 1}");
    let end = damaged.len() - 5;
    damaged[end] ^= 1;
    let invalid = (400, "invalid details.payload");

    let cases = [
        (payload(Value::Null), (400, "missing details.payload")),
        (payload(json!(1)), invalid),
        (payload(json!("%%%%")), invalid),
        (payload(json!("AAAA")), invalid),
        (with_details(failure(), &damaged), invalid),
        (packed(b"[]"), invalid),
        (packed(b"{"), invalid),
        (packed(b""), invalid),
        (packed(b"{}{}"), invalid),
        (with_details(failure(), &[0; 1001]), (413, "compressed details too large")),
        (packed(&[b' '; 2001]), (413, "decompressed details too large")),
    ];
    let number = cases.len() as u64;
    for (n, (report, (status, text))) in cases.iter().enumerate() {
        let answer = send(world.client(), &key, &format!("device-{n}"), report);
        assert_eq!(answer.refusal(), refused(*status, text), "case {n}");
    }

    assert_eq!(counts(&acme), (number, 0, number));
    assert_eq!(send(world.client(), &key, "last", &good).expect(202).json()["stored_details"], true);
    assert_eq!(counts(&acme), (number + 1, 1, number));
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "").len(), 1);
}

fn a_report_with_corrected_details_is_accepted(host: Driver) {
    let world = World::builder(host).with_variable("reports_max_details_compressed_bytes", "1000").start();
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    let ask = |details: &[u8]| send(world.client(), &key, "device", &with_details(failure(), details));

    assert_eq!(ask(b"no gzip").refusal(), refused(400, "invalid details.payload"));
    assert_eq!(ask(&[0; 1001]).refusal(), refused(413, "compressed details too large"));
    assert_eq!(ask(&gzip(b"{}")).expect(202).json()["stored_details"], true);
    assert_eq!(ask(&gzip(b"{}")).refusal(), refused(429, "rate limit exceeded"), "that was the hour's");

    assert_eq!(counts(&acme), (3, 1, 2));
}

fn an_application_has_only_so_many_groups(host: Driver) {
    let world = World::builder(host).with_variable("reports_max_groups_per_app", "3").start();
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    acme.create_app_with(json!({ "app": "papers", "reports": true }));
    let report = |device: &str, reason: &str| {
        let report = with_details(failure_because(reason), &gzip(b"{}"));
        let answer = send(world.client(), &key, device, &report).expect(202).json();
        assert_eq!(answer["stored_details"], true);
        answer["group_hash"].as_str().unwrap().to_owned()
    };
    let own = |reason: &str| sha256_hex(format!("notes|1.2.3|stable|linux|amd64|crash|{reason}").as_bytes());
    let other = sha256_hex(b"notes|0|other|other|other|crash|other");

    for reason in ["a", "b", "c"] {
        assert_eq!(report("device-1", reason), own(reason));
    }
    for (n, reason) in ["d", "e", "f", "d"].into_iter().enumerate() {
        assert_eq!(report(&format!("device-{n}"), reason), other, "{reason}");
    }
    assert_eq!(report("device-2", "a"), own("a"), "an existing group continues");
    let mut papers = failure();
    papers["application"]["name"] = json!("papers");
    let of_papers = send(world.client(), &self::key(&acme, "papers").unwrap(), "device", &papers);
    assert_ne!(of_papers.expect(202).json()["group_hash"], other, "another application has its own");

    let found = groups(&acme, "app=notes");
    assert_eq!(found.len(), 4);
    let rest = found.iter().find(|group| group["group_hash"] == other).unwrap();
    assert_eq!((&rest["event"]["reason"], &rest["stats"]["count"]), (&json!("other"), &json!(4)));
    assert_eq!(acme.get(&format!("{}/blobs", group_path(rest))).ok()["items"].as_array().unwrap().len(), 4);
    let _ = acme.delete(&group_path(&groups(&acme, "reason=b")[0])).send().expect(200);
    let _ = acme.delete(&group_path(rest)).send().expect(200);
    assert_eq!(report("device-3", "g"), own("g"), "there is room again");
}

fn a_service_without_reports_has_no_such_path(host: Driver) {
    let world = World::builder(host).with_variable("reports_enabled", "false").start();
    let acme = world.admin("acme");
    let key = create_notes(&acme);

    assert_eq!(send(world.client(), &key, "device", &failure()).refusal(), refused(404, "not found"));
    assert_eq!(world.client().post("/reports/ingest").send().refusal(), refused(404, "not found"));
}

pub(crate) fn set_reports(owner: &Account, app: &str, reports: bool) {
    let data = json!({ "id": owner.app_id(app), "app": app, "reports": reports });
    let form = Multipart::new().field("data", data.to_string());
    let _ = owner.post_multipart("/app/update", form).send().expect(200);
}

fn keys_come_and_go_with_the_application(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.app_id("notes");
    let regenerate = || acme.post_json("/report-keys/regenerate", json!({ "app_id": id })).send();

    assert_eq!(key(&acme, "notes"), None, "reports are off");
    assert_eq!(regenerate().refusal(), refused(409, "reports are disabled for this application"));
    set_reports(&acme, "notes", true);
    let list = acme.get("/report-keys/list").ok();
    let entry = &list["report_keys"][0];
    assert_eq!((&entry["app_id"], &entry["app_name"]), (&json!(id), &json!("notes")));
    let first = key(&acme, "notes").unwrap();
    let hex = first.strip_prefix("rpk_").unwrap();
    assert!(hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit()), "{first}");
    let _ = send(world.client(), &first, "device-1", &failure()).expect(202);

    set_reports(&acme, "notes", false);
    assert_eq!(key(&acme, "notes"), None);
    assert_eq!(
        send(world.client(), &first, "device-2", &failure()).refusal(),
        refused(401, "invalid report key")
    );
    assert_eq!(counts(&acme), (1, 0, 0), "groups outlive the key");
    set_reports(&acme, "notes", true);
    let second = key(&acme, "notes").unwrap();
    assert_ne!(second, first, "a key that is gone does not come back");
    let _ = send(world.client(), &second, "device-2", &failure()).expect(202);
    assert_eq!(counts(&acme), (2, 0, 0));
    let stays = json!({ "id": id, "app": "notes", "description": "another change" });
    let form = Multipart::new().field("data", stays.to_string());
    let _ = acme.post_multipart("/app/update", form).send().expect(200);
    assert_eq!(key(&acme, "notes"), Some(second.clone()));
    let _ = acme.delete(&format!("/app/delete?id={id}")).send().expect(200);
    assert_eq!(send(world.client(), &second, "device-3", &failure()).status, 401);
}

fn an_admin_brings_a_key_along(host: Driver) {
    let (world, acme, old) = reporting(host);
    let id = acme.app_id("notes");
    let regenerate = |value: Value| {
        acme.post_json("/report-keys/regenerate", json!({ "app_id": id, "key_value": value })).send()
    };
    let shipped = format!("rpk_{}", "0a".repeat(32));

    for bad in ["", "x", "rpk_", &shipped[1..], &shipped.to_uppercase(), &format!("{shipped}0")] {
        assert_eq!(regenerate(json!(bad)).refusal(), refused(400, "invalid key_value parameter"), "{bad}");
    }
    assert_eq!(key(&acme, "notes").as_deref(), Some(&*old), "a refused key changes nothing");
    let expected = json!({ "app_id": id, "key_value": shipped });
    assert_eq!(regenerate(json!(shipped)).expect(200).json(), expected);
    assert_eq!(regenerate(json!(shipped)).expect(200).json(), expected, "again");
    let _ = send(world.client(), &shipped, "device", &failure()).expect(202);
    assert_eq!(send(world.client(), &old, "device", &failure()).status, 401);

    let umbrella = world.admin("umbrella");
    let theirs = umbrella.create_app_with(json!({ "app": "theirs", "reports": true }));
    let taken = json!({ "app_id": theirs, "key_value": shipped });
    let answer = umbrella.post_json("/report-keys/regenerate", taken).send();
    assert_eq!(answer.refusal(), refused(409, "the report key is used by another application"));
    let editor = team_user(&world, &acme, "editor", json!({ "edit": true, "allowed": [id] }));
    let given = json!({ "app_id": id, "key_value": old });
    assert_eq!(
        editor.post_json("/report-keys/regenerate", given).send().refusal(),
        refused(403, "not allowed")
    );
    let _ = editor.post_json("/report-keys/regenerate", json!({ "app_id": id })).send().expect(200);
    assert_ne!(key(&acme, "notes").unwrap(), shipped);
}

fn a_retired_key_is_for_its_owner_alone(host: Driver) {
    let (world, acme, first) = reporting(host);
    let id = acme.app_id("notes");
    let umbrella = world.admin("umbrella");
    let theirs = umbrella.create_app_with(json!({ "app": "theirs", "reports": true }));
    let give = |who: &Account, app: &str, key: &str| {
        who.post_json("/report-keys/regenerate", json!({ "app_id": app, "key_value": key })).send()
    };
    let taken = refused(409, "the report key was used by another owner");
    let _ = acme.post_json("/report-keys/regenerate", json!({ "app_id": id })).send().expect(200);
    assert_eq!(give(&umbrella, &theirs, &first).refusal(), taken, "a key that was replaced");

    let _ = give(&acme, &id, &first).expect(200);
    let _ = send(world.client(), &first, "device", &failure()).expect(202);
    let switched_off = json!({ "id": id, "app": "notes", "reports": false });
    let form = Multipart::new().field("data", switched_off.to_string());
    let _ = acme.post_multipart("/app/update", form).send().expect(200);
    assert_eq!(give(&umbrella, &theirs, &first).refusal(), taken, "a key whose reports are off");

    let papers = acme.create_app_with(json!({ "app": "papers", "reports": true }));
    let _ = give(&acme, &papers, &first).expect(200);
    let _ = acme.delete(&format!("/app/delete?id={papers}")).send().expect(200);
    assert_eq!(give(&umbrella, &theirs, &first).refusal(), taken, "a key of a deleted application");
    assert_eq!(send(world.client(), &first, "device", &failure()).status, 401);
}

fn a_new_key_ends_the_old_one(host: Driver) {
    let (world, acme, old) = reporting(host);
    acme.create_app_with(json!({ "app": "papers", "reports": true }));
    let umbrella = world.admin("umbrella");
    let regenerate = |who: &Account, body: Value| who.post_json("/report-keys/regenerate", body).send();
    let id = acme.app_id("notes");

    assert_eq!(regenerate(&acme, json!({})).refusal(), refused(400, "missing app_id"));
    assert_eq!(regenerate(&acme, json!({ "app_id": "x" })).refusal(), refused(404, "application not found"));
    let theirs = regenerate(&umbrella, json!({ "app_id": id }));
    assert_eq!(theirs.refusal(), refused(404, "application not found"));
    let answer = regenerate(&acme, json!({ "app_id": id })).expect(200).json();
    assert_eq!(answer.as_object().unwrap().keys().collect::<Vec<_>>(), ["app_id", "key_value"]);
    assert_eq!(answer["app_id"], json!(id));
    let new = answer["key_value"].as_str().unwrap();

    assert_ne!(new, old);
    assert_eq!(key(&acme, "notes").as_deref(), Some(new));
    assert_eq!(
        send(world.client(), &old, "device", &failure()).refusal(),
        refused(401, "invalid report key")
    );
    let _ = send(world.client(), new, "device", &failure()).expect(202);
    let papers = key(&acme, "papers").unwrap();
    assert_eq!(
        send(world.client(), &papers, "device", &failure()).refusal(),
        refused(403, "report key does not belong to this application")
    );
    assert_eq!(umbrella.get("/report-keys/list").ok()["report_keys"], json!([]));
}

fn an_application_that_is_disabled_behind_its_key_is_refused(host: Driver) {
    let (world, _, key) = reporting(host);
    world.database().execute("UPDATE apps SET reports = 0", []).unwrap();

    let answer = send(world.client(), &key, "device", &json!("not even read"));

    assert_eq!(answer.refusal(), refused(403, "reports are disabled for this application"));
}

fn a_resolved_group_is_reopened_and_a_muted_one_stays(host: Driver) {
    let (world, acme, key) = reporting(host);
    let _ = send(world.client(), &key, "device-0", &failure()).expect(202);
    let path = group_path(&group(&acme));

    for (n, (status, then)) in
        [("resolved", "open"), ("muted", "muted"), ("open", "open")].into_iter().enumerate()
    {
        let answer = patch(&acme, &path, &json!({ "status": status })).expect(200).json();
        assert_eq!(answer, json!({ "group_hash": group(&acme)["group_hash"], "updated": true }));
        assert_eq!(group(&acme)["status"], status);
        let _ = send(world.client(), &key, &format!("device-{}", n + 1), &failure()).expect(202);
        assert_eq!(group(&acme)["status"], then, "after {status}");
    }
    assert_eq!(counts(&acme), (4, 0, 0));
}

fn groups_are_changed(host: Driver) {
    let (world, acme, key) = reporting(host);
    let _ = send(world.client(), &key, "device", &failure()).expect(202);
    let path = group_path(&group(&acme));

    let _ = patch(&acme, &path, &json!({ "tags": ["a", "b", "a"], "note": "Known.\n☃" })).expect(200);
    let changed = group(&acme);
    assert_eq!((&changed["tags"], &changed["note"]), (&json!(["a", "b"]), &json!("Known.\n☃")));
    assert_eq!((&changed["status"], &changed["stats"]["count"]), (&json!("open"), &json!(1)));
    for (change, text) in [
        (json!({}), "missing status, tags or note"),
        (json!({ "status": "closed" }), "invalid status"),
        (json!({ "tags": [""] }), "invalid tags"),
        (json!({ "tags": vec!["x"; 65].concat().split('-').collect::<Vec<_>>() }), "invalid tags"),
        (json!({ "tags": (0..21).map(|n| n.to_string()).collect::<Vec<_>>() }), "invalid tags"),
        (json!({ "note": "n".repeat(4001) }), "invalid note"),
    ] {
        let (status, error) = patch(&acme, &path, &change).refusal();
        assert!(status == 400 && error.starts_with(text), "{change}: {status} {error}");
    }
    let unknown = patch(&acme, &path, &json!({ "count": 5 }));
    assert_eq!(unknown.refusal(), refused(400, "missing status, tags or note"));
    assert_eq!(group(&acme), changed);
    let _ = patch(&acme, &path, &json!({ "count": 5, "status": "muted", "more": {} })).expect(200);
    assert_eq!((&group(&acme)["status"], &group(&acme)["stats"]["count"]), (&json!("muted"), &json!(1)));
    for unknown in ["none", &"0".repeat(64)] {
        let path = format!("/reports/groups/{unknown}");
        let not_found = refused(404, "report group not found");
        assert_eq!(patch(&acme, &path, &json!({ "status": "open" })).refusal(), not_found);
        assert_eq!(acme.delete(&path).send().refusal(), not_found);
        assert_eq!(acme.get(&format!("{path}/blobs")).send().refusal(), not_found);
    }
}

fn groups_are_deleted_with_their_details(host: Driver) {
    let (world, acme, key) = reporting(host);
    let report = with_details(failure(), &gzip(b"{}"));
    for device in ["device-1", "device-2"] {
        assert_eq!(send(world.client(), &key, device, &report).expect(202).json()["stored_details"], true);
    }
    let other = with_details(failure_because("other"), &gzip(b"{}"));
    let _ = send(world.client(), &key, "device-1", &other).expect(202);
    let doomed = groups(&acme, "reason=segv").remove(0);

    let answer = acme.delete(&group_path(&doomed)).send().expect(200).json();

    assert_eq!(answer, json!({ "group_hash": doomed["group_hash"], "deleted": true }));
    assert_eq!(group(&acme)["event"]["reason"], "other");
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "").len(), 1, "the other group keeps its own");
    assert_eq!(acme.delete(&group_path(&doomed)).send().refusal(), refused(404, "report group not found"));
    let _ = send(world.client(), &key, "device-3", &failure()).expect(202);
    assert_eq!(groups(&acme, "reason=segv")[0]["stats"]["count"], 1, "a new group has started");
}

/// Eight groups, each of which differs from the others in one word, and was last reported on a day of its own.
fn report_of_each_kind(world: &World, acme: &Account, key_of_notes: &str) {
    acme.create_app_with(json!({ "app": "papers", "reports": true }));
    let key_of_papers = key(acme, "papers").unwrap();
    for (n, (part, name, value)) in [
        ("application", "name", "notes"),
        ("application", "name", "papers"),
        ("application", "version", "2.0"),
        ("application", "channel", "beta"),
        ("system", "platform", "windows"),
        ("system", "arch", "arm64"),
        ("event", "type", "update_failure"),
        ("event", "reason", "oom"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut report = failure();
        report[part][name] = json!(value);
        let key = if value == "papers" { &key_of_papers } else { key_of_notes };
        let _ = send(world.client(), key, "device", &report).expect(202);
        // A group for each day.
        let time = crate::tokens::time(&format!("2026-01-0{}T12:00:00Z", n + 1)).as_millis();
        let sql = "UPDATE report_groups SET last_seen = ?1 WHERE last_seen > ?2";
        let end = crate::tokens::time("2026-01-31T00:00:00Z").as_millis();
        world.database().execute(sql, [time, end]).unwrap();
    }
}

fn groups_are_filtered(host: Driver) {
    let (world, acme, key_of_notes) = reporting(host);
    report_of_each_kind(&world, &acme, &key_of_notes);
    let resolved = groups(&acme, "reason=oom").remove(0);
    let path = group_path(&resolved);
    let change = json!({ "status": "resolved", "tags": ["Ui/Slow"], "note": "See the WIKI" });
    let _ = patch(&acme, &path, &change).expect(200);
    let hash = resolved["group_hash"].as_str().unwrap();
    assert_eq!(groups(&acme, &format!("hash={hash}")).len(), 1);

    for (filter, expected) in [
        ("", 8),
        ("app=papers", 1),
        ("app=notes", 7),
        ("version=2-0", 1),
        ("version=2.0.0", 0),
        ("version=a%2Fb", 0),
        ("channel=beta", 1),
        ("platform=windows", 1),
        ("arch=arm64", 1),
        ("type=update_failure", 1),
        ("type=crash&arch=amd64&platform=linux", 5),
        ("reason=oom", 1),
        ("status=resolved", 1),
        ("status=open", 7),
        ("status=muted", 0),
        ("tag=Ui%2FSlow", 1),
        ("tag=Ui", 0),
        ("search=ui%2Fsl", 1),
        ("search=wiki", 1),
        ("search=OoM", 1),
        ("search=%25", 0),
        ("status=all", 8),
        ("from=2026-01-03", 6),
        ("to=2026-01-03", 3),
        ("from=2026-01-02&to=2026-01-03", 2),
        ("from=2026-01-03T12:00:00Z&to=2026-01-03T13:00:00%2B01:00", 1),
        ("from=2026-02-01", 0),
    ] {
        let found = acme.get(&format!("/reports/groups?{filter}")).ok();
        assert_eq!(found["total"], expected, "{filter}");
        assert_eq!(found["items"].as_array().unwrap().len(), expected, "{filter}");
    }
    for name in ["app", "channel", "platform", "arch", "type", "reason", "status", "from", "to"] {
        let answer = acme.get(&format!("/reports/groups?{name}=a%2Fb")).send();
        assert_eq!(answer.refusal(), refused(400, &format!("invalid {name} parameter")));
    }
}

fn groups_are_paged(host: Driver) {
    let (world, acme, key) = reporting(host);
    for n in 0..25 {
        let _ = send(world.client(), &key, "device", &failure_because(&format!("reason-{n}"))).expect(202);
    }
    world.database().execute("UPDATE report_groups SET last_seen = substr(reason, 8)", []).unwrap();
    let page = |query: &str| {
        let answer = acme.get(&format!("/reports/groups?{query}")).ok();
        assert_eq!(answer["total"], 25);
        let items = answer["items"].as_array().unwrap().iter();
        items.map(|item| item["event"]["reason"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let reasons =
        |numbers: std::ops::Range<u8>| numbers.rev().map(|n| format!("reason-{n}")).collect::<Vec<_>>();

    assert_eq!(page(""), reasons(5..25), "latest report first, 20 of them");
    assert_eq!(page("page=2"), reasons(0..5));
    assert_eq!(page("page=3"), Vec::<String>::new());
    assert_eq!(page("limit=10&page=2"), reasons(5..15));
    assert_eq!(page("limit=100"), reasons(0..25));
    let answer = acme.get("/reports/groups?limit=7&page=2").ok();
    assert_eq!((&answer["limit"], &answer["page"]), (&json!(7), &json!(2)));
    for (query, name) in
        [("page=0", "page"), ("limit=0", "limit"), ("limit=101", "limit"), ("page=x", "page")]
    {
        let answer = acme.get(&format!("/reports/groups?{query}")).send();
        assert_eq!(answer.refusal(), refused(400, &format!("invalid {name} parameter")));
    }
}

fn groups_belong_to_their_owner(host: Driver) {
    let (world, acme, key) = reporting(host);
    let umbrella = world.admin("umbrella");
    let key_of_umbrella = create_notes(&umbrella);
    let _ = send(world.client(), &key, "device", &failure()).expect(202);
    let path = group_path(&group(&acme));

    assert_eq!(groups(&umbrella, ""), Vec::<Value>::new());
    let change = json!({ "status": "muted" });
    assert_eq!(patch(&umbrella, &path, &change).refusal(), refused(404, "report group not found"));
    let _ = send(world.client(), &key_of_umbrella, "device", &failure()).expect(202);
    let _ = patch(&umbrella, &path, &change).expect(200);
    assert_eq!((&group(&acme)["status"], &group(&umbrella)["status"]), (&json!("open"), &json!("muted")));
    let _ = umbrella.delete(&path).send().expect(200);
    assert_eq!(counts(&acme), (1, 0, 0));
}

fn team_users_need_the_application_and_the_permission(host: Driver) {
    let (world, acme, key) = reporting(host);
    let _ = send(world.client(), &key, "device", &with_details(failure(), &gzip(b"{}"))).expect(202);
    let (id, path) = (acme.app_id("notes"), group_path(&group(&acme)));
    let viewer = team_user(&world, &acme, "viewer", json!({ "allowed": [id] }));
    let editor = team_user(&world, &acme, "editor", json!({ "edit": true, "allowed": [id] }));
    let stranger = team_user(&world, &acme, "stranger", json!({ "edit": true, "delete": true }));
    let ci = acme.ci_token(&[&id]);
    let regenerate =
        |who: &Account| who.post_json("/report-keys/regenerate", json!({ "app_id": id })).send().status;
    let mute = |who: &Account| patch(who, &path, &json!({ "status": "muted" })).status;
    let delete = |who: &Account| who.delete(&path).send().status;
    let blobs = |who: &Account| who.get(&format!("{path}/blobs")).send().status;
    let keys = |who: &Account| who.get("/report-keys/list").ok()["report_keys"].as_array().unwrap().len();

    assert_eq!((groups(&viewer, "").len(), keys(&viewer), blobs(&viewer)), (1, 1, 200));
    assert_eq!((regenerate(&viewer), mute(&viewer), delete(&viewer)), (403, 403, 403));
    assert_eq!((groups(&stranger, "").len(), keys(&stranger), blobs(&stranger)), (0, 0, 403));
    assert_eq!((regenerate(&stranger), mute(&stranger), delete(&stranger)), (403, 403, 403));
    assert_eq!((regenerate(&editor), mute(&editor), delete(&editor)), (200, 200, 403));
    for call in ["/reports/groups", "/report-keys/list", &format!("{path}/blobs")] {
        assert_eq!(ci.get(call).send().refusal(), refused(403, "not allowed with a CI token"), "{call}");
        assert_eq!(world.get(call).send().refusal(), refused(401, "missing authorization header"), "{call}");
    }
    assert_eq!((regenerate(&ci), mute(&ci), delete(&ci)), (403, 403, 403));
    assert_eq!(delete(&acme), 200);
}

fn details_are_kept_as_sent(host: Driver) {
    let (world, acme, key) = reporting(host);
    let packed = gzip(br#" {"stack": ["main", "run"], "snowman": "\u2603"} "#);

    let answer = send(world.client(), &key, "device", &with_details(failure(), &packed)).expect(202);
    assert_eq!(answer.json()["stored_details"], true);
    assert_eq!(counts(&acme), (1, 1, 0));

    let group = group(&acme);
    let list = acme.get(&format!("{}/blobs", group_path(&group))).ok();
    let items = list["items"].as_array().unwrap();
    assert_eq!(items.len(), 1);
    let blob = &items[0];
    for part in ["group_hash", "app_id", "application", "system", "event"] {
        assert_eq!(blob[part], group[part], "{part}");
    }
    let storage_key = blob["storage"]["key"].as_str().unwrap();
    let storage = json!({
        "driver": "s3", "key": storage_key, "compressed_size": packed.len(), "decompressed_size": 49,
        "content_type": "application/json", "encoding": "gzip",
    });
    assert_eq!(blob["storage"], storage);
    assert_eq!(world.store().object(PRIVATE_BUCKET, storage_key).as_deref(), Some(&packed[..]));
    let parts: Vec<&str> = storage_key.split('/').collect();
    assert_eq!((parts.len(), parts[0], parts[1]), (6, "reports", "notes"), "{storage_key}");
    let url = blob["url"].as_str().unwrap();
    assert!(url.contains("X-Amz-Expires=900"), "{url}");
    let seconds = |name: &str| crate::tokens::time(blob[name].as_str().unwrap()).as_millis() / 1000;
    assert!((900..1000).contains(&(seconds("expires_at") - seconds("created_at"))), "{blob}");
    assert_eq!(Client::new("").get(url).send().expect(200).body, packed);
    let unsigned = url.split('?').next().unwrap();
    assert_eq!(Client::new("").get(unsigned).send().status, 403);
    let path = format!("{}/blobs/{}", group_path(&group), blob["id"].as_str().unwrap());
    let read = acme.get(&path).send().expect(200);
    assert_eq!((read.header("content-type"), &read.body), ("application/gzip", &packed));
    let other = format!("{}/blobs/other", group_path(&group));
    assert_eq!(acme.get(&other).send().refusal(), (404, "report details not found".into()));
    let beta = world.admin("beta");
    assert_eq!(beta.get(&path).send().refusal(), (404, "report group not found".into()));
    let stranger = team_user(&world, &acme, "stranger", json!({ "edit": true }));
    assert_eq!(stranger.get(&path).send().status, 403);
}

fn a_group_keeps_its_newest_details(host: Driver) {
    let world = World::builder(host).with_variable("reports_max_blobs_per_group", "3").start();
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    for n in 0..5 {
        let packed = gzip(format!("{{\"n\":{n}}}").as_bytes());
        let _ = send(world.client(), &key, &format!("device-{n}"), &with_details(failure(), &packed));
    }

    let list = acme.get(&format!("{}/blobs", group_path(&group(&acme)))).ok();
    let kept: Vec<Vec<u8>> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|blob| Client::new("").get(blob["url"].as_str().unwrap()).send().expect(200).body)
        .collect();

    assert_eq!(kept, [4, 3, 2].map(|n| gzip(format!("{{\"n\":{n}}}").as_bytes())));
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "").len(), 3);
    assert_eq!(counts(&acme), (5, 5, 0));
}

fn a_zip_bomb_is_refused_quickly(host: Driver) {
    let (world, acme, key) = reporting(host);
    let bomb = gzip(format!("{{\"a\":\"{}\"}}", "0".repeat(32 << 20)).as_bytes());
    let start = Instant::now();

    let answer = send(world.client(), &key, "device", &with_details(failure(), &bomb));

    assert_eq!(answer.refusal(), refused(413, "decompressed details too large"));
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    assert_eq!(counts(&acme), (1, 0, 1));
}

fn a_storage_that_is_down_costs_only_the_details(host: Driver) {
    let (world, acme, key) = reporting(host);
    let report = with_details(failure(), &gzip(b"{}"));
    world.store().stop();

    let answer = send(world.client(), &key, "device-1", &report).expect(202);
    assert_eq!(
        (&answer.json()["status"], &answer.json()["stored_details"]),
        (&json!("accepted"), &json!(false))
    );
    assert_eq!(counts(&acme), (1, 0, 1));
    let _ = send(world.client(), &key, "device-2", &failure()).expect(202);

    world.store().start_again();
    let answer = send(world.client(), &key, "device-3", &report).expect(202);
    assert_eq!(answer.json()["stored_details"], true);
    assert_eq!(counts(&acme), (3, 1, 1));
}

const NOON: &str = "2026-11-21T12:00:00Z";

/// A clock that stands still, on the hour.
fn at_noon(host: Driver) -> (World, Account, String) {
    let world = World::new(host);
    world.platform().set_time(crate::tokens::time(NOON));
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    (world, acme, key)
}

/// The refusal of a report over a limit, and when to come back.
fn over(answer: &Answer) -> (u16, String, String) {
    (answer.status, answer.error(), answer.header("retry-after").to_owned())
}

fn too_many(retry_after: &str) -> (u16, String, String) {
    (429, "rate limit exceeded".to_owned(), retry_after.to_owned())
}

fn a_device_reports_a_failure_once_an_hour(host: Driver) {
    let (world, acme, key) = at_noon(host);
    let report = |device: &str, reason: &str| send(world.client(), &key, device, &failure_because(reason));

    let _ = report("device-1", "segv").expect(202);
    assert_eq!(over(&report("device-1", "segv")), too_many("3600"));
    let _ = report("device-1", "oom").expect(202);
    let _ = report("device-2", "segv").expect(202);
    world.advance(3599);
    assert_eq!(over(&report("device-1", "segv")), too_many("1"));
    world.advance(1);
    let _ = report("device-1", "segv").expect(202);

    assert_eq!(groups(&acme, "reason=segv")[0]["stats"]["count"], 3);
}

fn a_group_takes_30_reports_a_minute(host: Driver) {
    let (world, acme, key) = at_noon(host);
    let report =
        |n: u32, reason: &str| send(world.client(), &key, &format!("device-{n}"), &failure_because(reason));

    for n in 0..30 {
        let _ = report(n, "segv").expect(202);
    }
    world.advance(20);
    assert_eq!(over(&report(30, "segv")), too_many("40"));
    let _ = report(30, "oom").expect(202);
    world.advance(40);
    let _ = report(30, "segv").expect(202);
    assert_eq!(groups(&acme, "reason=segv")[0]["stats"]["count"], 31, "the refused one was sent again");
}

fn a_key_takes_100_reports_a_minute(host: Driver) {
    let (world, acme, key) = at_noon(host);
    let report = |n: u32| send(world.client(), &key, "device", &failure_because(&format!("reason-{n}")));

    for n in 0..100 {
        let _ = report(n).expect(202);
    }
    assert_eq!(over(&report(100)), too_many("60"));
    acme.create_app_with(json!({ "app": "papers", "reports": true }));
    let mut other = failure();
    other["application"]["name"] = json!("papers");
    let _ = send(world.client(), &self::key(&acme, "papers").unwrap(), "device", &other).expect(202);
    world.advance(60);
    let _ = report(100).expect(202);
    assert_eq!(acme.get("/reports/groups").ok()["total"], 102);
}

fn a_limit_comes_before_details_and_after_the_application(host: Driver) {
    let (world, acme, key) = at_noon(host);
    let mut report = with_details(failure(), b"no gzip");
    let ask = |report: &Value| send(world.client(), &key, "device", report).refusal();

    let _ = send(world.client(), &key, "device", &failure()).expect(202);
    assert_eq!(ask(&report), refused(429, "rate limit exceeded"));
    report["application"]["name"] = json!("papers");
    assert_eq!(ask(&report), refused(403, "report key does not belong to this application"));
    assert_eq!(counts(&acme), (1, 0, 0));
}

fn a_failing_key_value_store_lets_reports_in(host: Driver) {
    let (world, acme, key) = at_noon(host);
    world.platform().fail_key_value(true);

    for _ in 0..35 {
        let _ = send(world.client(), &key, "device", &failure()).expect(202);
    }
    assert_eq!(counts(&acme), (35, 0, 0));
}

fn a_report_that_could_not_be_counted_may_be_sent_again(host: Driver) {
    let (world, acme, key) = at_noon(host);
    let database = world.database();
    let sql = "CREATE TRIGGER no BEFORE INSERT ON report_groups BEGIN SELECT RAISE(ABORT, 'no'); END";
    database.execute_batch(sql).unwrap();

    let answer = send(world.client(), &key, "device", &failure());
    assert_eq!(answer.expect(500).json(), json!({ "error": "internal error" }));

    database.execute_batch("DROP TRIGGER no").unwrap();
    let _ = send(world.client(), &key, "device", &failure()).expect(202);
    assert_eq!(counts(&acme), (1, 0, 0));
}

const DEVICES: usize = 500;
const GROUPS: usize = 200;
const GROUPS_OF_A_DEVICE: usize = 20;
const REPORTS: usize = DEVICES * GROUPS_OF_A_DEVICE;

/// Report `n` of the load, each of another pair of device and group: 50 devices for each group.
fn load(n: usize) -> (usize, usize) {
    let device = n % DEVICES;
    (device, (device + n / DEVICES * (GROUPS / GROUPS_OF_A_DEVICE)) % GROUPS)
}

/// Sends reports of the load at the same time; answers how many each group took, and which were refused.
fn send_load(world: &World, key: &str, numbers: &[usize]) -> (BTreeMap<usize, usize>, Vec<usize>) {
    let (accepted, refused) = (Mutex::new(BTreeMap::new()), Mutex::new(Vec::new()));
    in_parallel(numbers.len(), |at| {
        let (device, group) = load(numbers[at]);
        let report = failure_because(&format!("reason-{group}"));
        let answer = send(world.client(), key, &format!("device-{device}"), &report);
        match answer.status {
            202 => *accepted.lock().unwrap().entry(group).or_insert(0) += 1,
            429 => refused.lock().unwrap().push(numbers[at]),
            other => panic!("{other}: {}", answer.text()),
        }
    });
    (accepted.into_inner().unwrap(), refused.into_inner().unwrap())
}

/// The service's count of each group.
fn counted(owner: &Account) -> BTreeMap<usize, usize> {
    let pages = (1..=2).flat_map(|page| groups(owner, &format!("limit=100&page={page}")));
    let count = |group: Value| {
        let reason = group["event"]["reason"].as_str().unwrap().strip_prefix("reason-").unwrap().to_owned();
        (reason.parse().unwrap(), group["stats"]["count"].as_u64().unwrap().try_into().unwrap())
    };
    pages.map(count).collect()
}

fn loaded(host: Driver) -> (World, Account, String) {
    let world =
        World::builder(host).with_variable("reports_rate_limit_per_key_per_minute", "1000000").start();
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    (world, acme, key)
}

fn minute() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 60
}

fn ten_thousand_reports_are_counted_or_refused(host: Driver) {
    let (world, acme, key) = loaded(host);
    let numbers: Vec<usize> = (0..REPORTS).collect();
    let (first, start) = (minute(), Instant::now());

    let (accepted, refused) = send_load(&world, &key, &numbers);

    let minutes = usize::try_from(minute() - first).unwrap() + 1;
    let total: usize = accepted.values().sum();
    println!("{REPORTS} reports: {total} counted, {} refused, {:?}", refused.len(), start.elapsed());
    assert_eq!(counted(&acme), accepted, "each group has as many as were accepted for it");
    assert_eq!(total + refused.len(), REPORTS);
    assert!(accepted.values().all(|count| *count >= 30 && *count <= 30 * minutes), "{accepted:?}");
}

fn of_ten_thousand_reports_a_minute_takes_30_of_each_group(host: Driver) {
    let (world, acme, key) = loaded(host);
    world.platform().set_time(crate::tokens::time(NOON));
    let acme = world.login(acme.name(), spindrift_tests::PASSWORD);
    let numbers: Vec<usize> = (0..REPORTS).collect();
    let each = |count: usize| (0..GROUPS).map(|group| (group, count)).collect::<BTreeMap<_, _>>();

    let (accepted, refused) = send_load(&world, &key, &numbers);
    assert_eq!((&accepted, refused.len()), (&each(30), REPORTS - 30 * GROUPS));
    assert_eq!(counted(&acme), accepted);

    world.advance(60);
    let (accepted, again) = send_load(&world, &key, &refused);
    assert_eq!((accepted, again.len()), (each(20), 0), "reports that a full group refused may be sent again");
    assert_eq!(counted(&acme), each(50));
    world.advance(60);
    let (accepted, again) = send_load(&world, &key, &numbers[..1000]);
    assert_eq!((accepted.len(), again.len()), (0, 1000), "each device has reported each of its failures");
}
