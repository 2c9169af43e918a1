//! The collection of calls for Postman, in the order in which a user would try them.

use serde_json::{Value, json};
use spindrift_tests::{API_KEY, Call, Client, Driver, PASSWORD, World, on_hosts};

use super::{Form, fetch, items, text};

on_hosts! {
    every: [
        an_owner_is_set_up_and_publishes,
        created_items_are_changed_and_deleted,
        updates_are_asked_for,
        people_and_tokens_are_managed,
        a_failure_is_reported_and_looked_at,
    ],
}

/// The headers that Postman sends with every call.
const HEADERS: [(&str, &str); 4] = [
    ("User-Agent", "PostmanRuntime/7.43.0"),
    ("Accept", "*/*"),
    ("Cache-Control", "no-cache"),
    ("Accept-Encoding", "gzip, deflate, br"),
];
const BOUNDARY: &str = "--------------------------012345678901234567890123";

fn postman(call: Call<'_>) -> Call<'_> {
    HEADERS.iter().fold(call, |call, (name, value)| call.header(name, value))
}

/// A body as written in the collection, with its line breaks.
fn raw<'a>(client: &'a Client, path: &str, body: &str) -> Call<'a> {
    postman(client.post(path)).header("Content-Type", "application/json").body(body.as_bytes())
}

fn form<'a>(client: &'a Client, path: &str, form: Form) -> Call<'a> {
    form.on(postman(client.post(path)))
}

/// DELETE with a body.
fn delete<'a>(client: &'a Client, path: &str, body: &str) -> Call<'a> {
    postman(client.delete(path)).header("Content-Type", "application/json").body(body.as_bytes())
}

fn list(client: &Client, path: &str) -> Value {
    postman(client.get(path)).ok()
}

fn data(data: &str) -> Form {
    Form::new(BOUNDARY).field("data", data)
}

/// Identifiers of the things that the collection creates.
struct Made {
    client: Client,
    app: String,
    channel: String,
    platform: String,
    arch: String,
}

fn set_up(world: &World) -> Made {
    let credentials = format!("\"username\": \"admin\", \"password\": \"{PASSWORD}\"");
    raw(world.client(), "/signup", &format!("{{{credentials}, \"api_key\": \"{API_KEY}\"}}")).ok();
    let login = raw(world.client(), "/login", &format!("{{{credentials}}}")).ok();
    let client = world.client().with_token(text(&login["token"]));
    let made = |answer: Value, key: &str| text(&answer[key]).to_owned();
    let updaters = "[\n        { \"type\": \"squirrel_windows\" },\n        { \"type\": \"manual\", \"default\": true },\n        \
                    { \"type\": \"squirrel_darwin\" },\n        { \"type\": \"sparkle\" }\n    ]";
    let platform = format!("{{\n    \"platform\": \"linux\",\n    \"updaters\": {updaters}\n}}");
    Made {
        app: made(
            form(&client, "/app/create", data(r#"{"app":"myapp", "description": "An editor"}"#)).ok(),
            "createAppResult.Created",
        ),
        channel: made(
            raw(&client, "/channel/create", "{\n    \"channel\": \"nightly\"\n}").ok(),
            "createChannelResult.Created",
        ),
        platform: made(raw(&client, "/platform/create", &platform).ok(), "createPlatformResult.Created"),
        arch: made(
            raw(&client, "/arch/create", "{\n    \"arch\": \"amd64\"\n}").ok(),
            "createArchResult.Created",
        ),
        client,
    }
}

/// Two files, and behind them the metadata.
fn upload(made: &Made) -> String {
    let form_data = Form::new(BOUNDARY)
        .file("test.rpm", "application/x-rpm", b"an rpm")
        .file("test.deb", "application/vnd.debian.binary-package", b"a deb")
        .field(
            "data",
            r#"{"app_name":"myapp","version":"0.0.0.5","channel":"nightly","publish":true,"critical":false,"platform":"linux","arch":"amd64","changelog":"- Faster"}"#,
        );
    let answer = form(&made.client, "/upload", form_data).ok();
    text(&answer["uploadResult.Uploaded"]).to_owned()
}

fn an_owner_is_set_up_and_publishes(host: Driver) {
    let world = World::new(host);
    let made = set_up(&world);
    let release = upload(&made);

    let found = list(&made.client, "/search?app_name=myapp");
    let [item] = items(&found, "items") else { panic!("{found}") };
    assert_eq!(
        (&item["ID"], &item["Published"], &item["Critical"]),
        (&json!(release), &json!(true), &json!(false))
    );
    assert_eq!(items(item, "Artifacts").len(), 2);
    for (path, key, name, id) in [
        ("/app/list", "apps", "AppName", &made.app),
        ("/channel/list", "channels", "ChannelName", &made.channel),
        ("/platform/list", "platforms", "PlatformName", &made.platform),
        ("/arch/list", "archs", "ArchID", &made.arch),
    ] {
        let all = list(&made.client, path);
        let [entry] = items(&all, key) else { panic!("{all}") };
        assert_eq!(entry["ID"], json!(id), "{path}");
        assert!(entry[name].is_string() && entry["Updated_at"].is_string(), "{entry}");
    }
}

fn created_items_are_changed_and_deleted(host: Driver) {
    let world = World::new(host);
    let made = set_up(&world);
    let client = &made.client;
    let release = upload(&made);
    let (channel, platform, arch) = (&made.channel, &made.platform, &made.arch);

    let update = format!(
        r#"{{"id": "{release}", "app_name": "myapp", "version": "0.0.0.5", "channel": "nightly", "publish": false, "platform": "linux", "arch": "amd64", "changelog": ""}}"#
    );
    let update = data(&update).file("test.dmg", "application/x-apple-diskimage", b"a dmg");
    assert_eq!(form(client, "/apps/update", update).ok(), json!({ "updatedResult.Updated": true }));
    let delete_artifact = format!(
        r#"{{"id": "{release}", "app_name": "myapp", "version": "0.0.0.5", "artifacts_to_delete": [ "0"]}}"#
    );
    let answer = form(client, "/artifact/delete", data(&delete_artifact)).ok();
    assert_eq!(answer, json!({ "deleteSpecificArtifactResult": true }));
    let found = list(client, "/search?app_name=myapp");
    assert_eq!(
        (&found["items"][0]["Published"], items(&found["items"][0], "Artifacts").len()),
        (&json!(false), 2)
    );
    let answer = postman(client.delete(&format!("/apps/delete?id={release}"))).ok();
    assert_eq!(answer["deleteSpecificAppResult.DeletedCount"], 1);
    for (path, id, field, key) in [
        ("/channel/update", channel, "channel", "updateChannelResult.Updated"),
        ("/arch/update", arch, "arch", "updateArchResult.Updated"),
        ("/platform/update", platform, "platform", "updatePlatformResult.Updated"),
    ] {
        let body = format!("{{\n    \"id\":\"{id}\", \n    \"{field}\":\"newname\"\n}}");
        assert_eq!(raw(client, path, &body).ok()[key], true, "{path}");
    }
    let update = format!(
        r#"{{"id":"{}", "app":"newname", "reports": "false", "tuf": "false", "cdn": "false"}}"#,
        made.app
    );
    assert_eq!(form(client, "/app/update", data(&update)).ok(), json!({ "updateAppResult.Updated": true }));
    for (kind, id, key) in [
        ("platform", platform, "deletePlatformResult.DeletedCount"),
        ("channel", channel, "deleteChannelResult.DeletedCount"),
        ("arch", arch, "deleteArchResult.DeletedCount"),
        ("app", &made.app, "deleteAppResult.DeletedCount"),
    ] {
        let answer = postman(client.delete(&format!("/{kind}/delete?id={id}"))).ok();
        assert_eq!(answer[key], 1, "{kind}");
    }
}

fn updates_are_asked_for(host: Driver) {
    let world =
        World::builder(host).with_variable("device_hash_key", "a key for the hashes of devices").start();
    let made = set_up(&world);
    upload(&made);
    let scope = "channel=nightly&platform=linux&arch=amd64&owner=admin";
    let get = |path: &str| postman(world.get(path)).send();

    assert_eq!(get("/health").expect(200).json(), json!({ "status": "healthy" }));
    let check = get(&format!("/checkVersion?app_name=myapp&version=0.0.0.4&{scope}")).expect(200).json();
    assert_eq!(fetch(text(&check["update_url_deb"])), "a deb");
    let latest = get(&format!("/apps/latest?app_name=myapp&{scope}")).expect(200).json();
    assert_eq!(fetch(text(&latest["nightly"]["linux"]["amd64"]["rpm"]["url"])), "an rpm");
    let beacon = format!("/telemetry/beacon?app_name=myapp&version=0.0.0.4&{scope}&is_latest=true");
    let beacon = postman(world.get(&beacon)).header("X-Device-ID", "device-1").send().expect(204);
    assert!(beacon.body.is_empty());
    let week = list(&made.client, "/telemetry?range=week");
    assert_eq!(items(&week, "date_range").len(), 7);
    // Nothing for Squirrel was published: not an empty feed, which its clients take for an error.
    assert_eq!(get("/update/admin/myapp/nightly/linux/amd64/0.0.0.4/RELEASES").status, 404);
}

fn people_and_tokens_are_managed(host: Driver) {
    let world = World::new(host);
    let made = set_up(&world);
    let client = &made.client;
    let apps = "\"create\": true,\n      \"delete\": false,\n      \"edit\": true";
    let rest = format!("{{\n      {apps},\n      \"allowed\": [\"\"]\n    }}");
    let permissions = format!(
        "{{\n    \"apps\": {{\n      {apps},\n      \"download\": true,\n      \"upload\": false,\n      \
         \"allowed\": [\"\", \"{}\"]\n    }},\n    \"channels\": {rest},\n    \"platforms\": {rest},\n    \"archs\": {rest}\n  }}",
        made.app
    );
    let user = format!(
        "{{\n  \"username\": \"ann\",\n  \"password\": \"password of ann\",\n  \"permissions\": {permissions}\n}}"
    );

    assert!(raw(client, "/user/create", &user).ok()["message"].is_string());
    let users = list(client, "/users/list");
    let id = text(&users["users"][0]["id"]).to_owned();
    assert_eq!(
        users["users"][0]["permissions"]["Apps"]["Allowed"],
        json!([made.app]),
        "empty entries are skipped"
    );
    let update = format!("{{\n  \"id\": \"{id}\",{}", user.strip_prefix('{').unwrap());
    assert!(raw(client, "/user/update", &update).ok()["message"].is_string());
    assert!(delete(client, "/user/delete", &format!("{{\"id\": \"{id}\"}}")).ok()["message"].is_string());
    let whoami = list(client, "/whoami");
    assert_eq!((&whoami["username"], &whoami["is_admin"]), (&json!("admin"), &json!(true)));
    let token = format!(
        r#"{{ "name": "ci - my app", "allowed_apps": ["{}"], "expires_at": "2999-12-31T00:00:00Z" }}"#,
        made.app
    );
    let token = raw(client, "/token/create", &token).send().expect(201).json();
    assert_eq!(list(client, "/token/list")["tokens"][0]["id"], token["id"]);
    let body = format!(r#"{{ "id": "{}" }}"#, text(&token["id"]));
    assert_eq!(delete(client, "/token/delete", &body).ok(), json!({ "message": "Token revoked" }));
    let admin = format!(
        "{{\n    \"id\":\"{}\",\n    \"username\":\"admin\",\n    \"password\":\"{PASSWORD}\"\n    \n}}",
        text(&whoami["id"])
    );
    assert!(raw(client, "/admin/update", &admin).ok()["message"].is_string());
}

fn a_failure_is_reported_and_looked_at(host: Driver) {
    let world = World::new(host);
    let made = set_up(&world);
    let client = &made.client;
    let on = format!(
        r#"{{"id":"{}", "app":"myapp", "reports": "true", "tuf": "false", "cdn": "false"}}"#,
        made.app
    );
    form(client, "/app/update", data(&on)).ok();
    assert_eq!(items(&list(client, "/report-keys/list"), "report_keys").len(), 1);
    let key =
        raw(client, "/report-keys/regenerate", &format!("{{\n    \"app_id\": \"{}\"\n}}", made.app)).ok();
    assert_eq!(key["app_id"], json!(made.app));

    let body = "{\n    \"application\": { \"name\": \"myapp\", \"version\": \"1.4.2\", \"channel\": \"nightly\" },\n    \
                \"system\":      { \"platform\": \"windows\", \"arch\": \"amd64\" },\n    \
                \"event\":       { \"type\": \"update_failure\", \"reason\": \"wrong_checksum\" }\n}";
    let copy = world.client().with_token(text(&key["key_value"]));
    let call = raw(&copy, "/reports/ingest", body).header("X-Device-ID", "A-device_2");
    let hash = text(&call.send().expect(202).json()["group_hash"]).to_owned();
    let groups = list(client, "/reports/groups");
    assert_eq!(groups["items"][0]["stats"]["count"], 1);
    let path = format!("/reports/groups/{hash}");
    let patch = r#"{"status":"resolved","tags":["ui","again"],"note":"known"}"#;
    let call = postman(client.call(http::Method::PATCH, &path)).header("Content-Type", "application/json");
    assert_eq!(call.body(patch.as_bytes()).ok()["group_hash"], json!(hash));
    assert_eq!(postman(client.delete(&path)).ok()["deleted"], true);
}
