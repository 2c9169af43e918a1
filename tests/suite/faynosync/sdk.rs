//! The libraries for Go and for JavaScript.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use spindrift_tests::{Answer, Client, Driver, Release, World, bucket, gzip, on_hosts, until};

use super::{Form, admin, fetch, myapp, text, with_myapp};

on_hosts! {
    every: [
        the_go_library_checks_the_service,
        the_go_library_asks_the_edge_and_sends_a_beacon,
        the_javascript_library_checks_the_service,
        the_javascript_library_resolves_native_feeds,
        the_javascript_library_reports_an_event,
        the_javascript_example_downloads_a_private_file,
        a_copy_decides_about_its_rollout_as_the_service_does,
    ],
}

const GO: &str = "faynosync-go/1.0";
const JS: &str = "faynosync-js/1.0";

fn get(world: &World, agent: &str, path: &str, device: Option<&str>) -> Answer {
    let call = world.get(path).header("Accept", "application/json").header("User-Agent", agent);
    match device {
        Some(device) => call.header("X-Device-ID", device).send(),
        None => call.send(),
    }
}

/// A service with one published release; the client that manages it.
fn service(world: &World) -> Client {
    let admin = admin(world, "admin");
    with_myapp(&admin);
    let form =
        Form::new("----form").field("data", &myapp("0.0.0.5", true)).file("a.deb", "text/plain", b"a deb");
    form.on(admin.post("/upload")).ok();
    admin
}

fn the_go_library_checks_the_service(host: Driver) {
    let world = World::new(host);
    service(&world);
    // Parameters by name, as Go sorts them.
    let path = |version: &str| {
        format!(
            "/checkVersion?app_name=myapp&arch=amd64&channel=nightly&owner=admin&platform=linux&version={version}"
        )
    };

    let update = get(&world, GO, &path("0.0.0.4"), Some("device-1")).expect(200).json();
    assert_eq!((&update["update_available"], &update["critical"]), (&json!(true), &json!(false)));
    assert_eq!(fetch(text(&update["update_url_deb"])), "a deb");
    assert!(text(&update["changelog"]).starts_with("- Faster"));
    let latest = get(&world, GO, &path("0.0.0.5"), None).expect(200).json();
    assert_eq!(latest["update_available"], false);
    let rollback = get(&world, GO, &path("0.0.0.6"), None).expect(200).json();
    assert_eq!(rollback["possible_rollback"], true);
    assert_eq!(get(&world, GO, &path("0.0.0.4").replace("=linux", "="), None).status, 400);
}

fn the_go_library_asks_the_edge_and_sends_a_beacon(host: Driver) {
    let world =
        World::builder(host).with_variable("device_hash_key", "a key for the hashes of devices").start();
    let admin = service(&world);

    let edge = "/responses/admin/myapp/nightly/linux/amd64/manual/0.0.0.4.json";
    let update = get(&world, GO, edge, Some("device-1")).expect(200);
    assert_eq!(update.header("content-type"), "application/json");
    assert_eq!(update.json()["update_available"], true);
    let query = "app_name=myapp&arch=amd64&channel=nightly&is_latest=false&owner=admin&platform=linux&version=0.0.0.4";
    let beacon = world.get(&format!("/telemetry/beacon?{query}")).header("User-Agent", GO);
    assert_eq!(beacon.header("X-Device-ID", "device-1").send().status, 204);

    let counted = || (admin.get("/telemetry").ok()["summary"]["unique_clients"] == 1).then_some(());
    until("a device that is counted", Duration::from_secs(10), counted);
}

fn the_javascript_library_checks_the_service(host: Driver) {
    let world = World::new(host);
    service(&world);
    let path = "/checkVersion?app_name=myapp&version=0.0.0.4&channel=nightly&platform=linux&arch=amd64&owner=admin&updater=manual";

    let update = get(&world, JS, path, None).expect(200).json();

    assert_eq!(update["update_available"], true);
    assert_eq!(fetch(text(&update["update_url_deb"])), "a deb");
    let edge = "/responses/admin/myapp/nightly/linux/amd64/manual/0.0.0.4.json";
    assert_eq!(get(&world, JS, edge, None).expect(200).json(), update, "the edge says the same");
}

fn the_javascript_library_resolves_native_feeds(host: Driver) {
    let world = World::new(host);
    let admin = service(&world);
    let account = world.login("admin", spindrift_tests::PASSWORD);
    let updaters = json!([{ "type": "manual", "default": true }, { "type": "squirrel_darwin" }]);
    admin.post_json("/platform/create", json!({ "platform": "darwin", "updaters": updaters })).ok();
    let mac = Release::empty("1.0.0")
        .with("app_name", "myapp")
        .with("channel", "nightly")
        .with("platform", "darwin");
    account.publish(mac.with("updater", "squirrel_darwin").file("MyApp.zip", "a zip"));
    let feed = |version: &str| {
        let query = format!(
            "app_name=myapp&version={version}&channel=nightly&platform=darwin&arch=amd64&owner=admin"
        );
        get(&world, JS, &format!("/checkVersion?{query}&updater=squirrel_darwin"), None)
    };

    let update = feed("0.9.0").expect(200).json();
    assert_eq!(fetch(text(&update["url"])), "a zip");
    assert_eq!(feed("1.0.0").status, 204, "the library does not start the updater");
    let edge = "/responses/admin/myapp/nightly/darwin/amd64/squirrel_darwin/0.9.0.json";
    assert_eq!(get(&world, JS, edge, None).expect(200).json()["url"], update["url"]);
    let windows = Release::empty("1.1.0").with("app_name", "myapp").with("channel", "nightly");
    let name = "MyApp-1.1.0-full.nupkg";
    let windows = windows.with("updater", "squirrel_windows").file(name, name);
    account.publish(windows.feed("RELEASES", spindrift_tests::squirrel_line(name)));
    // The library gives the folder without a final slash, and Squirrel appends its file.
    let releases =
        world.get("/update/admin/myapp/nightly/linux/amd64/1.0.0/RELEASES?id=MyApp&localVersion=1.0.0");
    assert!(releases.send().expect(200).text().contains(name));
}

fn the_javascript_library_reports_an_event(host: Driver) {
    let world = World::new(host);
    let admin = service(&world);
    let keys = admin.get("/report-keys/list").ok();
    let key = text(&keys["report_keys"][0]["key_value"]).to_owned();
    let payload = STANDARD.encode(gzip(br#"{"stack":"...","exitCode":11}"#));
    let report = |device: &str, details: Option<Value>| {
        let mut body = json!({
            "application": { "name": "myapp", "version": "0.0.0.5", "channel": "nightly" },
            "system": { "platform": "linux", "arch": "amd64" },
            "event": { "type": "crash", "reason": "signal.11_x-y" },
        });
        if let Some(details) = details {
            body["details"] = details;
        }
        let copy = world.client().with_token(&key);
        let call = copy
            .post_json("/reports/ingest", body)
            .header("Accept", "application/json")
            .header("User-Agent", JS);
        call.header("X-Device-ID", device).send().expect(202).json()
    };

    let plain = report("device-1", None);
    let details =
        json!({ "encoding": "gzip+base64", "content_type": "application/json", "payload": payload });
    let detailed = report("device-2", Some(details));

    assert_eq!((&plain["status"], &plain["stored_details"]), (&json!("accepted"), &json!(false)));
    assert_eq!((&detailed["status"], &detailed["stored_details"]), (&json!("accepted"), &json!(true)));
    assert_eq!(plain["group_hash"], detailed["group_hash"]);
}

/// Its token goes into a header of the check and of the download; it follows the redirect by hand, without the token.
fn the_javascript_example_downloads_a_private_file(host: Driver) {
    let world = World::new(host);
    let admin = service(&world);
    let data = r#"{"app":"desk","private":true,"download_mode":"token"}"#;
    let app = Form::new("----form").field("data", data).on(admin.post("/app/create")).ok();
    let form = Form::new("----form").field("data", &myapp("0.0.0.2", true).replace("myapp", "desk"));
    form.file("tool", "application/octet-stream", b"a tool").on(admin.post("/upload")).ok();
    let body = json!({ "app_id": app["createAppResult.Created"] });
    let token = admin.post_json("/download-tokens/regenerate", body).ok();
    let token = text(&token["token"]);

    let query = "app_name=desk&version=0.0.0.1&channel=nightly&platform=linux&arch=amd64&owner=admin";
    let call =
        world.get(&format!("/checkVersion?{query}&updater=manual")).header("Accept", "application/json");
    let update = call.header("X-Download-Token", token).ok();
    let path = text(&update["update_url"]).strip_prefix(&world.url()).unwrap().to_owned();
    let download =
        world.get(&path).header("X-Download-Token", token).header("Accept", "*/*").send().expect(302);

    assert_eq!(fetch(download.header("location")), "a tool");
    let bare = path.split("&download_token=").next().unwrap();
    assert_eq!(world.get(bare).send().status, 401);
}

/// The reference of all libraries: a copy learns percentage and seed without identifying itself, step by step past
/// releases that it must not skip, and reports its new version.
fn a_copy_decides_about_its_rollout_as_the_service_does(host: Driver) {
    let world = World::new(host);
    let admin = admin(&world, "admin");
    with_myapp(&admin);
    for (version, more) in [
        ("1.0.0", json!({})),
        ("1.0.1", json!({ "intermediate": true })),
        ("1.0.2", json!({ "rollout": 60 })),
    ] {
        let mut data: Value = serde_json::from_str(&myapp(version, true)).unwrap();
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let form =
            Form::new("----form").field("data", &data.to_string()).file("a.deb", "text/plain", b"a deb");
        form.on(admin.post("/upload")).ok();
    }
    let path = |version: &str| {
        format!(
            "/checkVersion?app_name=myapp&arch=amd64&channel=nightly&owner=admin&platform=linux&version={version}"
        )
    };
    let offered =
        |version: &str, device: Option<&str>| get(&world, GO, &path(version), device).expect(200).json();

    let first = offered("1.0.0", None);
    assert_eq!((&first["is_intermediate_required"], first.get("rollout")), (&json!(true), None));
    let rollout = offered("1.0.1", None)["rollout"].clone();
    assert_eq!(rollout["percent"], 60);
    for device in (0..20).map(|number| format!("{number:032x}")) {
        let is_in = bucket(&device, text(&rollout["seed"])) < 60;
        assert_eq!(offered("1.0.1", Some(&device))["update_available"], is_in, "{device}");
    }
}
