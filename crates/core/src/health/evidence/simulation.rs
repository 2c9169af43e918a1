//! How often the guard is wrong, and how soon it is right. The simulation checks once an hour,
//! because a guard run every five minutes would not detect more.

use super::*;
use crate::health::guard::GuardAction;

const GUARD: Guard = Guard::new(GuardAction::Pause);
const HOURS: u64 = 24;

/// The generator `SplitMix64`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        #[expect(clippy::cast_precision_loss, reason = "53 bits")]
        let unit = ((z ^ (z >> 31)) >> 11) as f64;
        unit / 9_007_199_254_740_992.0
    }

    /// The number of events of a Poisson process until `mean`.
    fn poisson(&mut self, mean: f64) -> u64 {
        let (mut events, mut at) = (0, 0.0);
        loop {
            at -= (1.0 - self.next()).ln();
            if at > mean {
                return events;
            }
            events += 1;
        }
    }
}

/// After how many device-days a rollout is found unhealthy. `None`: never. `new_devices` of each
/// day fail at `rate`, and each failing device does so every day.
fn alarm(
    random: &mut Random,
    guard: &Guard,
    baseline: Baseline,
    days: &[(u64, u64)],
    rate: f64,
) -> Option<u64> {
    let (mut k, mut n) = (0, 0);
    for (new_devices, devices) in days {
        for _ in 0..HOURS {
            let failed = random.poisson(count(*new_devices) * rate / count(HOURS));
            (k, n) = (k + failed, n + devices / HOURS);
            // Devices that do not fail are evidence against.
            if failed == 0 {
                continue;
            }
            let exposure = Exposure::new(k, n);
            let evidence = Evidence::of(exposure, Some(baseline), guard, None);
            if k >= u64::from(guard.min_failing) && evidence.is_enough() {
                return Some(n);
            }
        }
    }
    None
}

/// Which devices fail each day.
#[derive(Clone, Copy)]
enum Failing {
    /// Always the same devices.
    Same,
    /// Different devices each day.
    Others,
}

/// 1, 5, 20 and 100 % by days: the devices that can fail for the first time on each day, and all of it.
fn plan(devices: u64, failing: Failing) -> Vec<(u64, u64)> {
    let of_day = [1, 5, 20, 100, 100].map(|percent| devices * percent / 100);
    let first = match failing {
        Failing::Same => [of_day[0], of_day[1] - of_day[0], of_day[2] - of_day[1], of_day[3] - of_day[2], 0],
        Failing::Others => of_day,
    };
    first.into_iter().zip(of_day).collect()
}

/// The part of `runs` that is found unhealthy, and the median number of device-days until then.
fn found(runs: u64, devices: u64, failing: Failing, times: f64) -> (f64, u64) {
    let mut random = Random(times.to_bits() ^ devices);
    let mut alarms: Vec<u64> = (0..runs)
        .filter_map(|_| {
            // One percent failed on each day of the week before.
            let before = match failing {
                Failing::Same => random.poisson(count(devices) / 100.0) * 7,
                Failing::Others => random.poisson(count(devices) * 7.0 / 100.0),
            };
            let baseline = Baseline { failing: before, device_days: devices * 7, spread: 7.0 };
            alarm(&mut random, &GUARD, baseline, &plan(devices, failing), times / 100.0)
        })
        .collect();
    alarms.sort_unstable();
    let median = alarms.get(alarms.len() / 2).copied().unwrap_or(0);
    (count(alarms.len() as u64) / count(runs), median)
}

/// At the boundary, where the true rate is 1.25 times the previous one, with a check each hour for
/// a fortnight.
#[test]
fn healthy_rollouts_are_rarely_stopped() {
    let mut random = Random(1);
    let rollouts = 10_000;
    let mut alarms = 0;
    for _ in 0..rollouts {
        let failing = random.poisson(50.0);
        let baseline = Baseline { failing, device_days: 5000, spread: 1.0 };
        // Devices that fail once each: the case for which the test is made.
        let days = [(600, 600); 5];
        alarms += u32::from(alarm(&mut random, &GUARD, baseline, &days, 0.0125).is_some());
    }
    println!("{alarms} false alarms in {rollouts} healthy rollouts at the boundary");
    assert!(alarms <= rollouts / 100, "{alarms}");
}

#[test]
fn unhealthy_rollouts_are_found() {
    use Failing::{Others, Same};
    for (devices, failing, times, least, latest) in [
        (60_000, Same, 2.0, 0.8, 40_000),
        (60_000, Others, 2.0, 1.0, 10_000),
        (60_000, Same, 3.0, 1.0, 2000),
        (60_000, Same, 5.0, 1.0, 500),
        (60_000, Same, 10.0, 1.0, 200),
        (3_000, Others, 3.0, 0.3, 2000),
        (3_000, Same, 5.0, 0.95, 800),
        (3_000, Same, 30.0, 1.0, 60),
    ] {
        let (part, median) = found(500, devices, failing, times);
        let percent = part * 100.0;
        println!(
            "{devices} devices, {times} times the rate: {percent:.1} % found, after {median} device-days"
        );
        assert!(part >= least && median <= latest, "{devices} devices, {times} times: {part}, {median}");
    }
    for failing in [Same, Others] {
        let (part, _) = found(500, 60_000, failing, 1.0);
        assert!(part < 0.01, "{part}");
    }
}
