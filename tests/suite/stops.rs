//! The state that a stopped host leaves behind.

use std::thread;
use std::time::Duration;

use serde_json::json;
use spindrift_tests::{Driver, PASSWORD, Release, World, WorldBuilder, on_hosts};

use crate::concurrency::in_parallel;
use crate::telemetry::BEACON;

on_hosts! {
    every: [],
    hosted: [
        a_second_after_the_last_request_every_device_is_counted,
        a_second_after_the_last_request_every_gathered_device_is_counted,
    ],
}

/// How long `docs/operations.md` lets a host be without requests before it is stopped.
const QUIET: Duration = Duration::from_secs(1);
/// Neither a multiple of the devices that an instance writes together, nor of the requests that it answers.
const DEVICES: usize = 333;

fn a_second_after_the_last_request_every_device_is_counted(host: Driver) {
    every_device_is_counted(&World::builder, host);
}

fn a_second_after_the_last_request_every_gathered_device_is_counted(host: Driver) {
    let gathering =
        |host| World::builder(host).with_local_stores().with_variable("telemetry_gathered", "true");
    every_device_is_counted(&gathering, host);
}

fn every_device_is_counted(builder: &dyn Fn(Driver) -> WorldBuilder, host: Driver) {
    let world = builder(host).with_variable("device_hash_key", "a key of the tests").start();
    if world.database().into_file().is_none() {
        return;
    }
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    acme.check("0.1");

    in_parallel(DEVICES, |n| {
        let device = format!("device-{n}");
        if n % 2 == 0 {
            let _ = world.get(BEACON).header("x-device-id", &device).send().expect(204);
        } else {
            assert_eq!(acme.check_as(&device, "0.1")["version"], "1.0.0");
        }
    });
    // Not to wait for anything: the pause is the documented procedure. Nothing is asked meanwhile.
    thread::sleep(QUIET);
    // The hosts are killed, and have no moment to finish anything.
    let state = world.into_state();

    let world = World::builder(host).with_state(&state.folder()).start();
    let summary = world.login("acme", PASSWORD).get("/telemetry?range=month").ok()["summary"].clone();
    assert_eq!((&summary["total_requests"], &summary["unique_clients"]), (&json!(DEVICES), &json!(DEVICES)));
}
