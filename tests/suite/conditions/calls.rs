//! The calls that change conditions: what they refuse, and what the audit log tells.

use serde_json::{Value, json};
use spindrift_tests::{Answer, Driver, Release, World, on_hosts};

use super::{Scene, add_devices, group, post};
use crate::audit::{kinds_after, last, newest};

on_hosts! {
    every: [
        groups_are_made_listed_and_deleted,
        bad_groups_are_refused,
        bad_requirements_are_refused,
        an_upload_names_known_groups,
        every_change_is_told_without_secrets,
        a_changed_release_is_not_overwritten,
        tokens_need_a_right,
        a_group_goes_with_its_application,
        records_have_room_for_so_many_devices,
    ],
}

fn groups_are_made_listed_and_deleted(host: Driver) {
    let scene = Scene::new(World::new(host));
    let made = scene.acme.post_json("/device-groups", json!({ "app": "notes", "name": "qa" })).send();
    let made = made.expect(201).json();
    let key = made["key"].as_str().unwrap();
    assert!(key.starts_with("grp_") && key.len() == 36, "{key}");
    let (beta, _) = group(&scene.acme, "beta");
    add_devices(&scene.acme, &beta, &["device-1"]);
    let listed = scene.acme.get("/device-groups?app=notes").ok();
    let of = |field: &str| -> Vec<Value> {
        listed["groups"].as_array().unwrap().iter().map(|group| group[field].clone()).collect()
    };
    assert_eq!((of("name"), of("devices")), (vec![json!("beta"), json!("qa")], vec![json!(1), json!(0)]));
    assert_eq!(of("key"), [Value::Null, Value::Null], "a key is shown once");
    scene.let_in(&["beta"]);
    let delete = |id: &str| scene.acme.delete(&format!("/device-groups?id={id}")).send();
    let refused = delete(&beta);
    assert_eq!(refused.json()["code"], "in_use");
    assert_eq!(refused.refusal(), (409, "a release lets the group in".to_owned()));
    scene.let_in(&[]);
    assert_eq!(delete(&beta).expect(200).json()["message"], "Group deleted");
    assert_eq!(delete(&beta).refusal(), (404, "group not found".to_owned()));
    assert_eq!(scene.acme.get("/device-groups?app=notes").ok()["groups"].as_array().unwrap().len(), 1);
}

fn bad_groups_are_refused(host: Driver) {
    let scene = Scene::new(World::new(host));
    let (qa, _) = group(&scene.acme, "qa");
    let create = |body: Value| scene.acme.post_json("/device-groups", body).send().refusal();
    for (body, refusal) in [
        (json!({ "name": "x" }), (400, "missing app")),
        (json!({ "app": "notes" }), (400, "missing name")),
        (json!({ "app": "notes", "name": "a/b" }), (400, "invalid name parameter")),
        (json!({ "app": "unknown", "name": "x" }), (404, "application not found")),
        (json!({ "app": "notes", "name": "qa" }), (409, "group already exists")),
        (
            json!({ "app": "notes", "name": "x", "reason": "y".repeat(501) }),
            (400, "invalid reason: at most 500 characters"),
        ),
    ] {
        assert_eq!(create(body.clone()), (refusal.0, refusal.1.to_owned()), "{body}");
    }
    let devices =
        |body: Value| scene.acme.post_json(&format!("/device-groups/{qa}/devices"), body).send().refusal();
    let many: Vec<String> = (0..1001).map(|n| format!("device-{n}")).collect();
    for (body, refusal) in [
        (json!({}), (400, "nothing to change: add or remove")),
        (json!({ "add": [] }), (400, "nothing to change: add or remove")),
        (json!({ "add": [""] }), (400, "invalid add parameter")),
        (json!({ "remove": ["ü"] }), (400, "invalid remove parameter")),
        (json!({ "add": many }), (409, "a group has at most 1000 devices")),
    ] {
        assert_eq!(devices(body), (refusal.0, refusal.1.to_owned()));
    }
    assert_eq!(scene.acme.get("/device-groups?app=notes").ok()["groups"][0]["devices"], 0);
    let offer = |groups: Value| scene.post("offer", json!({ "groups": groups })).refusal();
    let list = "invalid groups";
    let nine: Vec<String> = (0..9).map(|n| format!("g{n}")).collect();
    for (groups, text) in [
        (json!("qa"), list),
        (json!([1]), list),
        (json!(nine), list),
        (json!(["qa", "unknown"]), "unknown group: unknown"),
    ] {
        assert_eq!(offer(groups), (400, text.to_owned()));
    }
    for count in 1..50 {
        let _ = group(&scene.acme, &format!("g{count}"));
    }
    let full = create(json!({ "app": "notes", "name": "g50" }));
    assert_eq!(full, (409, "an application has at most 50 groups".to_owned()));
}

fn bad_requirements_are_refused(host: Driver) {
    let scene = Scene::new(World::new(host));
    for (body, text) in [
        (json!({}), "missing requires"),
        (json!({ "requires": [] }), "invalid requires"),
        (
            json!({ "requires": { "ram": 4 } }),
            "invalid requires: ram: no such key, only os_version and unknown",
        ),
        (json!({ "requires": { "os_version": { "min": "twelve" } } }), "invalid requires: min"),
        (json!({ "requires": { "os_version": { "min": 12 } } }), "invalid requires: min"),
        (json!({ "requires": { "os_version": { "not": "13" } } }), "invalid requires: not"),
        (json!({ "requires": { "unknown": "maybe" } }), "invalid requires: unknown"),
        (json!({ "requires": {}, "platform": "a/b" }), "invalid platform parameter"),
    ] {
        assert_eq!(scene.post("requires", body.clone()).refusal(), (400, text.to_owned()), "{body}");
    }
    let edit = scene.acme.edit(&scene.staged, json!({ "requires": { "ram": 4 } }));
    assert_eq!(
        edit.refusal(),
        (400, "invalid requires: ram: no such key, only os_version and unknown".to_owned())
    );
}

fn an_upload_names_known_groups(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let release = Release::new("2.0.0").published().rollout(0).with("groups", json!(["qa"]));
    for answer in [acme.init(&release), acme.upload_in_one(&release)] {
        assert_eq!(answer.refusal(), (400, "unknown group: qa".to_owned()));
    }
    let (qa, _) = group(&acme, "qa");
    let upload = acme.stage(&release);
    let _ = acme.delete(&format!("/device-groups?id={qa}")).send().expect(200);
    assert_eq!(acme.complete(&upload).refusal(), (400, "unknown group: qa".to_owned()));
    assert_eq!(acme.check("1.0.0")["update_available"], false);
    let (_, key) = group(&acme, "qa");
    let _ = acme.complete(&upload).expect(200);
    let said = [("group", &*key)];
    assert_eq!(super::version(&super::answer(&acme, "1.0.0", &said)), "2.0.0");
    assert_eq!(super::version(&super::answer(&acme, "1.0.0", &[])), "1.0.0");
    let shown = acme.get("/releases?app=notes&version=2.0.0").ok();
    assert_eq!(shown["offers"][0]["groups"], json!(["qa"]));
}

fn every_change_is_told_without_secrets(host: Driver) {
    let scene = Scene::new(World::new(host));
    let acme = &scene.acme;
    let before = last(acme);
    let (qa, key) = group(acme, "qa");
    assert_eq!(newest(acme)["text"], "acme created the group qa of notes");
    add_devices(acme, &qa, &["device-2"]);
    assert_eq!(newest(acme)["after"], json!({ "devices": 1 }));
    let new = acme.post(&format!("/device-groups/{qa}/key")).send().expect(201).json();
    let _ = scene.post("offer", json!({ "groups": ["qa"], "reason": "Friday" })).expect(200);
    let told = "acme changed how notes 2.0.0 in stable will be offered: groups from nothing to qa (Friday)";
    assert_eq!(newest(acme)["text"], told);
    let requires = json!({ "requires": { "os_version": { "min": "12" } }, "reason": "it needs Metal" });
    let _ = scene.post("requires", requires).expect(200);
    assert_eq!(
        newest(acme)["text"],
        "acme changed the requirements of notes 2.0.0 in stable: requires linux amd64: os_version 12 or later (it needs Metal)"
    );
    let _ = acme.edit(&scene.staged, json!({ "groups": [], "requires": {} })).expect(200);
    assert_eq!(newest(acme)["before"]["groups"], json!(["qa"]));
    let _ = acme.delete(&format!("/device-groups?id={qa}")).send().expect(200);
    let kinds = [
        "group.create",
        "group.update",
        "group.key",
        "release.offer",
        "release.requires",
        "release.update",
        "group.delete",
    ];
    assert_eq!(kinds_after(acme, before), kinds);
    let all = acme.get("/audit?format=jsonl&order=asc").send().expect(200).text();
    for secret in [&*key, new["key"].as_str().unwrap(), "device-2"] {
        assert!(!all.contains(secret), "{secret}");
    }
}

fn a_changed_release_is_not_overwritten(host: Driver) {
    let scene = Scene::new(World::new(host));
    let _ = group(&scene.acme, "qa");
    let revision = || {
        let release = scene.acme.get(&format!("/releases/{}", scene.staged)).ok();
        release["offers"][0]["revision"].as_i64().unwrap()
    };
    let seen = revision();
    let is_refused = |answer: Answer| assert_eq!(answer.expect(409).json()["code"], "release_changed");
    let _ = scene.post("offer", json!({ "groups": ["qa"], "if_revision": seen })).expect(200);
    is_refused(scene.post("offer", json!({ "groups": [], "if_revision": seen })));
    is_refused(scene.post("requires", json!({ "requires": {}, "if_revision": seen })));
    let seen = revision();
    let requires = json!({ "requires": { "os_version": { "min": "12" } }, "if_revision": seen });
    let _ = scene.post("requires", requires).expect(200);
    is_refused(scene.post("requires", json!({ "requires": {}, "if_revision": seen })));
}

fn tokens_need_a_right(host: Driver) {
    let scene = Scene::new(World::new(host));
    let (qa, _) = group(&scene.acme, "qa");
    let token = |rights: &[&str]| {
        let app = scene.acme.app_id("notes");
        let body = json!({ "name": rights.join("-"), "allowed_apps": [app], "may": rights });
        let made = scene.acme.post_json("/token/create", body).send().expect(201).json();
        scene.acme.with_credential(made["token"].as_str().unwrap())
    };
    let requires = || json!({ "requires": {} });
    let devices = || json!({ "add": ["device-1"] });
    let path = format!("/device-groups/{qa}/devices");
    for (rights, expected) in [(&["upload"][..], 403), (&["publish"], 403), (&["roll"], 200)] {
        let ci = token(rights);
        assert_eq!(post(&ci, &scene.staged, "requires", requires()).status, expected, "{rights:?}");
        assert_eq!(
            post(&ci, &scene.staged, "offer", json!({ "groups": ["qa"] })).status,
            expected,
            "{rights:?}"
        );
        assert_eq!(ci.post_json(&path, devices()).send().status, expected, "{rights:?}");
        assert_eq!(ci.get("/device-groups?app=notes").send().status, 200);
        assert_eq!(ci.delete(&format!("/device-groups?id={qa}")).send().status, 403, "people only");
    }
    let _ = scene.post("offer", json!({ "publish": false })).expect(200);
    let ci = token(&["publish", "stop"]);
    assert_eq!(post(&ci, &scene.staged, "requires", requires()).status, 200, "of a draft");
}

fn a_group_goes_with_its_application(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let (qa, _) = group(&acme, "qa");
    add_devices(&acme, &qa, &["device-1"]);
    let app = acme.app_id("notes");
    let _ = acme.delete(&format!("/app/delete?id={app}")).send().expect(200);
    for table in ["device_groups", "device_group_members"] {
        let sql = format!("SELECT count(*) FROM {table}");
        let left: (i64,) = world.database().query_row(&sql, [], |row| row.try_into()).unwrap();
        assert_eq!(left, (0,), "{table}");
    }
}

/// Together, the groups that releases let in have at most 4,096 devices.
fn records_have_room_for_so_many_devices(host: Driver) {
    let scene = Scene::new(World::new(host));
    let mut groups = Vec::new();
    for place in 0..5 {
        let name = format!("g{place}");
        let (id, _) = group(&scene.acme, &name);
        let devices: Vec<String> = (0..900).map(|n| format!("device-{place}-{n}")).collect();
        add_devices(&scene.acme, &id, &devices.iter().map(String::as_str).collect::<Vec<_>>());
        groups.push(name);
    }
    let refused = scene.post("offer", json!({ "groups": groups })).refusal();
    let text = "too many devices in groups: those that releases let in have at most 4096 together";
    assert_eq!(refused, (409, text.to_owned()));
    scene.let_in(&["g0", "g1", "g2", "g3"]);
    assert_eq!(scene.version(&[("device", "device-3-899")]), "2.0.0");
    assert_eq!(scene.version(&[("device", "device-4-0")]), "1.0.0");
}
