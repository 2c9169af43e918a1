//! Rollouts at edges.

use std::time::Duration;

use serde_json::json;
use spindrift_tests::{Driver, Edge, World, end, on_hosts, until};

use super::{HOUR, MINUTE, Scene, pass_time};

on_hosts! {
    every: [an_edge_follows_a_plan_and_a_halt],
    in_process: [an_edge_that_is_cut_off_does_not_go_on_growing],
}

fn version_for(edge: &Edge, path: &str, device: &str) -> String {
    let answer = edge.get(path).header("x-device-id", device).ok();
    answer["version"].as_str().unwrap_or_default().to_owned()
}

fn an_edge_follows_a_plan_and_a_halt(host: Driver) {
    let scene = Scene::new(World::new(host));
    let edge = Edge::of(&scene.world, host);
    let path = scene.acme.check_path("1.0.0");
    scene.start("0.1:1h,28:1h,100");
    assert_eq!(version_for(&edge, &path, "device-2"), "1.0.0");
    pass_time(&scene.world, HOUR);
    edge.age(61);
    if host == Driver::InProcess {
        edge.age(HOUR - 61);
    }
    becomes(&edge, &path, "2.0.0");
    assert_eq!(version_for(&edge, &path, "device-1"), "1.0.0");
    let anybody = edge.get(&path).ok();
    assert_eq!(anybody["rollout"], json!({ "percent": 28, "seed": "seed" }));
    let _ = scene.ordered(json!({ "action": "halt" }));
    edge.age(61);
    becomes(&edge, &path, "1.0.0");
}

/// A host may take a moment to see what another process has written to its store.
fn becomes(edge: &Edge, path: &str, version: &str) {
    until("the edge has asked again", Duration::from_secs(20), || {
        (version_for(edge, path, "device-2") == version).then_some(())
    });
}

fn an_edge_that_is_cut_off_does_not_go_on_growing(host: Driver) {
    let scene = Scene::new(World::new(host));
    let edge = Edge::of(&scene.world, host);
    let path = scene.acme.check_path("1.0.0");
    scene.start("0.1:1h,28:1h,100");
    let both = |seconds: i64| {
        pass_time(&scene.world, seconds);
        edge.age(seconds);
    };
    both(58 * MINUTE + 30);
    assert_eq!(version_for(&edge, &path, "device-2"), "1.0.0");
    let Scene { world, .. } = scene;
    end(world);
    // Two minutes without the origin are no longer than with one.
    edge.age(89);
    assert_eq!(version_for(&edge, &path, "device-2"), "1.0.0");
    edge.age(2);
    let answer = edge.get(&path).header("x-device-id", "device-2").send().expect(200);
    assert_eq!((&answer.json()["version"], answer.header("x-spindrift-stale")), (&json!("2.0.0"), "91"));
    edge.age(2 * HOUR);
    assert_eq!(version_for(&edge, &path, "device-2"), "2.0.0");
    assert_eq!(version_for(&edge, &path, "device-1"), "1.0.0", "the next step is not taken");
}
