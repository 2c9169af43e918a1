//! Conditions at edges, which have no secrets.

use std::time::Duration;

use serde_json::json;
use spindrift_tests::{Driver, Edge, World, on_hosts, until};

use super::{Scene, add_devices, group};

on_hosts! {
    every: [an_edge_knows_groups_and_requirements],
}

fn an_edge_knows_groups_and_requirements(host: Driver) {
    let scene = Scene::new(World::new(host));
    let (qa, key) = group(&scene.acme, "qa");
    add_devices(&scene.acme, &qa, &["device-2"]);
    scene.let_in(&["qa"]);
    let _ = scene.post("requires", json!({ "requires": { "os_version": { "min": "12" } } })).expect(200);
    let edge = Edge::of(&scene.world, host);
    let ask = |device: &str, said: &str| {
        let path = format!("{}{said}", scene.acme.check_path("1.0.0"));
        let answer = edge.get(&path).header("x-device-id", device).ok();
        answer["version"].as_str().unwrap_or_default().to_owned()
    };
    let keyed = format!("&group={key}&os_version=12.1");
    for (device, said, expected) in [
        ("device-2", "&os_version=12.1", "2.0.0"),
        ("device-2", "&os_version=11", "1.0.0"),
        ("device-2", "", "1.0.0"),
        ("device-1", "&os_version=12.1", "1.0.0"),
        ("device-1", &keyed, "2.0.0"),
    ] {
        assert_eq!(ask(device, said), expected, "{device} {said}");
    }
    let stop = json!({ "remove": ["device-2"] });
    let _ = scene.acme.post_json(&format!("/device-groups/{qa}/devices"), stop).send().expect(200);
    edge.age(61);
    until("the edge has asked again", Duration::from_secs(20), || {
        (ask("device-2", "&os_version=12.1") == "1.0.0").then_some(())
    });
    assert_eq!(ask("device-1", &keyed), "2.0.0");
}
