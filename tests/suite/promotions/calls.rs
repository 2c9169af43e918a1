//! Promoting, and who may do it.

use serde_json::{Value, json};
use spindrift_core::Id;
use spindrift_tests::{Account, Driver, Release, World, on_hosts, sparkle};

use super::Scene;
use crate::download_modes::regenerate;

on_hosts! {
    every: [
        orders_name_the_channel,
        mistakes_are_refused,
        each_offer_has_its_own_terms,
        tokens_need_the_right,
        people_edit_the_application_and_upload_into_the_channel,
        a_token_of_the_channel_opens_its_files,
    ],
    in_process: [an_owner_without_channels_promotes_nothing, a_feed_that_names_a_channel_stays_there],
}

fn orders_name_the_channel(host: Driver) {
    let scene = Scene::new(World::new(host));
    let several = (400, "channel is required: the release has several offers".to_owned());
    let halt = json!({ "action": "halt" });
    scene.promote(10);
    assert_eq!(scene.post("rollout", halt.clone()).refusal(), several);
    assert_eq!(scene.post("offer", json!({ "publish": false })).refusal(), several);
    let health = |query: &str| scene.acme.get(&format!("/releases/{}/health{query}", scene.tested)).send();
    assert_eq!(health("").refusal(), several);
    assert_eq!(health("?channel=stable").expect(200).json()["verdict"], "unknown");
    let unknown = json!({ "action": "halt", "channel": "nightly" });
    assert_eq!(scene.post("rollout", unknown).refusal(), (404, "offer not found".to_owned()));
    let _ = scene.end("stable").expect(200);
    let _ = scene.post("rollout", halt).expect(200);
}

fn mistakes_are_refused(host: Driver) {
    let scene = Scene::new(World::new(host));
    for (order, refusal) in [
        (json!({}), (400, "channel is required")),
        (json!({ "channel": "" }), (400, "channel is required")),
        (json!({ "channel": "nightly" }), (400, "unknown channel")),
        (json!({ "channel": "beta" }), (409, "the release is offered in beta already")),
        (json!({ "channel": "stable", "rollout": 101 }), (400, "invalid rollout")),
        (json!({ "channel": "stable", "groups": ["qa"] }), (400, "unknown group: qa")),
        (json!({ "channel": "stable", "publish_at": "later" }), (400, "invalid publish_at")),
    ] {
        let refused = scene.post("promote", order.clone()).refusal();
        assert_eq!((refused.0, refused.1.as_str()), refusal, "{order}");
    }
    assert_eq!(scene.release()["offers"].as_array().unwrap().len(), 1);
    scene.promote(10);
    let twice = scene.post("promote", json!({ "channel": "stable" })).refusal();
    assert_eq!(twice, (409, "the release is offered in stable already".to_owned()));
    let own = "the release was uploaded to this channel: make it a draft, or withdraw it";
    assert_eq!(scene.end("beta").refusal(), (409, own.to_owned()));
    let list = scene.acme.get("/channel/list").ok();
    let stable = list["channels"].as_array().unwrap().iter().find(|one| one["ChannelName"] == "stable");
    let deletion =
        scene.acme.delete(&format!("/channel/delete?id={}", stable.unwrap()["ID"].as_str().unwrap()));
    assert_eq!(deletion.send().refusal().0, 409, "the channel is in use");
}

fn each_offer_has_its_own_terms(host: Driver) {
    let scene = Scene::new(World::new(host));
    let _ =
        scene.acme.post_json("/device-groups", json!({ "app": "notes", "name": "qa" })).send().expect(201);
    let order = json!({
        "channel": "stable", "groups": ["qa"], "guard": { "on_unhealthy": "halt" }, "rollout": 0.5,
        "reason": "tested for a week",
    });
    let promoted = scene.post("promote", order).expect(201).json();
    let [own, stable] = [0, 1].map(|place| promoted["offers"][place].clone());
    assert_eq!((&own["groups"], &own["guard"]), (&Value::Null, &Value::Null));
    assert_eq!((&stable["state"], &stable["groups"]), (&json!("draft"), &json!(["qa"])));
    assert_eq!(stable["guard"]["on_unhealthy"], "halt");
    assert_eq!(stable["rollout"]["basis_points"], 50);
    let revision = stable["revision"].as_i64().unwrap();
    let publish = |revision: i64| {
        scene.post("offer", json!({ "publish": true, "channel": "stable", "if_revision": revision }))
    };
    assert_eq!(publish(revision + 1).refusal().0, 409);
    let published = publish(revision).expect(200).json();
    assert_eq!(published["offers"][1]["state"], "published");
    assert_eq!(published["offers"][0]["revision"], own["revision"]);
    let group = &scene.acme.get("/device-groups?app=notes").ok()["groups"][0];
    let deletion = scene.acme.delete(&format!("/device-groups?id={}", group["id"].as_str().unwrap()));
    assert_eq!(deletion.send().refusal().0, 409, "the group is in use");
}

fn tokens_need_the_right(host: Driver) {
    let scene = Scene::new(World::new(host));
    let token = |right: &str| -> Account {
        let apps = [Id::from_text(scene.acme.app_id("notes"))];
        let body = json!({ "name": right, "allowed_apps": apps, "may": [right] });
        let created = scene.acme.post_json("/token/create", body).send().expect(201).json();
        scene.acme.with_credential(created["token"].as_str().unwrap())
    };
    let [upload, publish, stop, roll] = ["upload", "publish", "stop", "roll"].map(token);
    let promote = |by: &Account| {
        let order = json!({ "channel": "stable", "publish": true });
        by.post_json(&format!("/releases/{}/promote", scene.tested), order).send().status
    };
    let end =
        |by: &Account| by.delete(&format!("/releases/{}/offer?channel=stable", scene.tested)).send().status;
    assert_eq!([&upload, &stop, &publish, &roll].map(promote), [403, 403, 403, 201]);
    assert_eq!([&upload, &publish, &stop].map(end), [403, 403, 200]);
    let other = scene.world.admin("other").with_notes();
    assert_eq!((promote(&other), end(&other)), (404, 404));
}

fn people_edit_the_application_and_upload_into_the_channel(host: Driver) {
    let scene = Scene::new(World::new(host));
    let ids = |kind: &str, list: &str| -> Vec<Value> {
        let all = scene.acme.get(&format!("/{kind}/list")).ok();
        all[list].as_array().unwrap().iter().map(|entry| entry["ID"].clone()).collect()
    };
    let channels = scene.acme.get("/channel/list").ok();
    let beta = channels["channels"].as_array().unwrap().iter().find(|entry| entry["ChannelName"] == "beta");
    let (all, beta) = (ids("channel", "channels"), vec![beta.unwrap()["ID"].clone()]);
    let promote = |name: &str, edit: bool, upload: bool, channels: &[Value]| {
        let permissions = json!({
            "apps": { "edit": edit, "upload": upload, "allowed": [scene.acme.app_id("notes")] },
            "channels": { "allowed": channels },
            "platforms": { "allowed": ids("platform", "platforms") },
            "archs": { "allowed": ids("arch", "archs") },
        });
        let body = json!({ "username": name, "password": "password of a user", "permissions": permissions });
        scene.acme.post_json("/user/create", body).ok();
        let user = scene.world.login(name, "password of a user");
        user.post_json(&format!("/releases/{}/promote", scene.tested), json!({ "channel": "stable" })).send()
    };
    assert_eq!(promote("editor", true, false, &all).status, 403);
    assert_eq!(promote("uploader", false, true, &all).status, 403);
    assert_eq!(promote("tester", true, true, &beta).status, 403, "not into this channel");
    assert_eq!(promote("both", true, true, &all).status, 201);
}

/// Clients of a private application show the token of their channel, for files that were uploaded to another one.
fn a_token_of_the_channel_opens_its_files(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let beta = acme.create_channel("beta");
    acme.post_json("/channel/update", json!({ "id": beta, "includes": ["stable"] })).ok();
    acme.create_app_with(json!({ "app": "secret", "private": true, "download_mode": "token" }));
    let release = |version: &str| Release::new(version).with("app_name", "secret");
    acme.publish(release("1.0.0"));
    let tested = acme.publish(release("2.0.0").with("channel", "beta"));
    let token = regenerate(&acme, "secret", Some("stable"));
    let download = || {
        let key = "acme%2Fsecret%2Fbeta%2Flinux%2Famd64%2Fsecret-2.0.0.deb";
        world.client().get(&format!("/download?key={key}&download_token={token}")).send().status
    };
    assert_eq!(download(), 401, "of another channel");
    let promote = |body: Value| acme.post_json(&format!("/releases/{tested}/promote"), body).send();
    let _ = promote(json!({ "channel": "stable" })).expect(201);
    assert_eq!(download(), 401, "a draft in its own");
    let publish = json!({ "channel": "stable", "publish": true });
    let _ = acme.post_json(&format!("/releases/{tested}/offer"), publish).send().expect(200);
    assert_eq!(download(), 302);
}

fn an_owner_without_channels_promotes_nothing(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app("notes");
    let release = acme.publish(Release::new("1.0.0").without("channel").without("platform").without("arch"));
    let promote =
        || acme.post_json(&format!("/releases/{release}/promote"), json!({ "channel": "stable" })).send();
    assert_eq!(promote().refusal(), (409, "the owner has no channels".to_owned()));
}

fn a_feed_that_names_a_channel_stays_there(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_channel("beta");
    acme.create_platform_with("mac", &["sparkle"]);
    let in_beta = |release: Release| release.with("channel", "beta").with("platform", "mac");
    let promote = |release: &str| {
        acme.post_json(&format!("/releases/{release}/promote"), json!({ "channel": "stable" })).send()
    };
    let free = acme.publish(in_beta(sparkle("1.0.0")));
    let _ = promote(&free).expect(201);
    let feed = "<rss xmlns:sparkle=\"http://www.andymatuschak.org/xml-namespaces/sparkle\"><channel><item>\
                <sparkle:channel>beta</sparkle:channel><sparkle:version>2.0.0</sparkle:version>\
                <enclosure url=\"Notes-2.0.0.zip\" length=\"5\" sparkle:edSignature=\"x\"/></item></channel></rss>";
    let named = Release::empty("2.0.0").file("Notes-2.0.0.zip", "bytes").feed("appcast.xml", feed);
    let named = acme.publish(in_beta(named).with("updater", "sparkle"));
    assert_eq!(promote(&named).refusal(), (409, "the feed names a channel".to_owned()));
}
