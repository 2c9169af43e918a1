//! The shares of many devices.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use spindrift_tests::{Driver, Release, World, bucket, on_hosts};

use crate::concurrency::in_parallel;

on_hosts! {
    every: [the_share_inside_is_the_set_percentage],
}

const PERCENTAGES: [u64; 4] = [5, 25, 50, 75];
const DEVICES: u64 = 10_000;
/// Fixed, so that it is not chance that decides about the test.
const SEED: &str = "the seed of this release";

fn the_share_inside_is_the_set_percentage(host: Driver) {
    // Without counting: it would be 40,000 writes that this is not about.
    let world = World::builder(host).with_variable("telemetry_enabled", "false").start();
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let staged = acme.upload(&Release::new("2.0.0"));
    world.database().execute("UPDATE releases SET rollout_seed = ?1", [SEED]).unwrap();
    let client = world.client().keeping_connections();
    let path = acme.check_path("0.1");

    for percent in PERCENTAGES {
        let _ = acme.edit(&staged, json!({ "publish": true, "rollout": percent })).expect(200);
        let inside = AtomicU64::new(0);
        in_parallel(usize::try_from(DEVICES).unwrap(), |n| {
            let device = format!("device-{percent}-{n}");
            let version = client.get(&path).header("x-device-id", &device).ok()["version"].clone();
            let is_inside = bucket(&device, SEED) < percent;
            assert_eq!(version, if is_inside { "2.0.0" } else { "1.0.0" }, "{device}");
            inside.fetch_add(u64::from(is_inside), Ordering::SeqCst);
        });
        let inside = inside.into_inner();
        println!("{percent} percent: {inside} of {DEVICES}");
        assert!(inside.abs_diff(DEVICES * percent / 100) <= DEVICES / 100, "{percent} percent: {inside}");
    }
}
