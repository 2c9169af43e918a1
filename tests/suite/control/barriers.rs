//! Intermediates that hold clients back: to take one away lets them past it.

use serde_json::{Value, json};
use spindrift_api::ArtifactEntry;
use spindrift_tests::{Account, Answer, Driver, Release, World, on_hosts};

use super::rights::token;
use crate::audit::{last, newest};
use crate::cut_off::assert_cut_off;
use crate::telemetry::{counting, figures};

on_hosts! {
    every: [
        a_token_needs_the_right_to_let_clients_past,
        people_are_told_how_many_devices_would_skip_it,
        the_last_file_for_a_system_is_the_barrier,
        nobody_is_let_past_the_newest_release,
        an_offer_in_another_channel_still_holds_clients,
        a_revision_is_compared_if_clients_are_let_past,
    ],
    in_process: [without_known_devices_nothing_is_held_up],
}

/// 1.0.0, the intermediate 2.0.0, and 3.0.0, in `stable`.
struct Scene {
    acme: Account,
    /// The id of 2.0.0.
    middle: String,
}

impl Scene {
    fn new(world: &World) -> Self {
        let acme = world.admin("acme").with_notes();
        acme.publish(Release::new("1.0.0"));
        let middle = acme.publish(Release::new("2.0.0").intermediate());
        acme.publish(Release::new("3.0.0"));
        Self { acme, middle }
    }

    /// `count` devices run 1.0.0.
    fn seen(&self, count: u64) {
        for device in 0..count {
            assert_eq!(self.acme.check_as(&format!("device-{device}"), "1.0.0")["version"], "2.0.0");
        }
        figures(&self.acme, count);
    }

    fn post(&self, by: &Account, call: &str, body: Value) -> Answer {
        by.post_json(&format!("/releases/{}/{call}", self.middle), body).send()
    }

    fn publish_again(&self) {
        let _ = self.post(&self.acme, "restore", json!({}));
        let _ = self.post(&self.acme, "offer", json!({ "publish": true })).expect(200);
        let _ = self.acme.edit(&self.middle, json!({ "intermediate": true })).expect(200);
    }
}

fn a_token_needs_the_right_to_let_clients_past(host: Driver) {
    let world = World::new(host);
    let scene = Scene::new(&world);
    let [stop, roll] = ["stop", "roll"].map(|right| token(&scene.acme, &[right]));
    for (call, body) in [("offer", json!({ "publish": false })), ("withdraw", json!({ "reason": "bad" }))] {
        let refused = scene.post(&stop, call, body.clone());
        assert_eq!(refused.status, 403, "{call}");
        assert!(
            refused.error().contains("`roll`") && refused.error().contains("`halt`"),
            "{}",
            refused.error()
        );
        let _ = scene.post(&roll, call, body).expect(200);
        scene.publish_again();
    }
    // This stops it, and holds older clients back nonetheless.
    let _ = scene.post(&stop, "rollout", json!({ "action": "halt" })).expect(200);
    assert_eq!(scene.acme.check_as("device-1", "1.0.0")["version"], "1.0.0");
    let _ = scene.post(&roll, "rollout", json!({ "action": "resume" })).expect(200);
    let _ = scene.acme.edit(&scene.middle, json!({ "intermediate": false, "force": true })).expect(200);
    let _ = scene.post(&stop, "offer", json!({ "publish": false })).expect(200);
}

fn people_are_told_how_many_devices_would_skip_it(host: Driver) {
    let world = counting(host);
    let scene = Scene::new(&world);
    scene.seen(3);
    let acme = &scene.acme;
    let data = |mut change: Value, force: bool| {
        change["force"] = json!(force);
        acme.edit(&scene.middle, change)
    };
    let post = |call: &str, mut body: Value, force: bool| {
        body["force"] = json!(force);
        scene.post(acme, call, body)
    };
    let orders: [&dyn Fn(bool) -> Answer; 4] = [
        &|force| post("offer", json!({ "publish": false }), force),
        &|force| post("withdraw", json!({ "reason": "bad" }), force),
        &|force| data(json!({ "publish": false }), force),
        &|force| data(json!({ "intermediate": false }), force),
    ];
    let text =
        "this would let 3 devices that were seen in the last 30 days skip 2.0.0, which is an intermediate";
    for (place, order) in orders.iter().enumerate() {
        let before = last(acme);
        let refused = order(false);
        assert_cut_off(&refused, &json!(3));
        assert_eq!(refused.error(), text);
        assert_eq!(last(acme), before);
        assert_eq!(acme.check("1.0.0")["version"], "2.0.0");
        assert_eq!(order(true).status, 200, "{place}");
        assert_eq!(acme.check("1.0.0")["version"], "3.0.0");
        scene.publish_again();
    }
    let delete = format!("/apps/delete?id={}", scene.middle);
    assert_cut_off(&acme.delete(&delete).send(), &json!(3));
    acme.delete(&format!("{delete}&force=true")).ok();
}

fn the_last_file_for_a_system_is_the_barrier(host: Driver) {
    let world = counting(host);
    let scene = Scene::new(&world);
    scene.seen(3);
    let acme = &scene.acme;
    acme.create_platform("windows");
    let add = |name: &str, platform: &str| {
        let files = Release::empty("2.0.0").with("platform", platform).file(name, name);
        let _ = acme.upload_in_one(&files).expect(200);
    };
    let named = |name: &str, platform: &str| -> String {
        let release = acme.release("2.0.0");
        let is_it = |artifact: &&ArtifactEntry| artifact.package == name && artifact.platform == platform;
        release.artifacts.iter().find(is_it).unwrap().id.to_string()
    };
    let delete = |name: &str, platform: &str, force: bool| {
        let data = json!({
            "id": scene.middle, "app_name": "notes", "version": "2.0.0",
            "artifacts_to_delete": [named(name, platform)], "force": force,
        });
        acme.post_form("/artifact/delete", &[("data", &data.to_string())]).send()
    };
    let edit = |name: &str, force: bool| {
        acme.edit(&scene.middle, json!({ "artifacts_to_delete": [named(name, "linux")], "force": force }))
    };
    add("notes.rpm", "linux");
    add("notes.exe", "windows");
    let _ = delete("deb", "linux", false).expect(200);
    assert_eq!(acme.check("1.0.0")["version"], "2.0.0", "another file is left");
    let _ = delete("exe", "windows", false).expect(200);

    let orders: [&dyn Fn(bool) -> Answer; 2] =
        [&|force| delete("rpm", "linux", force), &|force| edit("rpm", force)];
    let text =
        "this would let 3 devices that were seen in the last 30 days skip 2.0.0, which is an intermediate";
    for order in orders {
        let before = last(acme);
        let refused = order(false);
        assert_cut_off(&refused, &json!(3));
        assert_eq!((refused.error().as_str(), last(acme)), (text, before));
        assert_eq!(acme.check("1.0.0")["version"], "2.0.0");
        let _ = order(true).expect(200);
        assert_eq!(acme.check("1.0.0")["version"], "3.0.0");
        add("notes.rpm", "linux");
    }
    let replaced = Release::empty("2.0.0").file("notes.rpm", "again");
    let change = json!({ "artifacts_to_delete": [named("rpm", "linux")] });
    let _ = acme.edit_with_files(&scene.middle, &replaced, &change).expect(200);
    assert_eq!(acme.check("1.0.0")["version"], "2.0.0");

    let by_token = token(acme, &["roll"]).post_form("/artifact/delete", &[("data", "{}")]).send();
    assert_eq!((by_token.status, by_token.code().as_str()), (403, "not_for_ci_tokens"));
}

fn nobody_is_let_past_the_newest_release(host: Driver) {
    let world = counting(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let middle = acme.publish(Release::new("2.0.0").intermediate());
    let scene = Scene { acme, middle };
    scene.seen(1);
    let stop = token(&scene.acme, &["stop"]);
    let _ = scene.post(&stop, "withdraw", json!({ "reason": "bad" })).expect(200);
    assert_eq!(newest(&scene.acme)["kind"], "release.withdraw");
}

/// `beta` includes `stable`: its clients see the release there.
fn an_offer_in_another_channel_still_holds_clients(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let beta = acme.create_channel("beta");
    acme.post_json("/channel/update", json!({ "id": beta, "includes": ["stable"] })).ok();
    let middle = acme.publish(Release::new("2.0.0").with("channel", "beta").intermediate());
    acme.publish(Release::new("3.0.0").with("channel", "beta"));
    let scene = Scene { acme, middle };
    let stop = token(&scene.acme, &["stop"]);
    let promoted = json!({ "channel": "stable", "publish": true });
    let _ = scene.post(&scene.acme, "promote", promoted).expect(201);
    let _ = scene.post(&stop, "offer", json!({ "channel": "beta", "publish": false })).expect(200);
    let end = |by: &Account| by.delete(&format!("/releases/{}/offer?channel=stable", scene.middle)).send();
    assert_eq!(end(&stop).status, 403, "clients of beta would see 3.0.0 and nothing before it");
    let _ = end(&token(&scene.acme, &["roll"])).expect(200);
}

fn a_revision_is_compared_if_clients_are_let_past(host: Driver) {
    let world = World::new(host);
    let scene = Scene::new(&world);
    let order = json!({ "publish": false, "if_revision": 0 });
    assert_eq!(scene.post(&scene.acme, "offer", order.clone()).code(), "release_changed");
    let _ = scene.acme.edit(&scene.middle, json!({ "intermediate": false })).expect(200);
    let _ = scene.post(&scene.acme, "offer", order).expect(200);
}

fn without_known_devices_nothing_is_held_up(host: Driver) {
    let world = World::builder(host).with_variable("telemetry_enabled", "false").start();
    let scene = Scene::new(&world);
    scene.acme.check_as("device-1", "1.0.0");
    let _ = scene.post(&scene.acme, "withdraw", json!({ "reason": "bad" })).expect(200);
}
