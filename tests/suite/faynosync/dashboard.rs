//! The dashboard, which runs in a browser: applications, dimensions, releases, downloads, figures.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use spindrift_tests::{Answer, Call, Client, Driver, World, on_hosts, until};

use super::{Form, admin, fetch, items, myapp, text};

on_hosts! {
    every: [
        a_page_may_call_the_service,
        an_application_is_made_and_edited,
        channels_platforms_and_architectures_are_made_and_edited,
        a_release_is_uploaded_found_and_edited,
        a_private_file_is_downloaded_by_the_script,
        the_figures_are_shown,
    ],
}

const ORIGIN: &str = "http://localhost:3000";
pub(super) const BOUNDARY: &str = "----WebKitFormBoundary0123456789ABCDEF";

/// A service that lets the dashboard's page in.
pub(super) fn world(host: Driver) -> World {
    let builder = World::builder(host).with_variable("allowed_cors", ORIGIN);
    builder.with_variable("device_hash_key", "a key for the hashes of devices").start()
}

/// Adds the headers of axios and the browser to a call.
fn sent(call: Call<'_>) -> Answer {
    let answer = call.header("Accept", "application/json, text/plain, */*").header("Origin", ORIGIN).send();
    assert_eq!(answer.header("access-control-allow-origin"), ORIGIN, "{}", answer.text());
    answer
}

pub(super) fn get(client: &Client, path: &str) -> Value {
    sent(client.get(path)).expect(200).json()
}

pub(super) fn post(client: &Client, path: &str, body: Value) -> Answer {
    sent(client.post_json(path, body))
}

pub(super) fn patch(client: &Client, path: &str, body: &Value) -> Value {
    let call = client.call(Method::PATCH, path).header("Content-Type", "application/json");
    sent(call.body(body.to_string().as_bytes())).expect(200).json()
}

pub(super) fn delete(client: &Client, path: &str, body: Option<Value>) -> Value {
    let call = client.delete(path);
    match body {
        Some(body) => sent(call.header("Content-Type", "application/json").body(body.to_string().as_bytes()))
            .expect(200)
            .json(),
        None => sent(call).expect(200).json(),
    }
}

pub(super) fn post_form(client: &Client, path: &str, form: Form) -> Value {
    sent(form.on(client.post(path))).expect(200).json()
}

fn data(data: &Value) -> Form {
    Form::new(BOUNDARY).field("data", &data.to_string())
}

fn png() -> Vec<u8> {
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()
}

pub(super) fn create_app(client: &Client, fields: &Value) -> String {
    let answer = post_form(client, "/app/create", data(fields));
    text(&answer["createAppResult.Created"]).to_owned()
}

/// `myapp` with everything that a release belongs to.
pub(super) fn with_myapp(client: &Client) -> String {
    post(client, "/channel/create", json!({ "channel": "nightly" })).expect(200).json();
    let updaters = json!([{ "type": "manual", "default": true }]);
    post(client, "/platform/create", json!({ "platform": "linux", "updaters": updaters })).expect(200).json();
    post(client, "/arch/create", json!({ "arch": "amd64" })).expect(200).json();
    create_app(
        client,
        &json!({ "app": "myapp", "description": "", "tuf": "false", "reports": "true", "cdn": "false" }),
    )
}

fn a_page_may_call_the_service(host: Driver) {
    let world = world(host);
    for (method, path) in
        [("POST", "/login"), ("GET", "/app/list"), ("PATCH", "/reports/groups/x"), ("DELETE", "/user/delete")]
    {
        let call = world.client().call(Method::OPTIONS, path).header("Origin", ORIGIN);
        let call = call.header("Access-Control-Request-Method", method);
        let answer =
            call.header("Access-Control-Request-Headers", "authorization,content-type").send().expect(204);
        assert_eq!(answer.header("access-control-allow-origin"), ORIGIN, "{path}");
        assert!(answer.header("access-control-allow-methods").contains(method), "{path}");
        let allowed = answer.header("access-control-allow-headers");
        assert!(allowed.contains("authorization") && allowed.contains("content-type"), "{allowed}");
    }
    let refused =
        post(world.client(), "/login", json!({ "username": "admin", "password": "not the password" }));
    assert_eq!(refused.refusal(), (401, "invalid username or password".into()), "the page shows `error`");
}

fn an_application_is_made_and_edited(host: Driver) {
    let world = world(host);
    let client = admin(&world, "admin");
    let fields = json!({ "app": "myapp", "description": "d", "private": "true", "tuf": "false", "reports": "true", "cdn": "false" });
    let form = data(&fields).file("logo.png", "image/png", &png());
    let id = text(&post_form(&client, "/app/create", form)["createAppResult.Created"]).to_owned();

    let listed = get(&client, "/app/list");
    let [app] = items(&listed, "apps") else { panic!("{listed}") };
    for (key, value) in [
        ("ID", json!(id)),
        ("AppName", json!("myapp")),
        ("Description", json!("d")),
        ("Private", json!(true)),
        ("Tuf", json!(false)),
        ("Reports", json!(true)),
        ("CdnEdge", json!(false)),
    ] {
        assert_eq!(app[key], value, "{key}");
    }
    assert!(text(&app["Logo"]).starts_with("http") && app["Updated_at"].is_string());
    let fields = json!({ "id": id, "app": "myapp", "description": "e", "tuf": "true", "reports": "false", "cdn": "false" });
    assert_eq!(post_form(&client, "/app/update", data(&fields))["updateAppResult.Updated"], true);
    let app = get(&client, "/app/list")["apps"][0].clone();
    assert_eq!((&app["Private"], &app["Tuf"], &app["Reports"]), (&json!(true), &json!(true), &json!(false)));
    assert_eq!(delete(&client, &format!("/app/delete?id={id}"), None)["deleteAppResult.DeletedCount"], 1);
}

fn channels_platforms_and_architectures_are_made_and_edited(host: Driver) {
    let world = world(host);
    let client = admin(&world, "admin");
    for (kind, list, name, result) in [
        ("channel", "channels", "ChannelName", "Channel"),
        ("platform", "platforms", "PlatformName", "Platform"),
        ("arch", "archs", "ArchID", "Arch"),
    ] {
        let with = |fields: Value| {
            let mut fields = fields;
            if kind == "platform" {
                fields["updaters"] = json!([{ "type": "manual", "default": true }, { "type": "tauri" }]);
            }
            fields
        };
        let made =
            post(&client, &format!("/{kind}/create"), with(json!({ kind: "first" }))).expect(200).json();
        let id = made[format!("create{result}Result.Created")].clone();
        let update = with(json!({ "id": id, kind: "second" }));
        let updated = post(&client, &format!("/{kind}/update"), update).expect(200).json();
        assert_eq!(updated[format!("update{result}Result.Updated")], true);
        let all = get(&client, &format!("/{kind}/list"));
        let [entry] = items(&all, list) else { panic!("{all}") };
        assert_eq!((&entry["ID"], &entry[name]), (&id, &json!("second")));
        if kind == "platform" {
            assert_eq!(entry["Updaters"][0], json!({ "type": "manual", "default": true }));
            assert_eq!(entry["Updaters"][1]["type"], "tauri");
        }
        let taken = post(&client, &format!("/{kind}/create"), with(json!({ kind: "second" })));
        assert_eq!(taken.status, 409);
        assert!(!taken.error().is_empty(), "the page shows it");
        let deleted = delete(&client, &format!("/{kind}/delete?id={}", text(&id)), None);
        assert_eq!(deleted[format!("delete{result}Result.DeletedCount")], 1);
    }
    // A form in which no updater was chosen.
    let body = json!({ "platform": "linux", "updaters": [] });
    let _ = post(&client, "/platform/create", body).expect(200);
    assert_eq!(get(&client, "/platform/list")["platforms"][0]["Updaters"][0]["type"], "manual");
}

fn a_release_is_uploaded_found_and_edited(host: Driver) {
    let world = world(host);
    let client = admin(&world, "admin");
    with_myapp(&client);
    let form = Form::new(BOUNDARY).file("a.deb", "application/x-debian-package", b"a deb").file(
        "b",
        "application/octet-stream",
        b"bare",
    );
    let uploaded = post_form(&client, "/upload", form.field("data", &myapp("0.0.1", false)));
    let id = text(&uploaded["uploadResult.Uploaded"]).to_owned();
    let search = |filters: &str| get(&client, &format!("/search?app_name=myapp&limit=9&page=1{filters}"));

    let found = search("&channel=nightly&published=false&critical=false&platform=linux&arch=amd64");
    assert_eq!((&found["total"], &found["page"], &found["limit"]), (&json!(1), &json!(1), &json!(9)));
    let item = &found["items"][0];
    assert_eq!(
        (&item["ID"], &item["Version"], &item["Channel"]),
        (&json!(id), &json!("0.0.1"), &json!("nightly"))
    );
    assert_eq!(item["Changelog"][0]["Changes"], "- Faster\n- Smaller");
    assert!(item["Changelog"][0]["Date"].is_string() && item["RolloutPercent"] == 100);
    assert_eq!(
        (&item["Artifacts"][0]["platform"], &item["Artifacts"][0]["package"]),
        (&json!("linux"), &json!("deb"))
    );
    for none in ["&published=true", "&critical=true"] {
        assert_eq!(search(none)["total"], 0, "{none}");
    }
    let change = json!({
        "id": id, "app_name": "myapp", "version": "0.0.1", "channel": "nightly", "publish": true, "critical": true,
        "intermediate": false, "platform": "linux", "arch": "amd64", "changelog": "new", "rollout": 50,
    });
    let edit = data(&change).file("c.rpm", "application/x-rpm", b"an rpm");
    assert_eq!(post_form(&client, "/apps/update", edit)["updatedResult.Updated"], true);
    let item = search("&published=true&critical=true")["items"][0].clone();
    assert_eq!((&item["RolloutPercent"], items(&item, "Artifacts").len()), (&json!(50), 3));
    let last = json!({ "id": id, "app_name": "myapp", "version": "0.0.1", "artifacts_to_delete": ["2"] });
    assert_eq!(post_form(&client, "/artifact/delete", data(&last))["deleteSpecificArtifactResult"], true);
    let item = search("")["items"][0].clone();
    assert!(items(&item, "Artifacts").iter().all(|artifact| artifact["package"] != "rpm"), "{item}");
    let deleted = delete(&client, &format!("/apps/delete?id={id}"), None);
    assert_eq!(deleted["deleteSpecificAppResult.DeletedCount"], 1);
}

/// The script asks with its login and opens the address that the answer names.
fn a_private_file_is_downloaded_by_the_script(host: Driver) {
    let world = world(host);
    let client = admin(&world, "admin");
    with_myapp(&client);
    create_app(
        &client,
        &json!({ "app": "secret", "description": "", "private": "true", "tuf": "false", "reports": "false", "cdn": "false" }),
    );
    let form = Form::new(BOUNDARY).field("data", &myapp("0.0.1", true).replace("myapp", "secret"));
    post_form(&client, "/upload", form.file("s.deb", "application/x-debian-package", b"a secret"));

    let found = get(&client, "/search?app_name=secret&limit=9&page=1");
    let link = text(&found["items"][0]["Artifacts"][0]["link"]).to_owned();
    let answer = get(&client, link.strip_prefix(&world.url()).unwrap());

    assert_eq!(fetch(text(&answer["download_url"])), "a secret");
}

fn the_figures_are_shown(host: Driver) {
    let world = world(host);
    let client = admin(&world, "admin");
    with_myapp(&client);
    let form = Form::new(BOUNDARY).file("a.deb", "application/x-debian-package", b"a deb");
    post_form(&client, "/upload", form.field("data", &myapp("0.0.1", true)));
    let beacon = "/telemetry/beacon?app_name=myapp&version=0.0.1&channel=nightly&platform=linux&arch=amd64&owner=admin";
    assert_eq!(world.get(beacon).header("X-Device-ID", "device-1").send().status, 204);
    let today = get(&client, "/telemetry")["date"].clone();
    let filters = "apps=myapp&channels=nightly&platforms=linux&architectures=amd64";

    let shown = until("a device that is counted", Duration::from_secs(10), || {
        let shown = get(&client, &format!("/telemetry?{filters}&date={}", text(&today)));
        (shown["summary"]["unique_clients"] == 1).then_some(shown)
    });

    assert_eq!(shown["versions"]["usage"][0], json!({ "version": "0.0.1", "client_count": 1 }));
    for range in ["week", "month"] {
        let shown = get(&client, &format!("/telemetry?{filters}&range={range}"));
        assert_eq!(shown["summary"]["unique_clients"], 1, "{range}");
        assert_eq!(items(&shown, "daily_stats").len(), items(&shown, "date_range").len(), "{range}");
    }
}
