//! Calls that change nothing: they answer as the first one did, and leave no trace in the database.

use std::collections::BTreeMap;

use http::Method;
use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, Multipart, Release, World, on_hosts};

use super::last;
use crate::reports::{create_notes, failure, send};

on_hosts! {
    every: [calls_that_change_nothing_leave_no_trace, an_exchange_of_devices_is_a_change],
}

/// All rows of all tables: with entries, revisions and times, and the places from which webhooks send.
fn rows(world: &World) -> BTreeMap<String, Vec<String>> {
    let database = world.database();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
                  AND name NOT LIKE 'libsql_%'";
    let tables: Vec<String> = database.query_rows(tables, [], |row| row.get(0)).unwrap();
    let of_table = |table: String| {
        let columns = format!("SELECT 'quote(' || name || ')' FROM pragma_table_info('{table}')");
        let columns: Vec<String> = database.query_rows(&columns, [], |row| row.get(0)).unwrap();
        let sql = format!("SELECT {} FROM {table} ORDER BY 1", columns.join(" || ', ' || "));
        (table, database.query_rows(&sql, [], |row| row.get(0)).unwrap())
    };
    tables.into_iter().map(of_table).collect()
}

/// A call that may be made again.
type Call<'a> = (&'static str, Box<dyn Fn() -> Answer + 'a>);

fn post<'a>(by: &'a Account, path: &'static str, body: Value) -> Call<'a> {
    (path, Box::new(move || by.post_json(path, body.clone()).send()))
}

fn patch<'a>(by: &'a Account, name: &'static str, path: String, body: &Value) -> Call<'a> {
    let body = body.to_string();
    let call = move || {
        let call = by.call(Method::PATCH, &path).header("content-type", "application/json");
        call.body(body.as_bytes()).send()
    };
    (name, Box::new(call))
}

fn of_applications<'a>(acme: &'a Account, app: &str) -> Vec<Call<'a>> {
    let set = |fields: Value| -> Call<'a> {
        let data = with_id(app, fields).to_string();
        ("/app/update", Box::new(move || acme.post_form("/app/update", &[("data", &data)]).send()))
    };
    let data = json!({ "id": app }).to_string();
    let logo = move || {
        let form =
            Multipart::new().field("data", data.clone()).file("logo.gif", b"GIF89a and the rest of it");
        acme.post_multipart("/app/update", form).send()
    };
    vec![
        set(json!({ "app": "writer" })),
        set(json!({ "app": "notes" })),
        set(json!({ "description": "Notes ".repeat(300) })),
        set(json!({ "tuf": true })),
        set(json!({ "tuf": false })),
        set(json!({ "cdn": true })),
        set(json!({ "private": true })),
        set(json!({ "private": false })),
        set(json!({ "download_mode": "token" })),
        set(json!({ "get_page": true, "get_page_color": "#0a5f86" })),
        set(json!({ "get_page": false, "get_page_color": "" })),
        set(json!({ "reports": false })),
        set(json!({ "reports": true })),
        ("a logo", Box::new(logo)),
        set(json!({ "app": "notes", "description": "Notes", "cdn": false, "reports": true })),
    ]
}

fn of_dimensions(acme: &Account) -> Vec<Call<'_>> {
    let [beta, mac, arm] =
        [acme.create_channel("beta"), acme.create_platform("mac"), acme.create_arch("arm64")];
    let channel = |fields: Value| post(acme, "/channel/update", with_id(&beta, fields));
    let platform = |fields: Value| post(acme, "/platform/update", with_id(&mac, fields));
    let arch = |fields: Value| post(acme, "/arch/update", with_id(&arm, fields));
    let updaters = json!([{ "type": "manual" }, { "type": "sparkle", "default": true }]);
    vec![
        channel(json!({ "channel": "early" })),
        channel(json!({ "includes": ["stable"] })),
        channel(json!({ "default": true })),
        channel(json!({ "channel": "beta", "default": false, "includes": [] })),
        platform(json!({ "platform": "darwin" })),
        platform(json!({ "updaters": updaters })),
        platform(json!({ "add_updaters": ["tauri"] })),
        platform(json!({ "remove_updaters": ["tauri"] })),
        platform(json!({ "default": true })),
        platform(json!({ "platform": "darwin", "updaters": updaters, "default": false })),
        arch(json!({ "arch": "aarch64" })),
        arch(json!({ "default": true })),
        arch(json!({ "arch": "aarch64", "default": false })),
    ]
}

fn with_id(id: &str, mut fields: Value) -> Value {
    fields["id"] = json!(id);
    fields
}

fn of_accounts<'a>(acme: &'a Account, app: &str) -> Vec<Call<'a>> {
    let ann = json!({ "username": "ann", "password": "password of ann", "permissions": {} });
    acme.post_json("/user/create", ann).ok();
    let ann = acme.get("/users/list").ok()["users"][0]["id"].as_str().unwrap().to_owned();
    let user = |fields: Value| post(acme, "/user/update", with_id(&ann, fields));
    let may_edit = json!({ "apps": { "edit": true, "allowed": [app] } });
    vec![
        user(json!({ "username": "anna" })),
        user(json!({ "permissions": may_edit })),
        user(json!({ "permissions": {} })),
        user(json!({ "username": "ann", "permissions": may_edit })),
    ]
}

fn of_groups<'a>(acme: &'a Account, app: &str) -> Vec<Call<'a>> {
    let group =
        acme.post_json("/device-groups", json!({ "app": "notes", "name": "qa" })).send().expect(201).json();
    let path = format!("/device-groups/{}/devices", group["id"].as_str().unwrap());
    let devices = |body: Value| -> Call<'a> {
        let path = path.clone();
        ("/device-groups/{id}/devices", Box::new(move || acme.post_json(&path, body.clone()).send()))
    };
    let groups = acme.get("/reports/groups").ok();
    let hash = groups["items"][0]["group_hash"].as_str().unwrap().to_owned();
    let group = |fields: &Value| {
        patch(acme, "/reports/groups/{hash}", format!("/reports/groups/{hash}?app_id={app}"), fields)
    };
    vec![
        devices(json!({ "add": ["one", "two"] })),
        devices(json!({ "remove": ["two"] })),
        devices(json!({ "add": ["three"], "remove": ["three", "one"] })),
        group(&json!({ "status": "muted" })),
        group(&json!({ "tags": ["gpu", "gpu", "driver"] })),
        group(&json!({ "note": "An old driver" })),
        group(&json!({ "status": "open", "tags": [], "note": "" })),
    ]
}

fn calls_that_change_nothing_leave_no_trace(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    let _ = send(world.client(), &key, "device-1", &failure()).expect(202);
    let app = acme.app_id("notes");
    // Some changes are refused once the application has files, and some are only seen then.
    let mut calls = of_applications(&acme, &app);
    calls.push(post(&acme, "/report-keys/regenerate", json!({ "app_id": app, "key_value": key })));
    calls.extend(of_dimensions(&acme));
    calls.extend(of_accounts(&acme, &app));
    calls.extend(of_groups(&acme, &app));
    let me = acme.get("/whoami").ok()["id"].clone();
    let same_name = post(&acme, "/admin/update", json!({ "id": me, "username": "acme" }));
    for (at, (name, call)) in calls.iter().enumerate() {
        let entries = last(&acme);
        let first = call().expect(200);
        assert_eq!(last(&acme), entries + 1, "{name}, call {at}, is a change: {}", first.text());
        let before = rows(&world);
        for _ in 0..2 {
            assert_eq!(call().expect(200).json(), first.json(), "{name}, call {at}");
            assert_eq!(rows(&world), before, "{name}, call {at}");
        }
    }
    acme.publish(Release::new("1.0.0"));
    let before = rows(&world);
    let _ = same_name.1().expect(200);
    assert_eq!(rows(&world), before);

    let causes = json!([{ "app_id": app, "type": "crash", "reason": "segv" }]);
    let resolve = json!({ "causes": causes, "status": "resolved" });
    let (_, resolve) = patch(&acme, "", "/reports/causes".to_owned(), &resolve);
    assert_eq!(resolve().expect(200).json()["updated"], 1);
    let before = rows(&world);
    assert_eq!(resolve().expect(200).json()["updated"], 0);
    assert_eq!(rows(&world), before);
}

/// The number of devices is the same, which is all that the entry tells.
fn an_exchange_of_devices_is_a_change(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let group =
        acme.post_json("/device-groups", json!({ "app": "notes", "name": "qa" })).send().expect(201).json();
    let path = format!("/device-groups/{}/devices", group["id"].as_str().unwrap());
    for (body, entries) in [
        (json!({ "add": ["one"] }), 1),
        (json!({ "add": ["two"], "remove": ["one"] }), 1),
        (json!({ "add": ["two"], "remove": ["one"] }), 0),
    ] {
        let before = last(&acme);
        assert_eq!(acme.post_json(&path, body.clone()).ok()["devices"], 1);
        assert_eq!(last(&acme), before + entries, "{body}");
    }
}
