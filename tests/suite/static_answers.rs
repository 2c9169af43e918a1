//! Static answers in the CDN bucket: a projection of the published releases.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use spindrift_tests::{
    Account, Answer, CDN_BUCKET, Client, Driver, Multipart, Objects, Release, World, on_hosts, squirrel,
    tauri_signature,
};

mod clients;
mod cost;
mod failures;
mod kill;

on_hosts! {
    every: [
        publishing_writes_the_answers_of_all_versions,
        names_may_hold_spaces,
        unused_dimensions_are_called_default,
        a_check_writes_nothing,
        every_change_of_a_release_is_written,
        every_change_of_names_is_written,
        updaters_and_includes_are_written,
        cdn_is_turned_off_and_on,
        a_deleted_application_leaves_nothing,
        versions_of_deleted_releases_keep_their_answers,
        the_newest_200_versions_have_answers,
        only_answers_in_json_stand_there,
        an_unchanged_answer_is_not_written_again,
    ],
}

pub(crate) const FOLDER: &str = "responses/acme/notes/stable/linux/amd64";
const CACHED: &str = "public, max-age=60, must-revalidate";

/// An owner whose application `notes` has static answers.
pub(crate) fn with_cdn(account: Account) -> Account {
    account.create_app_with(json!({ "app": "notes", "cdn": true }));
    account.create_channel("stable");
    account.create_platform("linux");
    account.create_arch("amd64");
    account
}

pub(crate) fn acme(world: &World) -> Account {
    with_cdn(world.admin("acme"))
}

/// The keys of all static answers.
pub(crate) fn keys(objects: &Objects) -> Vec<String> {
    objects.keys(CDN_BUCKET, "")
}

/// The keys of the answers to clients of these versions, in a folder of a platform with `manual` alone.
pub(crate) fn keys_in(folder: &str, versions: &[&str]) -> Vec<String> {
    let keys =
        |version: &&str| [format!("{folder}/{version}.json"), format!("{folder}/manual/{version}.json")];
    let mut keys: Vec<String> = versions.iter().flat_map(keys).collect();
    keys.sort_unstable();
    keys
}

/// The public answer at an address in the CDN bucket.
pub(crate) fn published(objects: &Objects, key: &str) -> Answer {
    Client::new("")
        .get(&format!("{}/{CDN_BUCKET}/{}", objects.url(), key.replace(' ', "%20").replace('+', "%2B")))
        .send()
}

/// The check without a device that an object answers.
pub(crate) fn check_of(client: &Client, key: &str) -> Answer {
    let segments: Vec<&str> = key.trim_end_matches(".json").split('/').skip(1).collect();
    let (scope, rest) = segments.split_at(5);
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let mut query = format!("owner={}&app_name={}", scope[0], encode(scope[1]));
    for (name, value) in ["channel", "platform", "arch"].iter().zip(&scope[2..]) {
        if *value != "default" {
            query.extend(["&", name, "=", value]);
        }
    }
    let check = |more: &str| {
        client.get(&format!("/checkVersion?{query}&version={}{more}", encode(rest[rest.len() - 1]))).send()
    };
    if rest.len() == 2 {
        return check(&format!("&updater={}", rest[0]));
    }
    let answer = check("");
    let is_json = answer.status == 200 && answer.header("content-type") == "application/json";
    if is_json { answer } else { check("&updater=manual") }
}

/// Every object there equals the answer of a check.
pub(crate) fn assert_true(objects: &Objects, client: &Client) {
    for key in keys(objects) {
        let check = check_of(client, &key).expect(200);
        assert_eq!(published(objects, &key).expect(200).text(), check.text(), "{key}");
    }
}

/// There are answers to clients of these versions of `notes`, true ones, and no others.
pub(crate) fn assert_written(world: &World, versions: &[&str]) {
    assert_eq!(keys(world.store()), keys_in(FOLDER, versions));
    assert_true(world.store(), world.client());
}

pub(crate) fn set_cdn(acme: &Account, on: bool) {
    let data = json!({ "id": acme.app_id("notes"), "cdn": on }).to_string();
    let _ = acme.post_multipart("/app/update", Multipart::new().field("data", data)).send().expect(200);
}

pub(crate) fn id_of(acme: &Account, version: &str) -> String {
    acme.release(version).id.to_string()
}

fn publishing_writes_the_answers_of_all_versions(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.upload(&Release::new("0.9.0"));
    assert_eq!(keys(world.store()), [""; 0], "nothing is published yet");

    acme.publish(Release::new("1.0.0").critical().with("changelog", "☃"));
    assert_written(&world, &["1.0.0"]);
    acme.publish(Release::new("1.1.0+build.7").rollout(30));
    assert_written(&world, &["1.0.0", "1.1.0+build.7"]);

    let object = published(world.store(), &format!("{FOLDER}/1.0.0.json"));
    assert_eq!(object.json()["version"], "1.1.0+build.7");
    assert_eq!(object.json()["rollout"]["percent"], 30);
    assert_eq!((object.header("content-type"), object.header("cache-control")), ("application/json", CACHED));
}

fn names_may_hold_spaces(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app_with(json!({ "app": "My Notes", "cdn": true }));

    acme.publish(Release::new("1.0.0").with("app_name", "My Notes"));

    assert_eq!(keys(world.store()), keys_in("responses/acme/My Notes/stable/linux/amd64", &["1.0.0"]));
    assert_true(world.store(), world.client());
}

fn unused_dimensions_are_called_default(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app_with(json!({ "app": "notes", "cdn": true }));
    acme.publish(Release::new("1.0.0").without("channel").without("platform").without("arch"));
    let folder = "responses/acme/notes/default/default/default";
    assert_eq!(keys(world.store()), keys_in(folder, &["1.0.0"]));
    assert_true(world.store(), world.client());

    acme.create_platform("linux");
    assert_eq!(
        keys(world.store()),
        keys_in(folder, &["1.0.0"]),
        "copies that name no platform keep their answers"
    );
    assert_true(world.store(), world.client());
}

fn a_check_writes_nothing(host: Driver) {
    let world = World::builder(host)
        .with_gate()
        .with_variable("device_hash_key", "a key for the hashes of devices")
        .start();
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let _ = world.gate().take_calls();

    acme.check_as("a-device", "0.2");
    acme.check("0.3");
    acme.check("1.0.0");
    acme.get("/responses/acme/notes/stable/linux/amd64/0.4.json").ok();

    acme.publish(Release::new("2.0.0"));

    let asked: Vec<String> = world.gate().take_calls().into_iter().map(|(_, path)| path).collect();
    let known = keys_in(FOLDER, &["1.0.0", "2.0.0"]);
    let is_known = |path: &String| known.iter().any(|key| *path == format!("/{CDN_BUCKET}/{key}"));
    let unknown: Vec<&String> =
        asked.iter().filter(|path| path.contains(FOLDER) && !is_known(path)).collect();
    assert_eq!(unknown, [""; 0], "{asked:?}");
    assert_written(&world, &["1.0.0", "2.0.0"]);
}

#[test]
fn the_component_that_checks_cannot_reach_the_storage() {
    let manifest: toml::Table = include_str!("../../spin.toml").parse().unwrap();
    let check = manifest["component"]["check"].as_table().unwrap();
    assert!(!check.contains_key("allowed_outbound_hosts"), "{check:?}");
    let variables = check["variables"].as_table().unwrap();
    let of_storage = |name: &&String| name.starts_with("s3_") && *name != "s3_public_url";
    assert_eq!(variables.keys().find(of_storage), None);
}

fn every_change_of_a_release_is_written(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let staged =
        acme.stage(&Release::empty("2.0.0").file("notes.deb", "a").file("notes.rpm", "b").published());

    let _ = acme.complete(&staged).expect(200);
    assert_written(&world, &["1.0.0", "2.0.0"]);
    let _ = acme.upload_in_one(&Release::new("3.0.0").published()).expect(200);
    let all = ["1.0.0", "2.0.0", "3.0.0"];
    assert_written(&world, &all);
    let (second, third) = (id_of(&acme, "2.0.0"), id_of(&acme, "3.0.0"));
    let mut last = String::new();
    let mut change = |what: &str, change: &dyn Fn()| {
        change();
        assert_written(&world, &all);
        let now = published(world.store(), &format!("{FOLDER}/1.0.0.json")).text();
        assert_ne!(now, last, "{what}");
        last = now;
    };
    let edit = |id: &str, value: Value| drop(acme.edit(id, value).expect(200));

    change("unpublish", &|| edit(&third, json!({ "publish": false })));
    change("publish", &|| edit(&third, json!({ "publish": true })));
    change("changelog", &|| edit(&third, json!({ "changelog": "new" })));
    change("critical", &|| edit(&third, json!({ "critical": true })));
    change("rollout", &|| edit(&third, json!({ "rollout": 40 })));
    change("intermediate", &|| edit(&second, json!({ "intermediate": true })));
    change("a file more", &|| {
        let added = Release::empty("2.0.0").file("notes.dmg", "c");
        let _ = acme.edit_with_files(&second, &added, &json!({})).expect(200);
    });
    change("a file less", &|| {
        let data =
            json!({ "id": second, "app_name": "notes", "version": "2.0.0", "artifacts_to_delete": [0] });
        let _ = acme.post_form("/artifact/delete", &[("data", &data.to_string())]).send().expect(200);
    });
    change("a file less by an edit", &|| edit(&second, json!({ "artifacts_to_delete": [0] })));
    change("delete", &|| drop(acme.delete(&format!("/apps/delete?id={second}")).send().expect(200)));
}

/// The identifier of a channel, platform or architecture.
fn dimension(acme: &Account, kind: &str, name: &str) -> String {
    let (list, key) = match kind {
        "channel" => ("channels", "ChannelName"),
        "platform" => ("platforms", "PlatformName"),
        _ => ("archs", "ArchID"),
    };
    let all = acme.get(&format!("/{kind}/list")).ok();
    let found = all[list].as_array().unwrap().iter().find(|entry| entry[key] == name);
    found.unwrap()["ID"].as_str().unwrap().to_owned()
}

fn every_change_of_names_is_written(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app_with(json!({ "app": "papers", "cdn": true }));
    acme.publish(Release::new("1.0.0").with("app_name", "papers"));
    acme.publish(Release::new("1.0.0"));
    let others = keys_in(&FOLDER.replace("notes", "papers"), &["1.0.0"]);
    let assert_only = |folder: &str| {
        let mut expected = keys_in(folder, &["1.0.0"]);
        expected.extend(
            others
                .iter()
                .map(|key| key.replace("stable/linux/amd64", &folder["responses/acme/notes/".len()..])),
        );
        expected.sort_unstable();
        assert_eq!(keys(world.store()), expected);
        assert_true(world.store(), world.client());
    };
    assert_only(FOLDER);

    let rename = |kind: &str, from: &str, to: &str| {
        let body = json!({ "id": dimension(&acme, kind, from), kind: to });
        acme.post_json(&format!("/{kind}/update"), body).ok();
    };
    rename("channel", "stable", "main");
    assert_only("responses/acme/notes/main/linux/amd64");
    rename("platform", "linux", "tux");
    assert_only("responses/acme/notes/main/tux/amd64");
    rename("arch", "amd64", "x64");
    assert_only("responses/acme/notes/main/tux/x64");

    let data = json!({ "id": acme.app_id("notes"), "app": "jots" }).to_string();
    let _ = acme.post_multipart("/app/update", Multipart::new().field("data", data)).send().expect(200);
    let mut expected = keys_in("responses/acme/jots/main/tux/x64", &["1.0.0"]);
    expected.extend(keys_in("responses/acme/papers/main/tux/x64", &["1.0.0"]));
    assert_eq!(keys(world.store()), expected);
    assert_true(world.store(), world.client());
}

fn updaters_and_includes_are_written(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let beta = acme.create_channel("beta");
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0-rc.1").with("channel", "beta"));
    let beta_folder = FOLDER.replace("stable", "beta");
    let in_beta = || keys(world.store()).into_iter().filter(|key| key.contains("/beta/")).collect::<Vec<_>>();
    assert_eq!(in_beta(), keys_in(&beta_folder, &["1.1.0-rc.1"]));

    acme.post_json("/channel/update", json!({ "id": beta, "includes": ["stable"] })).ok();
    assert_eq!(in_beta(), keys_in(&beta_folder, &["1.0.0", "1.1.0-rc.1"]));
    assert_true(world.store(), world.client());
    acme.publish(Release::new("1.2.0"));
    assert_eq!(in_beta(), keys_in(&beta_folder, &["1.0.0", "1.1.0-rc.1", "1.2.0"]));
    assert_true(world.store(), world.client());
    acme.post_json("/channel/update", json!({ "id": beta, "includes": [] })).ok();
    assert_eq!(in_beta(), keys_in(&beta_folder, &["1.1.0-rc.1"]));

    let linux = dimension(&acme, "platform", "linux");
    let set = |updaters: Value| {
        acme.post_json("/platform/update", json!({ "id": linux, "updaters": updaters })).ok();
        assert_true(world.store(), world.client());
        keys(world.store()).len()
    };
    assert_eq!(
        set(json!([{ "type": "manual" }, { "type": "tauri", "default": true }])),
        3,
        "nothing for Tauri"
    );
    assert_eq!(set(json!([{ "type": "sparkle", "default": true }])), 0);
    assert_eq!(set(json!([{ "type": "sparkle", "default": true }, { "type": "manual" }])), 6);
}

fn cdn_is_turned_off_and_on(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));

    set_cdn(&acme, false);
    assert_eq!(keys(world.store()), [""; 0]);
    acme.publish(Release::new("2.0.0"));
    assert_eq!(keys(world.store()), [""; 0]);
    set_cdn(&acme, true);
    assert_written(&world, &["1.0.0", "2.0.0"]);
}

fn a_deleted_application_leaves_nothing(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let id = acme.publish(Release::new("1.0.0"));
    let _ = acme.delete(&format!("/apps/delete?id={id}")).send().expect(200);
    assert_written(&world, &["1.0.0"]);

    let _ = acme.delete(&format!("/app/delete?id={}", acme.app_id("notes"))).send().expect(200);

    assert_eq!(keys(world.store()), [""; 0]);
    let count = |table: &str| -> i64 {
        world.database().query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    assert_eq!((count("projections"), count("scope_versions")), (0, 0));
}

fn versions_of_deleted_releases_keep_their_answers(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let first = acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("2.0.0"));
    let third = acme.publish(Release::new("3.0.0"));

    let _ = acme.delete(&format!("/apps/delete?id={first}")).send().expect(200);
    let _ = acme.edit(&third, json!({ "publish": false })).expect(200);

    assert_written(&world, &["1.0.0", "2.0.0", "3.0.0"]);
    let installed = published(world.store(), &format!("{FOLDER}/1.0.0.json")).json();
    assert_eq!((&installed["update_available"], &installed["version"]), (&json!(true), &json!("2.0.0")));
}

fn the_newest_200_versions_have_answers(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("2.0.0"));
    remember_versions(&world, 205);

    acme.publish(Release::new("3.0.0"));

    let expected: Vec<String> = (7..205).map(|n| format!("1.0.{n}")).collect();
    let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    expected.extend(["2.0.0", "3.0.0"]);
    assert_eq!(keys(world.store()), keys_in(FOLDER, &expected));
    let oldest = published(world.store(), &format!("{FOLDER}/1.0.7.json"));
    assert_eq!(oldest.text(), acme.get(&acme.check_path("1.0.7")).send().text());
}

/// So many versions below 2.0.0, published once in every place where something is published now, and long gone.
pub(crate) fn remember_versions(world: &World, count: usize) {
    let database = world.database();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    for n in 0..count {
        let version: spindrift_core::Version = format!("1.0.{n}").parse().unwrap();
        database
            .execute(
                "INSERT OR IGNORE INTO scope_versions SELECT DISTINCT app_id, ?1, channel_id, platform_id, arch_id, ?2 FROM scope_versions",
                [version.sort_key(), version.to_string()],
            )
            .unwrap();
    }
    database.execute_batch("COMMIT").unwrap();
}

fn only_answers_in_json_stand_there(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_platform_with("windows", &["squirrel_windows", "manual", "tauri"]);
    acme.create_platform_with("mac", &["tauri", "squirrel_windows"]);
    let tauri = |version: &str, platform: &str| {
        let release =
            Release::empty(version).file("notes.msi.zip", "x").with("signature", tauri_signature(None));
        release.with("platform", platform).with("updater", "tauri")
    };
    for platform in ["windows", "mac"] {
        acme.publish(tauri("0.9.0", platform));
        acme.publish(tauri("1.0.0", platform));
        acme.publish(squirrel("1.1.0", &[]).with("platform", platform));
    }

    let of = |platform: &str, rest: &[&str]| {
        let folder = FOLDER.replace("linux", platform);
        rest.iter().map(|rest| format!("{folder}/{rest}.json")).collect::<Vec<_>>()
    };
    // A client of Tauri that has the newest version is offered nothing, and that answer's status is not 200.
    let mut expected = of("mac", &["0.9.0", "tauri/0.9.0"]);
    let manual = ["0.9.0", "1.0.0", "1.1.0", "manual/0.9.0", "manual/1.0.0", "manual/1.1.0", "tauri/0.9.0"];
    expected.extend(of("windows", &manual));
    assert_eq!(keys(world.store()), expected);
    assert_true(world.store(), world.client());
    // The service's own answer under such a path is the same.
    for key in ["0.9.0", "1.0.0", "manual/1.1.0", "tauri/0.9.0", "squirrel_windows/1.0.0", "squirrel/1.0.0"] {
        for platform in ["windows", "mac"] {
            let key = of(platform, &[key]).remove(0);
            let (near, own) = (published(world.store(), &key), world.get(&format!("/{key}")).send());
            assert_eq!(near.status, own.status, "{key}");
            if own.status == 200 {
                assert_eq!(near.text(), own.text(), "{key}");
            }
        }
    }
}

fn an_unchanged_answer_is_not_written_again(host: Driver) {
    let world = World::builder(host).with_gate().start();
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let _ = world.gate().take_calls();

    acme.publish(Release::new("0.9.0"));

    let written: Vec<String> = world
        .gate()
        .take_calls()
        .into_iter()
        .filter(|(method, _)| method == "PUT")
        .map(|(_, path)| path)
        .collect();
    let expected = keys_in(FOLDER, &["0.9.0"]).into_iter().map(|key| format!("/{CDN_BUCKET}/{key}"));
    assert_eq!(std::collections::BTreeSet::from_iter(written), expected.collect());
    assert_written(&world, &["0.9.0", "1.0.0"]);
}
