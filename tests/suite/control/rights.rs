//! The rights of CI tokens.

use serde_json::{Value, json};
use spindrift_core::Id;
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::{Scene, in_seconds, shut_off};
use crate::audit::{kinds_after, last, newest};

on_hosts! {
    every: [
        a_token_does_what_it_was_made_for,
        several_jobs_fill_a_draft_and_one_publishes_it,
        a_token_sees_its_applications_only,
        rights_are_listed,
    ],
}

/// An account with a token that has these rights for `notes`.
pub(crate) fn token(acme: &Account, may: &[&str]) -> Account {
    let apps = [Id::from_text(acme.app_id("notes"))];
    let body = json!({ "name": may.join("-"), "allowed_apps": apps, "may": may });
    let created = acme.post_json("/token/create", body).send().expect(201).json();
    acme.with_credential(created["token"].as_str().unwrap())
}

/// The preparation, the call, its body, and its answers to tokens that may upload, publish, stop and roll.
type Case<'a> = (&'a dyn Fn(), &'a str, Value, [u16; 4]);

fn a_token_does_what_it_was_made_for(host: Driver) {
    let scene = Scene::new(World::new(host));
    let tokens = ["upload", "publish", "stop", "roll"].map(|right| token(&scene.acme, &[right]));
    let release = format!("/releases/{}", scene.draft);
    let draft = || drop(scene.offered(json!({ "publish": false })));
    let published = || drop(scene.offered(json!({ "publish": true })));
    let scheduled = || {
        draft();
        drop(scene.offered(json!({ "publish_at": in_seconds(3600).to_rfc3339() })));
    };
    let resumed = || {
        published();
        drop(scene.post("rollout", json!({ "action": "resume" })));
        drop(scene.post("rollout", json!({ "action": "set", "percent": 50 })).expect(200));
    };
    let halted = || {
        published();
        drop(scene.post("rollout", json!({ "action": "halt" })).expect(200));
    };
    let later = json!({ "publish_at": in_seconds(3600).to_rfc3339(), "rollout": 5 });
    let cases: [Case<'_>; 11] = [
        (&draft, "offer", json!({ "publish": true }), [403, 200, 403, 200]),
        (&draft, "offer", later, [403, 200, 403, 200]),
        (&scheduled, "offer", json!({ "publish": false }), [403, 200, 200, 200]),
        (&published, "offer", json!({ "publish": false }), [403, 403, 200, 200]),
        (&resumed, "rollout", json!({ "action": "halt" }), [403, 403, 200, 200]),
        (&resumed, "rollout", json!({ "action": "set", "percent": 49 }), [403, 403, 200, 200]),
        (&resumed, "rollout", json!({ "action": "set", "percent": 51 }), [403, 403, 403, 200]),
        (&resumed, "rollout", json!({ "action": "complete" }), [403, 403, 403, 200]),
        (&halted, "rollout", json!({ "action": "resume" }), [403, 403, 403, 200]),
        (&published, "withdraw", json!({ "reason": "bad" }), [403, 403, 200, 200]),
        (&published, "restore", json!({}), [403, 403, 403, 403]),
    ];
    for (before, call, body, expected) in cases {
        for (token, status) in tokens.iter().zip(expected) {
            let _ = scene.post("restore", json!({}));
            before();
            let answer = token.post_json(&format!("{release}/{call}"), &body).send();
            assert_eq!(answer.status, status, "{call} {body}: {}", answer.text());
        }
    }
    let _ = scene.post("restore", json!({}));
    for (token, status) in tokens.iter().zip([403, 403, 201, 200]) {
        assert_eq!(shut_off(token, json!({})).status, status);
    }
    let id = scene.acme.get("/shutoffs").ok()["shutoffs"][0]["id"].as_str().unwrap().to_owned();
    for token in &tokens {
        assert_eq!(token.delete(&format!("/shutoffs?id={id}")).send().status, 403, "lifting is for people");
        assert_eq!(token.get(&release).send().status, 200);
        assert_eq!(token.get("/shutoffs").ok()["shutoffs"].as_array().unwrap().len(), 1);
    }
    for (token, status) in tokens.iter().zip([200, 403, 403, 403]) {
        assert_eq!(token.init(&Release::new("3.0.0")).status, status);
    }
}

fn several_jobs_fill_a_draft_and_one_publishes_it(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    for platform in ["windows", "macos"] {
        acme.create_platform(platform);
    }
    let (job, last_job) = (token(&acme, &["upload"]), token(&acme, &["publish"]));
    let platforms = ["linux", "windows", "macos"];
    for platform in platforms {
        acme.publish(Release::new("1.0.0").with("platform", platform));
    }
    for platform in platforms {
        job.upload(&Release::new("2.0.0").with("platform", platform));
    }
    let offered = || {
        platforms.map(|platform| {
            let path = format!(
                "/checkVersion?app_name=notes&version=1.0.0&channel=stable&platform={platform}&arch=amd64&owner=acme"
            );
            acme.get(&path).ok()["version"].as_str().unwrap_or_default().to_owned()
        })
    };
    assert_eq!(offered(), ["1.0.0"; 3]);
    let release = last_job.get("/releases?app=notes&version=2.0.0").ok();
    let offer = format!("/releases/{}/offer", release["id"].as_str().unwrap());
    let order = json!({
        "publish": true, "plan": [{ "percent": 1, "for": "12h" }, { "percent": 100 }],
        "if_revision": release["offers"][0]["revision"], "reason": "tag v2.0.0",
    });
    assert_eq!(job.post_json(&offer, &order).send().refusal(), (403, "not allowed".to_owned()));
    let before = last(&acme);
    let published = last_job.post_json(&offer, &order).ok();
    assert_eq!(published["offers"][0]["rollout"]["state"], "running");
    assert_eq!(offered(), ["2.0.0"; 3], "all systems at once");
    assert_eq!(kinds_after(&acme, before), ["release.publish"]);
    let entry = newest(&acme);
    assert_eq!((&entry["actor"]["type"], &entry["reason"]), (&json!("token"), &json!("tag v2.0.0")));
    let halt = json!({ "action": "halt" });
    let rollout = format!("/releases/{}/rollout", release["id"].as_str().unwrap());
    assert_eq!(last_job.post_json(&rollout, &halt).send().status, 403);
}

fn a_token_sees_its_applications_only(host: Driver) {
    let scene = Scene::new(World::new(host));
    let token = token(&scene.acme, &["roll"]);
    scene.acme.create_app("tasks");
    let tasks = scene.acme.upload(&Release::new("1.0.0").with("app_name", "tasks"));
    let _ = shut_off(&scene.acme, json!({ "app": "tasks" })).expect(201);
    assert_eq!(token.get("/shutoffs").ok()["shutoffs"], json!([]));
    let offer = json!({ "publish": true });
    // As if there were no such application.
    for (app, release) in [("tasks", tasks.as_str()), ("unknown", "unknown")] {
        let no_app = (404, "application not found".to_owned());
        let no_release = (404, "release not found".to_owned());
        assert_eq!(token.get(&format!("/releases/{release}")).send().refusal(), no_release);
        assert_eq!(token.get(&format!("/releases?app={app}&version=1.0.0")).send().refusal(), no_app);
        assert_eq!(token.get(&format!("/shutoffs?app={app}")).send().refusal(), no_app);
        let refused = token.post_json(&format!("/releases/{release}/offer"), &offer).send().refusal();
        assert_eq!(refused, no_release);
    }
    assert_eq!(token.get("/search").send().status, 403, "lists are for people");
    assert_eq!(token.get("/audit").send().status, 403);
}

fn rights_are_listed(host: Driver) {
    let scene = Scene::new(World::new(host));
    let _ = scene.acme.ci_token(&[&scene.acme.app_id("notes")]);
    let _ = token(&scene.acme, &["roll", "publish"]);
    let listed = scene.acme.get("/token/list").ok();
    let rights: Vec<&Value> =
        listed["tokens"].as_array().unwrap().iter().map(|token| &token["may"]).collect();
    assert_eq!(rights, [&json!(["upload"]), &json!(["publish", "roll"])]);
    let entry = newest(&scene.acme);
    assert_eq!(entry["after"]["may"], json!(["publish", "roll"]));
    for may in [json!([]), json!(["fly"]), json!("upload")] {
        let body = json!({ "name": "ci", "allowed_apps": [scene.acme.app_id("notes")], "may": may });
        assert_eq!(scene.acme.post_json("/token/create", body).send().status, 400, "{may}");
    }
}
