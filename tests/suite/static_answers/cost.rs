//! The cost of static answers.

use std::time::{Duration, Instant};

use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::{acme, keys, remember_versions, set_cdn};

on_hosts! {
    every: [a_publish_with_200_versions_takes_at_most_3_seconds_longer],
    in_process: [
        without_static_answers_publishing_costs_the_same_for_any_number_of_others,
        a_run_with_nothing_to_do_costs_a_few_reads,
    ],
}

/// Of each call to the storage about static answers.
const DELAY: Duration = Duration::from_millis(5);
const AT_MOST: Duration = Duration::from_secs(3);

/// How long the completion of an upload takes.
fn publishing(acme: &Account, version: &str) -> Duration {
    let upload = acme.stage(&Release::new(version).published());
    let start = Instant::now();
    let _ = acme.complete(&upload).expect(200);
    start.elapsed()
}

fn a_publish_with_200_versions_takes_at_most_3_seconds_longer(host: Driver) {
    // The time of a call is the delay, not other work of this machine's disk.
    let world = World::builder(host).in_memory().with_gate().start();
    let acme = acme(&world);
    acme.publish(Release::new("2.0.0"));
    remember_versions(&world, 198);
    world.gate().delay(DELAY);

    set_cdn(&acme, false);
    let without = publishing(&acme, "3.0.0");
    set_cdn(&acme, true);
    assert_eq!(keys(world.store()).len(), 400);
    let with = publishing(&acme, "4.0.0");

    println!(
        "{with:?} with 200 versions and {DELAY:?} for each call to the storage, {without:?} without static answers"
    );
    assert!(with < without + AT_MOST, "{with:?} and {without:?}");
    assert_eq!(
        super::published(world.store(), &format!("{}/1.0.50.json", super::FOLDER)).json()["version"],
        "4.0.0"
    );
}

/// The statements of the completion of an upload.
fn statements(world: &World, acme: &Account, release: Release) -> u64 {
    let upload = acme.stage(&release.published());
    let before = world.platform().statements();
    let _ = acme.complete(&upload).expect(200);
    world.platform().statements() - before
}

fn without_static_answers_publishing_costs_the_same_for_any_number_of_others(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app("quiet");
    let quiet = |version: &str| Release::new(version).with("app_name", "quiet");
    acme.publish(quiet("1.0.0"));

    let alone = statements(&world, &acme, quiet("2.0.0"));
    acme.publish(Release::new("1.0.0"));
    remember_versions(&world, 50);
    let beside = statements(&world, &acme, quiet("3.0.0"));
    let with = statements(&world, &acme, Release::new("2.0.0"));

    println!("{alone} statements without static answers, {with} with them");
    assert_eq!(alone, beside);
    assert!(with <= alone + 8, "{with} and {alone}");
}

fn a_run_with_nothing_to_do_costs_a_few_reads(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let run = || {
        let before = (world.platform().statements(), world.platform().requests());
        let _ = acme.post("/maintenance/run").send().expect(200);
        (world.platform().statements() - before.0, world.platform().requests() - before.1)
    };
    // The first run notes that no days need folding, and marks the bucket.
    run();
    let (statements, requests) = run();
    println!("{statements} statements, {requests} calls to the storage");
    assert!(statements <= 44, "{statements}");
    assert_eq!(requests, 3, "the owner of the bucket, the staged objects, and the open uploads");

    for channel in ["alpha", "beta", "gamma", "delta"] {
        acme.create_channel(channel);
        acme.publish(
            Release::new("1.0.0-pre").with("version", format!("1.0.0-{channel}")).with("channel", channel),
        );
    }
    remember_versions(&world, 50);
    assert_eq!(run(), (statements, requests), "for any amount of data");
}
