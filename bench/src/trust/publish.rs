//! `publish` of one file into a repository, next to the same without one.

use anyhow::Context as _;
use spindrift_tests::{Driver, Gate, PUBLIC_BUCKET, World};

use super::calls::Calls;
use super::command_line::CommandLine;
use crate::figure::{figure, median, part};

/// Calls of one `publish`.
struct Cost {
    service: Calls,
    bucket: Calls,
    storage: Calls,
}

/// Prints the calls, and the time in `rounds` rounds.
pub(crate) fn report(host: Driver, rounds: u32) -> anyhow::Result<()> {
    part("`publish` of one file, with a repository and without");
    calls(host)?;
    times(host, rounds)
}

fn calls(host: Driver) -> anyhow::Result<()> {
    let world = World::builder(host).in_memory().with_gate().start();
    let (service, bucket) = (Gate::before(&world.url()), Gate::before(world.store().url()));
    let gates = [&service, &bucket, world.gate()];
    for gate in gates {
        gate.watch("/");
    }
    let bucket_url = format!("{}/{PUBLIC_BUCKET}", bucket.url());
    let user = CommandLine::sign_up(&world.url())?.through(service.url(), &bucket_url);
    let cost = |app: &str, version: &str| -> anyhow::Result<Cost> {
        for gate in gates {
            gate.take_passed();
        }
        user.publish(app, version)?;
        let [service, bucket, storage] = gates.map(|gate| Calls::of(&gate.take_passed()));
        Ok(Cost { service, bucket, storage })
    };
    // The first one finds caches empty.
    for app in ["plain", "signed"] {
        cost(app, "1.0.0")?;
    }
    let (plain, signed) = (cost("plain", "1.1.0")?, cost("signed", "1.1.0")?);
    let (service, bucket) = (signed.service.beyond(&plain.service), signed.bucket.beyond(&plain.bucket));
    let all = service.count() + bucket.count();
    figure("more calls of the command", format!("{all}"), "6");
    figure("  to the service", format!("{service} (without: {})", plain.service), "");
    figure("  that may go to the bucket", bucket, "4");
    let storage = signed.storage.beyond(&plain.storage);
    figure(
        "more calls of the service to its storage",
        format!("{storage} (without: {})", plain.storage),
        "3 PUT, 1 GET",
    );
    Ok(())
}

fn times(host: Driver, rounds: u32) -> anyhow::Result<()> {
    let world = World::builder(host).in_memory().start();
    let user = CommandLine::sign_up(&world.url())?;
    let (mut plain, mut signed) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let version = format!("1.{round}.0");
        let times = [user.publish("plain", &version)?, user.publish("signed", &version)?];
        // The first round finds caches empty.
        if round > 0 {
            let [one, other] = times.map(|time| time.as_secs_f64() * 1000.0);
            plain.push(one);
            signed.push(other);
        }
    }
    let more = signed.iter().zip(&plain).map(|(signed, plain)| signed - plain).collect();
    let [more, plain] = [more, plain].map(median);
    let (more, plain) = more.zip(plain).context("no rounds")?;
    figure("more time", format!("+{more:.0} ms (without: {plain:.0} ms)"), "+300 ms");
    Ok(())
}
