//! `GET /tuf/v1/artifacts`, and the fields of searches.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, World, on_hosts, sha256_hex, sha512_hex};

use super::{acme, begin, mark, one_file, sign, two_files};

on_hosts! {
    every: [
        artifacts_are_shown_as_targets,
        pages_and_filters,
        possible_answers_of_checks_are_needed,
        only_permitted_callers_may_ask,
        searches_say_what_is_signed,
    ],
}

const PATH: &str = "/tuf/v1/artifacts?appName=notes";

fn artifacts_are_shown_as_targets(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let answer = acme.get(PATH).send().expect(200);
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let body = answer.json();
    assert_eq!((&body["total"], &body["page"], &body["limit"]), (&json!(4), &json!(1), &json!(9)));
    assert_eq!(body["keep"], 5);
    let expected = json!({
        "name": "acme/notes/stable/linux/amd64/notes-1.1.0.deb",
        "version": "1.1.0",
        "channel": "stable",
        "platform": "linux",
        "arch": "amd64",
        "package": "deb",
        "length": 9,
        "hashes": { "sha256": sha256_hex(b"deb 1.1.0"), "sha512": sha512_hex(b"deb 1.1.0") },
        "state": "unlisted",
        "published": true,
        "needed": false,
    });
    assert_eq!(body["items"][0], expected);
    mark(&world, &acme, "1.1.0", (".deb", "listed"));
    let item = acme.get(PATH).ok()["items"][0].clone();
    assert_eq!((&item["state"], &item["needed"]), (&json!("listed"), &json!(true)));
}

fn versions(acme: &Account, query: &str) -> Vec<String> {
    let body = acme.get(&format!("{PATH}{query}")).ok();
    let version = |item: &Value| item["version"].as_str().unwrap().to_owned();
    body["items"].as_array().unwrap().iter().map(version).collect()
}

fn pages_and_filters(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.upload(&one_file("1.2.0"));

    assert_eq!(versions(&acme, ""), ["1.2.0", "1.1.0", "1.1.0", "1.0.0", "1.0.0"]);
    assert_eq!(versions(&acme, "&limit=2&page=2"), ["1.1.0", "1.0.0"]);
    assert_eq!(versions(&acme, "&limit=2&page=4"), [""; 0]);
    assert_eq!(versions(&acme, "&version=v1.1"), ["1.1.0", "1.1.0"]);
    assert_eq!(versions(&acme, "&state=legacy"), ["1.0.0", "1.0.0"]);
    assert_eq!(versions(&acme, "&state=unlisted&version=1.2.0"), ["1.2.0"]);
    assert_eq!(versions(&acme, "&state=listed"), [""; 0]);
    assert_eq!(versions(&acme, "&version=1.2.0&also=legacy"), ["1.2.0", "1.0.0", "1.0.0"]);
    assert_eq!(versions(&acme, "&version=1.2.0&also=listed&limit=1000"), ["1.2.0"]);
    assert_eq!(acme.get(&format!("{PATH}&version=1.1.0&limit=1")).ok()["total"], 2);
    let unpublished = acme.get(&format!("{PATH}&version=1.2.0")).ok()["items"][0].clone();
    assert_eq!(unpublished["published"], false);
    for (query, text) in [
        ("&state=signed", "invalid state parameter"),
        ("&also=signed", "invalid also parameter"),
        ("&version=x", "invalid version parameter"),
        ("&page=0", "invalid page parameter"),
        ("&limit=1001", "invalid limit parameter"),
    ] {
        assert_eq!(acme.get(&format!("{PATH}{query}")).send().refusal(), (400, text.into()));
    }
    assert_eq!(acme.get("/tuf/v1/artifacts").send().refusal(), (400, "missing appName".into()));
}

fn needed(acme: &Account) -> Vec<String> {
    let items = super::items(acme);
    let needed = items.iter().filter(|item| item["needed"] == true);
    needed.map(|item| item["version"].as_str().unwrap().to_owned()).collect()
}

fn possible_answers_of_checks_are_needed(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(one_file("0.9.0"));
    let _publisher = begin(&acme);
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        acme.publish(one_file(version));
    }
    assert_eq!(needed(&acme), ["0.9.0"], "unlisted releases take no place");
    sign(&world, &acme, |_| true);
    assert_eq!(needed(&acme), ["1.2.0"]);
    let newest = acme.release("1.2.0").id.to_string();
    let _ = acme.edit(&newest, json!({ "rollout": 10 })).expect(200);
    assert_eq!(needed(&acme), ["1.2.0", "1.1.0"]);
    let oldest = acme.release("1.0.0").id.to_string();
    let _ = acme.edit(&oldest, json!({ "intermediate": true })).expect(200);
    assert_eq!(needed(&acme), ["1.2.0", "1.1.0", "1.0.0"]);
    let _ = acme.edit(&newest, json!({ "publish": false })).expect(200);
    assert_eq!(needed(&acme), ["1.1.0", "1.0.0"]);
}

fn only_permitted_callers_may_ask(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let other = world.admin("other");
    let token = acme.ci_token(&[&acme.app_id("notes")]);
    assert_eq!(token.get(PATH).send().status, 200);
    acme.create_app("empty");
    let stranger = acme.ci_token(&[&acme.app_id("empty")]);
    assert_eq!(stranger.get(PATH).send().refusal(), (403, "not allowed".into()));
    assert_eq!(other.get(PATH).send().refusal(), (404, "application not found".into()));
    assert_eq!(world.get(PATH).send().status, 401);
    let empty = PATH.replace("notes", "empty");
    assert_eq!(acme.get(&empty).send().refusal(), (404, "repository not found".into()));
}

fn searches_say_what_is_signed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(two_files("1.2.0"));
    mark(&world, &acme, "1.1.0", (".rpm", "listed"));
    let signed =
        |version: &str| acme.release(version).artifacts.iter().map(|one| one.tuf_signed).collect::<Vec<_>>();
    assert_eq!([signed("1.0.0"), signed("1.1.0"), signed("1.2.0")], [[false; 2], [false, true], [false; 2]]);
    let artifacts = acme.release("1.1.0").artifacts;
    assert_eq!(artifacts[0].tuf_task_id, None);
    let task = artifacts[1].tuf_task_id.clone().unwrap();
    let body = acme.get(&format!("/tuf/v1/task?task_id={task}")).ok();
    assert_eq!(body["data"]["state"], "SUCCESS");
    assert_eq!(body["data"]["result"]["task"], "metadata_update");
}
