//! What installed copies ask.

use std::sync::Arc;

use anyhow::Context as _;
use serde_json::Value;
use spindrift_tests::World;

use crate::load::touch;
use crate::seed;
use crate::target::{Server, Target};

/// Devices that ask in turn.
const DEVICES: u32 = 5_000;
/// Connections for the requests before the measurement.
const TOUCHING: u32 = 16;

/// One row for each kind of question, whose requests ask about one application after another. Each has been asked about
/// every application before, so that all records are stored, and each first answer is as it should be.
/// `suffix` ends the name of each.
pub(crate) fn targets(
    world: &World,
    server: &Server,
    apps: u32,
    suffix: &str,
) -> anyhow::Result<[Target; 6]> {
    let newest = world.get(&seed::check_path(0)).send().expect(200).json();
    let row = |name: &str, path: fn(u32) -> String| {
        Target::new(&format!("{name}{suffix}"), server, move |n| path(n % apps))
    };
    let device = |n: u32| format!("device-{}", n % DEVICES);
    let is_newest =
        |answer: &str| body(answer).is_some_and(|body| body == newest && body["update_available"] == true);
    let tags = tags(world, apps)?;
    let check = row("check", seed::check_path).verified(is_newest)?;
    let not_modified = row("check, answered 304", seed::check_path)
        .with_header("If-None-Match", move |n| tags[(n % apps) as usize].clone())
        .answering(304)
        .verified(|answer| answer.ends_with("\r\n\r\n"))?;
    let with_device = row("check with a device", seed::check_path)
        .with_header("X-Device-ID", device)
        .counting()
        .verified(is_newest)?;
    let beacon = row("beacon", |app| format!("/telemetry/beacon?{}&version=0.5.0", seed::scope(app)))
        .with_header("X-Device-ID", device)
        .answering(204)
        .counting()
        .verified(|answer| answer.ends_with("\r\n\r\n"))?;
    let edge =
        row("edge", |app| format!("/responses/{}/0.5.0.json", seed::scope_path(app))).verified(is_newest)?;
    let latest = row("latest", |app| format!("/apps/latest?{}&package=deb", seed::scope(app)))
        .answering(302)
        .verified(|answer| {
            location(answer).is_some_and(|link| Some(link) == newest["update_url_deb"].as_str())
        })?;
    for target in [&check, &latest] {
        touch(target, TOUCHING, apps)?;
    }
    Ok([check, not_modified, with_device, beacon, edge, latest])
}

/// The `ETag` of the check's answer for each application.
fn tags(world: &World, apps: u32) -> anyhow::Result<Arc<[String]>> {
    let client = world.client().keeping_connections();
    let of_worker = |worker: u32| {
        let client = &client;
        move || -> Vec<String> {
            let tag = |app| client.get(&seed::check_path(app)).send().expect(200).header("etag").to_owned();
            (worker..apps).step_by(TOUCHING as usize).map(tag).collect()
        }
    };
    let parts: Vec<Vec<String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..TOUCHING).map(|worker| scope.spawn(of_worker(worker))).collect();
        workers.into_iter().map(|worker| worker.join().ok()).collect::<Option<_>>()
    })
    .context("a check failed")?;
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    let tag = |app: u32| parts[(app % TOUCHING) as usize].next();
    (0..apps).map(tag).collect::<Option<_>>().context("a tag for each application")
}

/// The body of an answer, which is JSON.
fn body(answer: &str) -> Option<Value> {
    serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
}

/// Where an answer sends the client.
fn location(answer: &str) -> Option<&str> {
    let mut headers = answer.lines().filter_map(|line| line.split_once(": "));
    headers.find(|(name, _)| name.eq_ignore_ascii_case("location")).map(|(_, link)| link)
}
