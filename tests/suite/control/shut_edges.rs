//! Shut-offs at edges.

use std::time::Duration;

use serde_json::json;
use spindrift_tests::{Driver, Edge, World, on_hosts, until};

use super::{Scene, shut_off};

on_hosts! {
    every: [an_edge_follows_a_shut_off],
}

fn an_edge_follows_a_shut_off(host: Driver) {
    let scene = Scene::new(World::new(host));
    let _ = scene.offered(json!({ "publish": true }));
    let edge = Edge::of(&scene.world, host);
    let check = || edge.get(&scene.acme.check_path("1.0.0")).ok();
    assert_eq!(check()["version"], "2.0.0");
    let _ = shut_off(&scene.acme, json!({})).expect(201);
    edge.age(61);
    let answer = until("the edge has asked again", Duration::from_secs(20), || {
        Some(check()).filter(|answer| answer["shut_off"] == true)
    });
    assert_eq!((&answer["update_available"], &answer["version"]), (&json!(false), &json!("1.0.0")));
}
