//! The dashboard's page of failure reports.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use spindrift_tests::{Client, Driver, World, gzip, on_hosts};

use super::dashboard::{delete, get, patch, post, with_myapp, world};
use super::{admin, items, text};

on_hosts! {
    every: [
        the_key_is_shown_and_made_again,
        groups_are_filtered,
        details_are_listed_with_an_address,
        a_group_is_edited_and_deleted,
    ],
}

fn key(client: &Client) -> String {
    text(&get(client, "/report-keys/list")["report_keys"][0]["key_value"]).to_owned()
}

/// Reports a crash with details; answers the group's hash.
fn report(world: &World, key: &str) -> String {
    let details = json!({
        "encoding": "gzip+base64", "content_type": "application/json", "payload": STANDARD.encode(gzip(b"{\"a\":1}")),
    });
    let body = json!({
        "application": { "name": "myapp", "version": "1.4.2", "channel": "nightly" },
        "system": { "platform": "linux", "arch": "amd64" },
        "event": { "type": "crash", "reason": "null_pointer" },
        "details": details,
    });
    let copy = world.client().with_token(key);
    let call = copy.post_json("/reports/ingest", body).header("X-Device-ID", "device-1");
    text(&call.send().expect(202).json()["group_hash"]).to_owned()
}

fn the_key_is_shown_and_made_again(host: Driver) {
    let world = world(host);
    let client = admin(&world, "admin");
    let app = with_myapp(&client);
    let listed = get(&client, "/report-keys/list");
    let [shown] = items(&listed, "report_keys") else { panic!("{listed}") };
    assert_eq!((&shown["app_id"], &shown["app_name"]), (&json!(app), &json!("myapp")));
    assert!(shown["updated_at"].is_string());
    let before = text(&shown["key_value"]).to_owned();

    let made = post(&client, "/report-keys/regenerate", json!({ "app_id": app })).expect(200).json();

    assert_eq!(made["app_id"], json!(app));
    assert_eq!(text(&made["key_value"]), key(&client));
    assert_ne!(before, key(&client));
}

fn groups_are_filtered(host: Driver) {
    let world = world(host);
    let client = admin(&world, "admin");
    with_myapp(&client);
    let hash = report(&world, &key(&client));
    let total =
        |filters: &str| get(&client, &format!("/reports/groups?page=1&limit=20{filters}"))["total"].clone();

    let found = get(&client, "/reports/groups?page=1&limit=20&status=all");
    let [group] = items(&found, "items") else { panic!("{found}") };
    assert_eq!((&group["group_hash"], &group["status"]), (&json!(hash), &json!("open")));
    assert_eq!(group["application"], json!({ "name": "myapp", "version": "1.4.2", "channel": "nightly" }));
    assert_eq!(group["system"], json!({ "platform": "linux", "arch": "amd64" }));
    assert_eq!(group["event"], json!({ "type": "crash", "reason": "null_pointer" }));
    assert_eq!((&group["stats"]["count"], &group["stats"]["details_stored"]), (&json!(1), &json!(1)));
    let all = "&status=open&app=myapp&version=1.4.2&channel=nightly&platform=linux&arch=amd64&type=crash&reason=null_pointer";
    assert_eq!(total(all), 1);
    let time = "&from=2020-01-01T00%3A00%3A00.000Z&to=2999-01-01T00%3A00%3A00.000Z";
    assert_eq!(total(time), 1);
    for none in ["&status=resolved", "&status=muted", "&version=1.4", "&version=not+one", "&reason=other"] {
        assert_eq!(total(none), 0, "{none}");
    }
}

fn details_are_listed_with_an_address(host: Driver) {
    let world = world(host);
    let client = admin(&world, "admin");
    let app = with_myapp(&client);
    let hash = report(&world, &key(&client));

    let blobs = get(&client, &format!("/reports/groups/{hash}/blobs"));

    let [blob] = items(&blobs, "items") else { panic!("{blobs}") };
    assert_eq!((&blob["group_hash"], &blob["app_id"]), (&json!(hash), &json!(app)));
    assert_eq!(blob["application"], json!({ "name": "myapp", "version": "1.4.2", "channel": "nightly" }));
    assert_eq!(blob["system"], json!({ "platform": "linux", "arch": "amd64" }));
    assert_eq!(blob["event"], json!({ "type": "crash", "reason": "null_pointer" }));
    let storage = &blob["storage"];
    assert_eq!(
        (&storage["decompressed_size"], &storage["content_type"]),
        (&json!(7), &json!("application/json"))
    );
    for name in ["driver", "key", "encoding"] {
        assert!(storage[name].is_string(), "{name}: {storage}");
    }
    assert!(blob["created_at"].is_string() && blob["expires_at"].is_string(), "{blob}");
    let packed = Client::new("").get(text(&blob["url"])).send().expect(200);
    assert_eq!(storage["compressed_size"], json!(packed.body.len()));
}

fn a_group_is_edited_and_deleted(host: Driver) {
    let world = world(host);
    let client = admin(&world, "admin");
    with_myapp(&client);
    let hash = report(&world, &key(&client));
    let path = format!("/reports/groups/{hash}");
    let group = || -> Value { get(&client, "/reports/groups?page=1&limit=20")["items"][0].clone() };

    assert_eq!(patch(&client, &path, &json!({ "status": "resolved" }))["group_hash"], json!(hash));
    patch(&client, &path, &json!({ "tags": ["ui"], "note": "tracked" }));
    assert_eq!(
        (&group()["status"], &group()["tags"], &group()["note"]),
        (&json!("resolved"), &json!(["ui"]), &json!("tracked"))
    );
    let gone = delete(&client, &path, None);
    assert_eq!(gone, json!({ "group_hash": hash, "deleted": true }));
    assert_eq!(group(), Value::Null);
}
