use super::*;
use crate::Id;

const DAY: i64 = 20_000;

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

fn subject() -> GuardedRelease {
    let offered_at = Day::from_number(DAY).start().plus_seconds(3600);
    GuardedRelease {
        version: version("2.0"),
        unreached: vec!["nightly".to_owned()],
        offered_at,
        round: Round { release: Id::from_text("r"), since: offered_at },
    }
}

fn group(version_: &str, channel: &str, event: EventType) -> GroupFigures {
    GroupFigures {
        version: version(version_),
        channel: channel.to_owned(),
        platform: "linux".to_owned(),
        event,
        reason: "segv".to_owned(),
        reports: BTreeMap::new(),
        failing_days: BTreeMap::new(),
        failing_rounds: BTreeMap::new(),
    }
}

fn in_sets(group: GroupFigures, sets: &[(&str, u64)]) -> GroupFigures {
    let round = subject().round;
    let failing_rounds = sets.iter().map(|(set, count)| (format!("{round}:{set}"), *count)).collect();
    GroupFigures { failing_rounds, ..group }
}

fn on_days(group: GroupFigures, days: &[(i64, u64)]) -> GroupFigures {
    let days: BTreeMap<_, _> = days.iter().copied().collect();
    GroupFigures {
        reports: days.iter().map(|(day, n)| (*day, 10 * n)).collect(),
        failing_days: days,
        ..group
    }
}

fn devices(day: i64, version_: Option<&str>, channel: &str, is_latest: bool, devices: u64) -> DeviceDay {
    DeviceDay {
        day,
        version: version_.map(version),
        channel: channel.to_owned(),
        platform: "linux".to_owned(),
        is_latest,
        devices,
    }
}

#[test]
fn failing_devices_are_those_of_the_greatest_set() {
    let other_round = GroupFigures {
        failing_rounds: BTreeMap::from([("1:r:aa".to_owned(), 99)]),
        ..group("2.0", "stable", EventType::Crash)
    };
    let groups = vec![
        in_sets(group("2.0", "stable", EventType::Crash), &[("aa", 3), ("bb", 2)]),
        in_sets(group("2.0", "beta", EventType::StartupFailure), &[("aa", 1), ("bb", 1)]),
        in_sets(group("2.0", "nightly", EventType::Crash), &[("aa", 50)]),
        in_sets(group("1.0", "stable", EventType::Crash), &[("aa", 50)]),
        in_sets(group("1.0", "stable", EventType::UpdateFailure), &[("cc", 2)]),
        in_sets(group("3.0", "stable", EventType::UpdateFailure), &[("cc", 50)]),
        other_round,
    ];
    let counts = HealthCounts { groups, ..HealthCounts::default() };
    assert_eq!(counts.exposure(&subject(), Series::Running), Exposure::new(4, 4));
    assert_eq!(counts.exposure(&subject(), Series::Updating), Exposure::new(2, 2));
}

#[test]
fn device_days_are_those_that_the_release_reaches() {
    let devices = vec![
        devices(DAY - 1, Some("2.0"), "stable", true, 7),
        devices(DAY, Some("2.0"), "stable", true, 100),
        devices(DAY, Some("2.0"), "nightly", true, 50),
        devices(DAY + 1, Some("2.0"), "", true, 300),
        devices(DAY + 1, Some("1.0"), "stable", false, 20),
        devices(DAY + 1, None, "stable", false, 3),
        devices(DAY + 1, Some("1.0"), "stable", true, 1000),
    ];
    let counts = HealthCounts { devices, ..HealthCounts::default() };
    assert_eq!(counts.exposure(&subject(), Series::Running), Exposure::new(0, 400));
    assert_eq!(counts.exposure(&subject(), Series::Updating), Exposure::new(0, 23));
    assert_eq!(counts.seen_devices(&subject()), 300);
    assert!(counts.any_since(Day::from_number(DAY + 1)) && !counts.any_since(Day::from_number(DAY + 2)));
}

#[test]
fn a_release_is_compared_with_the_newest_version_that_enough_devices_ran() {
    let devices = vec![
        devices(DAY - 8, Some("1.2"), "stable", true, 999),
        devices(DAY - 7, Some("1.1"), "stable", true, 150),
        devices(DAY - 1, Some("1.1"), "beta", true, 50),
        devices(DAY - 1, Some("1.2"), "stable", true, 199),
        devices(DAY - 1, Some("2.1"), "stable", true, 999),
        devices(DAY, Some("1.2"), "stable", true, 999),
        devices(DAY - 2, Some("1.0"), "stable", false, 400),
    ];
    let groups = vec![
        on_days(
            group("1.1", "stable", EventType::Crash),
            &[(DAY - 8, 9), (DAY - 7, 2), (DAY - 1, 3), (DAY, 9)],
        ),
        on_days(group("1.1", "nightly", EventType::Crash), &[(DAY - 1, 30)]),
        on_days(group("1.0", "stable", EventType::InstallFailure), &[(DAY - 3, 4)]),
        on_days(group("2.1", "stable", EventType::InstallFailure), &[(DAY - 3, 40)]),
    ];
    let counts = HealthCounts { groups, devices, ..HealthCounts::default() };
    let before = counts.version_before(&subject());
    assert_eq!(before, Some(version("1.1")));
    let baseline = counts.baseline(&subject(), Series::Running, before.as_ref(), 2.0).unwrap();
    assert_eq!(baseline, Baseline { failing: 5, device_days: 200, spread: 2.0 });
    let updating = counts.baseline(&subject(), Series::Updating, None, 0.5).unwrap();
    assert_eq!(updating, Baseline { failing: 4, device_days: 400, spread: 1.0 });
    assert_eq!(HealthCounts::default().baseline(&subject(), Series::Updating, None, 1.0), None);
    assert_eq!(counts.baseline(&subject(), Series::Running, None, 1.0), None);
}

#[test]
fn causes_are_counted_beside_those_before() {
    let mut other = on_days(group("2.0", "stable", EventType::Crash), &[(DAY, 9)]);
    other.reason = "oom".to_owned();
    let groups = vec![
        on_days(group("2.0", "stable", EventType::Crash), &[(DAY - 1, 1), (DAY, 2)]),
        on_days(group("2.0", "beta", EventType::Crash), &[(DAY + 1, 3)]),
        on_days(group("1.1", "stable", EventType::Crash), &[(DAY - 1, 4), (DAY, 5)]),
        on_days(group("1.0", "stable", EventType::Crash), &[(DAY - 1, 6)]),
        on_days(group("1.0", "stable", EventType::UpdateFailure), &[(DAY - 1, 1)]),
        other,
    ];
    let causes = HealthCounts { groups, ..HealthCounts::default() }.causes(&subject(), Some(&version("1.1")));
    let found: Vec<_> = causes.iter().map(|cause| (cause.reason.as_str(), cause.new, cause.before)).collect();
    assert_eq!(found, [("oom", 90, 0), ("segv", 50, 40)]);
}

#[test]
fn devices_of_missed_reports_count_in_their_set() {
    let subject = subject();
    let hash: crate::GroupHash = "0".repeat(64).parse().unwrap();
    let missed = |sets: &[(&str, u64)], are_refused| {
        let mut missed = MissedReports::default();
        missed.are_refused = are_refused;
        for (set, devices) in sets {
            (0..*devices).for_each(|_| missed.add(&hash, Some(set), false));
        }
        missed
    };
    let running = MissedReports::key(&subject.round, Series::Running);
    let counts = HealthCounts {
        missed: [(running, missed(&[("one", 5), ("other", 3)], true))].into(),
        ..HealthCounts::default()
    };
    assert_eq!(counts.exposure(&subject, Series::Running).failing, 5, "the other set followed the first one");
    assert_eq!(counts.exposure(&subject, Series::Updating).failing, 0);
    assert!(counts.are_refused(&subject));
    assert!(!HealthCounts::default().are_refused(&subject));
}

#[test]
fn a_cause_has_its_devices_versions_and_platforms() {
    let on = |group: GroupFigures, platform: &str| GroupFigures { platform: platform.to_owned(), ..group };
    let crashed = |platform, devices| {
        let group = on_days(group("2.0", "stable", EventType::Crash), &[(DAY, 2)]);
        on(in_sets(group, &[("aa", devices), ("bb", 1)]), platform)
    };
    let old = on_days(group("1.1", "stable", EventType::UpdateFailure), &[(DAY, 1)]);
    let groups = vec![
        old,
        crashed("linux", 3),
        crashed("mac", 4),
        on_days(group("1.0", "stable", EventType::UpdateFailure), &[(DAY, 1)]),
    ];
    let causes = HealthCounts { groups, ..HealthCounts::default() }.causes(&subject(), None);
    let found: Vec<_> = causes
        .iter()
        .map(|cause| {
            let versions: Vec<_> = cause.versions.iter().map(ToString::to_string).collect();
            (cause.event.as_str(), cause.devices, versions.join(" "), cause.platforms.len())
        })
        .collect();
    assert_eq!(found, [("crash", 7, "2.0".to_owned(), 2), ("update_failure", 0, "1.0 1.1".to_owned(), 1)]);
}

#[test]
fn days_are_shown_by_platform_beside_an_older_version() {
    let on = |day: DeviceDay, platform: &str| DeviceDay { platform: platform.to_owned(), ..day };
    let counts = HealthCounts {
        groups: vec![
            on_days(group("2.0", "stable", EventType::Crash), &[(DAY, 5)]),
            on_days(group("2.0", "stable", EventType::UpdateFailure), &[(DAY, 50)]),
            on_days(group("2.0", "nightly", EventType::Crash), &[(DAY, 50)]),
            on_days(group("1.1", "stable", EventType::StartupFailure), &[(DAY - 8, 9), (DAY - 7, 1)]),
        ],
        devices: vec![
            devices(DAY - 8, Some("1.1"), "stable", true, 10),
            devices(DAY, Some("2.0"), "stable", true, 20),
            devices(DAY, Some("1.1"), "stable", false, 30),
            on(devices(DAY, Some("2.0"), "stable", true, 7), "mac"),
            devices(DAY, Some("1.0"), "stable", false, 40),
            devices(DAY, None, "stable", false, 50),
        ],
        ..HealthCounts::default()
    };
    let before = counts.shown_before(&subject(), None);
    assert_eq!(before, Some(version("1.1")), "the newest older one");
    assert_eq!(counts.shown_before(&subject(), Some(&version("1.0"))), Some(version("1.0")));
    let days = counts.by_day(&subject(), before.as_ref(), Day::from_number(DAY));
    let found: Vec<_> = days
        .iter()
        .map(|day| {
            let [release, before] = [day.release, day.before].map(|devices| (devices.failing, devices.seen));
            (day.day.number(), day.platform.as_str(), release, before)
        })
        .collect();
    assert_eq!(
        found,
        [(DAY - 7, "linux", (0, 0), (1, 0)), (DAY, "linux", (5, 20), (0, 30)), (DAY, "mac", (0, 7), (0, 0)),]
    );
}
