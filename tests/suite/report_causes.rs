//! Causes of failures: groups of all versions and systems together, and changed together.

use http::Method;
use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, World, on_hosts};

use crate::reports::{create_notes, failure, send, team_user};

on_hosts! {
    every: [
        a_cause_has_the_sums_of_its_groups,
        causes_are_sorted_filtered_and_paged,
        causes_are_resolved_and_muted_at_once,
        causes_belong_to_their_owner_and_its_team,
    ],
}

/// Reports of copies: version, platform, type, reason, devices.
const REPORTED: [(&str, &str, &str, &str, usize); 5] = [
    ("1.0.0", "linux", "crash", "segv", 3),
    ("1.1.0", "linux", "crash", "segv", 1),
    ("1.1.0", "windows", "crash", "segv", 2),
    ("1.1.0", "linux", "update_failure", "segv", 1),
    ("1.1.0", "linux", "crash", "oom", 4),
];

fn reported(host: Driver) -> (World, Account) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    for (version, platform, event, reason, devices) in REPORTED {
        let mut report = failure();
        report["application"]["version"] = version.into();
        report["system"]["platform"] = platform.into();
        report["event"] = json!({ "type": event, "reason": reason });
        for device in 0..devices {
            let _ = send(world.client(), &key, &format!("device-{device}"), &report).expect(202);
        }
    }
    (world, acme)
}

fn causes(owner: &Account, query: &str) -> Vec<Value> {
    owner.get(&format!("/reports/causes?{query}")).ok()["items"].as_array().unwrap().clone()
}

/// Type, reason and number of reports of each.
fn brief(causes: &[Value]) -> Vec<String> {
    let text = |cause: &Value| {
        let event = &cause["event"];
        let (kind, reason) = (event["type"].as_str().unwrap(), event["reason"].as_str().unwrap());
        format!("{kind} {reason} {}", cause["reports"])
    };
    causes.iter().map(text).collect()
}

fn change(owner: &Account, query: &str, body: &Value) -> Answer {
    let call = owner.call(Method::PATCH, &format!("/reports/causes?{query}"));
    call.header("content-type", "application/json").body(body.to_string().as_bytes()).send()
}

/// Changes the status of crashes with these reasons.
fn to_status(owner: &Account, reasons: &[&str], status: &str) -> Value {
    let app = owner.app_id("notes");
    let causes = reasons.iter().map(|reason| json!({ "app_id": app, "type": "crash", "reason": reason }));
    json!({ "causes": causes.collect::<Vec<_>>(), "status": status })
}

fn a_cause_has_the_sums_of_its_groups(host: Driver) {
    let (_world, acme) = reported(host);

    let found = acme.get("/reports/causes?sort=reports").send().expect(200);
    assert_eq!(found.header("cache-control"), "private, no-store");
    assert_eq!(found.json()["total"], 3);
    let found = found.json()["items"].as_array().unwrap().clone();

    assert_eq!(brief(&found), ["crash segv 6", "crash oom 4", "update_failure segv 1"]);
    let cause = &found[0];
    assert_eq!((&cause["app_id"], &cause["app_name"]), (&acme.app_id("notes").into(), &json!("notes")));
    assert_eq!((&cause["groups"], &cause["open_groups"]), (&json!(3), &json!(3)));
    assert_eq!((&cause["resolved_groups"], &cause["muted_groups"]), (&json!(0), &json!(0)));
    assert!(cause["first_seen"].as_str().unwrap() <= cause["last_seen"].as_str().unwrap());
    let trend = cause["trend"].as_array().unwrap();
    assert_eq!((trend.len(), &trend[29], &trend[28]), (30, &json!(6), &json!(0)));
    let mut below: Vec<String> = cause["latest"].as_array().unwrap().iter().map(place).collect();
    below.sort();
    assert_eq!(below, ["1.0.0 linux 3", "1.1.0 linux 1", "1.1.0 windows 2"]);
}

fn place(group: &Value) -> String {
    let (version, platform) = (&group["application"]["version"], &group["system"]["platform"]);
    format!("{} {} {}", version.as_str().unwrap(), platform.as_str().unwrap(), group["stats"]["count"])
}

fn causes_are_sorted_filtered_and_paged(host: Driver) {
    let (world, acme) = reported(host);
    let database = world.database();
    for (reason, first, last) in [("segv", 1, 30), ("oom", 2, 20)] {
        let sql = format!(
            "UPDATE report_groups SET first_seen = {first}, last_seen = {last} WHERE reason = '{reason}'"
        );
        database.execute(&sql, []).unwrap();
    }
    for (query, expected) in [
        ("type=crash", &["crash segv 6", "crash oom 4"][..]),
        ("type=crash&sort=last_seen&order=asc", &["crash oom 4", "crash segv 6"]),
        ("type=crash&sort=first_seen", &["crash oom 4", "crash segv 6"]),
        ("sort=reports&order=asc", &["update_failure segv 1", "crash oom 4", "crash segv 6"]),
        ("sort=groups&limit=1", &["crash segv 6"]),
        ("type=crash&sort=reason", &["crash oom 4", "crash segv 6"]),
        ("sort=reports&limit=1&page=2", &["crash oom 4"]),
        ("version=1.1.0&type=crash&sort=reports", &["crash oom 4", "crash segv 3"]),
        ("platform=windows", &["crash segv 2"]),
        ("reason=none", &[]),
        ("app=other", &[]),
    ] {
        assert_eq!(brief(&causes(&acme, query)), expected, "{query}");
    }
    for (query, error) in [
        ("sort=app", "invalid sort parameter"),
        ("order=up", "invalid order parameter"),
        ("limit=0", "invalid limit parameter"),
        ("status=closed", "invalid status parameter"),
    ] {
        assert_eq!(acme.get(&format!("/reports/causes?{query}")).send().refusal(), (400, error.to_owned()));
    }
}

fn causes_are_resolved_and_muted_at_once(host: Driver) {
    let (_world, acme) = reported(host);
    let open = || brief(&causes(&acme, "status=open&sort=reports"));
    let resolved = to_status(&acme, &["segv", "oom"], "resolved");

    // Only groups that match the filters.
    assert_eq!(change(&acme, "version=1.0.0", &resolved).expect(200).json(), json!({ "updated": 1 }));
    assert_eq!(open(), ["crash oom 4", "crash segv 3", "update_failure segv 1"]);
    assert_eq!(change(&acme, "", &resolved).expect(200).json(), json!({ "updated": 3 }));
    assert_eq!(open(), ["update_failure segv 1"]);
    assert_eq!(change(&acme, "", &resolved).expect(200).json(), json!({ "updated": 0 }));
    assert_eq!(causes(&acme, "reason=oom")[0]["resolved_groups"], 1);
    assert_eq!(
        change(&acme, "", &to_status(&acme, &["oom"], "muted")).expect(200).json(),
        json!({ "updated": 1 })
    );
    assert_eq!(causes(&acme, "reason=oom")[0]["muted_groups"], 1);

    let unknown = change(&acme, "", &to_status(&acme, &["nothing"], "muted"));
    assert_eq!(unknown.refusal(), (404, "report cause not found".to_owned()));
    for (body, error) in [
        (json!({}), "missing causes"),
        (to_status(&acme, &[], "muted"), "invalid causes"),
        (to_status(&acme, &["oom"], "closed"), "invalid status"),
        (to_status(&acme, &["out of memory"], "muted"), "invalid reason"),
    ] {
        assert_eq!(change(&acme, "", &body).refusal(), (400, error.to_owned()), "{body}");
    }
}

fn causes_belong_to_their_owner_and_its_team(host: Driver) {
    let (world, acme) = reported(host);
    let app = acme.app_id("notes");
    let muted = to_status(&acme, &["segv"], "muted");
    let other = world.admin("other");
    assert_eq!(causes(&other, ""), Vec::<Value>::new());
    assert_eq!(change(&other, "", &muted).status, 404);

    let reader = team_user(&world, &acme, "reader", json!({ "allowed": [app] }));
    let stranger = team_user(&world, &acme, "stranger", json!({ "edit": true }));
    let editor = team_user(&world, &acme, "editor", json!({ "edit": true, "allowed": [app] }));
    assert_eq!(causes(&reader, "").len(), 3);
    assert_eq!(causes(&stranger, ""), Vec::<Value>::new());
    assert_eq!(change(&reader, "", &muted).status, 403);
    assert_eq!(change(&stranger, "", &muted).status, 403);
    assert_eq!(causes(&acme, "status=muted").len(), 0);
    assert_eq!(change(&editor, "", &muted).expect(200).json(), json!({ "updated": 3 }));
}
