//! Load for a long time, after which no device may be missing.

use std::time::Duration;

use anyhow::Context as _;

use crate::data::DataSet;
use crate::host::BuildName;
use crate::load::{Load, Sample};
use crate::questions;
use crate::setup::Setup;
use crate::side::Side;
use crate::table::{milliseconds, percentile, thousands};
use crate::target::Target;

/// Half of them check, and half of them send beacons.
const CONNECTIONS: usize = 16;

/// Puts load on a host of one build, and checks that every request with a device is counted.
pub(crate) fn soak(
    setup: &Setup,
    build: BuildName,
    data: &DataSet,
    duration: Duration,
) -> anyhow::Result<()> {
    let side = Side::start(setup, build, data)?;
    let [_, _, with_device, beacon, ..] = questions::targets(&side.server, data, "")?;
    let load = Load { connections: CONNECTIONS / 2, duration };
    let samples = std::thread::scope(|scope| {
        let other = scope.spawn(|| load.measure(&beacon));
        let samples =
            [load.measure(&with_device), other.join().unwrap_or_else(|_| anyhow::bail!("a thread ended"))];
        samples.into_iter().collect::<anyhow::Result<Vec<_>>>()
    })?;
    println!();
    for (target, sample) in [&with_device, &beacon].into_iter().zip(&samples) {
        print(target, sample)?;
    }
    side.print_memory();
    side.count()
}

fn print(target: &Target, sample: &Sample) -> anyhow::Result<()> {
    let figures = percentile(&sample.micros, 99).zip(sample.micros.last());
    let (p99, slowest) = figures.context("nothing was measured")?;
    println!(
        "{}: {} per second on {} connections, p99 {}, slowest {}",
        target.name,
        thousands(sample.per_second()),
        CONNECTIONS / 2,
        milliseconds(p99.into()),
        milliseconds((*slowest).into()),
    );
    Ok(())
}
