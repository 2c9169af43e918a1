//! Rollouts in the answers of native updaters.

use serde_json::json;
use spindrift_tests::{Driver, Release, World, on_hosts, tauri_signature};

use super::{HOUR, Scene, pass_time};

on_hosts! {
    every: [
        an_updater_that_cannot_decide_waits_for_everybody,
        static_paths_follow_a_plan,
    ],
}

fn an_updater_that_cannot_decide_waits_for_everybody(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app("notes");
    acme.create_channel("stable");
    acme.create_platform_with("linux", &["tauri"]);
    acme.create_arch("amd64");
    let release = |version: &str| {
        let file = format!("notes-{version}.AppImage");
        Release::empty(version)
            .file(&file, version)
            .with("updater", "tauri")
            .with("signature", tauri_signature(None))
    };
    acme.publish(release("1.0.0"));
    let staged = acme.upload(&release("2.0.0").published().rollout(0));
    let order = |order| acme.post_json(&format!("/releases/{staged}/rollout"), order).send().expect(200);
    let check = |device: Option<&str>| {
        let path = format!("{}&updater=tauri", acme.check_path("1.0.0"));
        let call = acme.get(&path);
        let call = match device {
            Some(device) => call.header("x-device-id", device),
            None => call,
        };
        call.send().status
    };
    let _ = order(json!({ "action": "start", "plan": [{ "percent": 50, "for": "1h" }, { "percent": 100 }] }));
    assert_eq!(check(None), 204);
    pass_time(&world, HOUR);
    assert_eq!((check(None), check(Some("any"))), (200, 200));
    let _ = order(json!({ "action": "halt" }));
    assert_eq!((check(None), check(Some("any"))), (204, 204));
    let _ = order(json!({ "action": "resume" }));
    assert_eq!(check(None), 200);
}

fn static_paths_follow_a_plan(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.start("0.1:1h,28:1h,100");
    let path = "/responses/acme/notes/stable/linux/amd64";
    let rollout = || scene.world.get(&format!("{path}/1.0.0.json")).ok()["rollout"].clone();
    assert_eq!(rollout(), json!({ "percent": 0, "basis_points": 10, "seed": "seed" }));
    let record = scene.world.get(&format!("{path}/scope.json?dimensions=channel,platform,arch")).ok();
    let of_record = &record["releases"][0]["rollout"];
    assert_eq!(of_record["basis_points"], 10);
    assert_eq!(of_record["later"].as_array().unwrap().len(), 2);
    pass_time(&scene.world, HOUR);
    assert_eq!(rollout(), json!({ "percent": 28, "seed": "seed" }));
    let _ = scene.ordered(json!({ "action": "halt" }));
    let record = scene.world.get(&format!("{path}/scope.json?dimensions=channel,platform,arch")).ok();
    let of_record = &record["releases"][0]["rollout"];
    assert_eq!((&of_record["basis_points"], &of_record["is_halted"]), (&json!(2_800), &json!(true)));
}
