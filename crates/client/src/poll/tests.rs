use super::*;

const HOUR: u64 = 3600;

#[test]
fn pauses() {
    let settings = PollSettings::default();
    let failed = |in_a_row, seconds: Option<u64>| Polled::Failed {
        in_a_row,
        retry_after: seconds.map(Duration::from_secs),
    };
    for (polled, random, seconds) in [
        (Polled::Nothing, 0, 0),
        (Polled::Nothing, u32::MAX, 60),
        (Polled::Answered, 0, 6 * HOUR * 8 / 10),
        (Polled::Answered, u32::MAX, 6 * HOUR * 12 / 10),
        (failed(1, None), 0, 300),
        (failed(1, None), u32::MAX, 360),
        (failed(2, None), 0, 600),
        (failed(4, None), 0, 2400),
        (failed(20, None), 0, 6 * HOUR),
        (failed(u32::MAX, None), u32::MAX, 6 * HOUR * 12 / 10),
        (failed(1, Some(1)), 0, 300),
        (failed(1, Some(HOUR)), 0, HOUR),
        (failed(1, Some(HOUR)), u32::MAX, HOUR * 12 / 10),
        (failed(1, Some(u64::MAX)), u32::MAX, 24 * HOUR),
    ] {
        assert_eq!(settings.next_pause(polled, random), Duration::from_secs(seconds), "{polled:?} {random}");
    }
}

#[test]
fn settings_cannot_undercut_the_floor() {
    let hasty = PollSettings {
        interval: Duration::ZERO,
        ceiling: Duration::ZERO,
        jitter_percent: 255,
        ..PollSettings::default()
    };
    for polled in [Polled::Answered, Polled::Failed { in_a_row: 1, retry_after: None }] {
        for random in [0, u32::MAX] {
            assert!(hasty.next_pause(polled, random) >= hasty.floor);
        }
    }
}

#[test]
fn the_pauses_of_many_are_spread() {
    let settings = PollSettings::default();
    let pauses: Vec<Duration> =
        (0..=100).map(|n| settings.next_pause(Polled::Answered, n * (u32::MAX / 100))).collect();
    let steps: Vec<Duration> = pauses.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    assert!(steps.iter().all(|step| (80..=90).contains(&step.as_secs())), "{steps:?}");
}
