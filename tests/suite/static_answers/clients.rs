//! The way of installed copies: the CDN bucket first, then the service.

use std::time::Duration;

use serde_json::json;
use spindrift_client::{CheckOptions, CheckResult, Client as Official, Config, Source};
use spindrift_tests::{CDN_BUCKET, Driver, Release, World, on_hosts, until};

use super::{FOLDER, acme, published};

on_hosts! {
    every: [
        the_official_client_is_answered_by_the_edge,
        the_service_answers_where_the_edge_has_nothing,
        the_edge_answers_each_device_as_the_service_does,
        without_an_edge_the_service_answers,
    ],
}

/// A beacon is counted after its answer.
const COUNTED_WITHIN: Duration = Duration::from_secs(10);

fn edge_url(world: &World) -> String {
    format!("{}/{CDN_BUCKET}", world.store().url())
}

fn options(version: &str, device: Option<&str>) -> CheckOptions {
    let mut options = CheckOptions::new("acme", "notes", version).with_target("stable", "linux", "amd64");
    options.device_id = device.map(str::to_owned);
    options
}

fn ask(config: Config, options: &CheckOptions) -> CheckResult {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(Official::new(config).unwrap().check_result(options)).unwrap()
}

fn edge_first(world: &World, version: &str, device: Option<&str>) -> CheckResult {
    ask(Config::new(world.url()).with_edge(edge_url(world)), &options(version, device))
}

fn the_official_client_is_answered_by_the_edge(host: Driver) {
    let world =
        World::builder(host).with_variable("device_hash_key", "a key for the hashes of devices").start();
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0").critical());

    for device in [None, Some("a-device")] {
        let update = edge_first(&world, "1.0.0", device);
        assert_eq!(
            (update.source, update.update_available, update.offer.critical),
            (Source::Edge, true, true)
        );
        let service = ask(Config::new(world.url()), &options("1.0.0", device));
        assert_eq!((service.offer, service.source), (update.offer, Source::Api), "{device:?}");
        assert!(!edge_first(&world, "1.1.0", device).update_available);
    }
    let manual = CheckOptions { updater: "manual".to_owned(), ..options("1.0.0", None) };
    let update = ask(Config::new(world.url()).with_edge(edge_url(&world)), &manual);
    assert_eq!((update.source, update.update_available), (Source::Edge, true));
    until("the beacon counts the device that the edge answered", COUNTED_WITHIN, || {
        let counted = acme.get("/telemetry?range=week").ok();
        (counted["summary"]["unique_clients"] == 1).then_some(())
    });
}

fn the_service_answers_where_the_edge_has_nothing(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0"));

    for device in [None, Some("a-device")] {
        for version in ["v1.0.0", "1.0", "0.1.0", "1.0.0-rc.1"] {
            let object = published(world.store(), &format!("{FOLDER}/{version}.json"));
            assert_eq!(object.status, 404, "{version}");
            let update = edge_first(&world, version, device);
            assert_eq!((update.source, update.update_available), (Source::Api, true), "{version} {device:?}");
        }
    }
    let spelled = acme.get(&acme.check_path("v1.0.0")).send();
    assert_eq!(published(world.store(), &format!("{FOLDER}/1.0.0.json")).text(), spelled.text());
}

fn the_edge_answers_each_device_as_the_service_does(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0"));
    acme.publish(Release::new("1.2.0").rollout(50));

    let mut offered = std::collections::BTreeSet::new();
    for n in 0..12 {
        let device = format!("device-{n}");
        let update = edge_first(&world, "1.0.0", Some(&device));
        let service = acme.check_as(&device, "1.0.0");
        assert_eq!(update.source, Source::Edge);
        assert_eq!(json!(update.offer.version), service["version"], "{device}");
        offered.insert(update.offer.version);
    }
    assert_eq!(offered.len(), 2, "some are inside and some are not: {offered:?}");
}

fn without_an_edge_the_service_answers(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));

    world.store().stop();

    assert_eq!(edge_first(&world, "1.0.0", None).source, Source::Api);
    assert_eq!(edge_first(&world, "1.0.0", Some("a-device")).source, Source::Api);
}
