//! The rate limits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use spindrift_service::rate_limits::delete_expired;
use spindrift_web::Clock as _;

use crate::world::{World, body};

/// Sends reports from 8 threads at once; returns how many were accepted and how many refused.
fn flood(world: &World, each: usize, report: impl Fn(usize) -> (String, String) + Sync) -> (usize, usize) {
    let (accepted, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (accepted, refused, report) = (&accepted, &refused, &report);
            scope.spawn(move || {
                for n in 0..each {
                    let (device, reason) = report(thread * each + n);
                    match world.report(&device, &body(&reason)).status {
                        202 => accepted.fetch_add(1, Ordering::SeqCst),
                        429 => refused.fetch_add(1, Ordering::SeqCst),
                        other => panic!("{other}"),
                    };
                }
            });
        }
    });
    (accepted.into_inner(), refused.into_inner())
}

#[test]
fn a_device_has_one_report_in_a_group_and_an_hour() {
    let world = World::new();
    assert_eq!(flood(&world, 3, |_| ("d".into(), "a".into())), (1, 23));
    let refused = world.report("d", &body("a"));
    assert_eq!(refused.error(), (429, "rate limit exceeded"));
    // 01:43:00 to 02:00:00.
    assert_eq!(refused.retry_after.as_deref(), Some("1020"));
    assert_eq!(world.report("d", &body("b")).status, 202);
    world.platform.advance(Duration::from_secs(1019));
    assert_eq!(world.report("d", &body("a")).status, 429);
    world.platform.advance(Duration::from_secs(1));
    assert_eq!(world.report("d", &body("a")).status, 202);
}

#[test]
fn a_group_has_thirty_reports_in_a_minute() {
    let world = World::new();
    assert_eq!(flood(&world, 6, |n| (format!("d{n}"), "a".into())), (30, 18));
    assert_eq!(world.group()["stats"]["count"], 30);
    // A device that was refused because of its group may send again.
    assert_eq!(world.report("late", &body("a")).retry_after.as_deref(), Some("60"));
    world.platform.advance(Duration::from_mins(1));
    assert_eq!(world.report("late", &body("a")).status, 202);
}

#[test]
fn a_key_has_as_many_reports_in_a_minute_as_the_setting_says() {
    let world = World::new();
    assert_eq!(flood(&world, 15, |n| (format!("d{n}"), format!("r{n}"))), (100, 20));
    world.platform.advance(Duration::from_mins(1));
    world.platform.set_variable("reports_rate_limit_per_key_per_minute", "3");
    assert_eq!(flood(&world, 1, |n| (format!("e{n}"), format!("r{n}"))), (3, 5));
}

/// Each limit refuses more reports than the others have room for; they still have room for all that follow.
#[test]
fn a_report_that_a_limit_refuses_uses_up_none_of_the_others() {
    let world = World::new();
    let limit_of_key = |max| world.platform.set_variable("reports_rate_limit_per_key_per_minute", max);
    let refused = |device: &str, reason: &str, seconds: &str| {
        for _ in 0..40 {
            assert_eq!(world.report(device, &body(reason)).retry_after.as_deref(), Some(seconds));
        }
    };
    let counted = |device: &str, reason: &str| assert_eq!(world.report(device, &body(reason)).status, 202);
    limit_of_key("31");
    counted("d", "a");
    refused("d", "a", "1020");
    (0..29).for_each(|n| counted(&format!("d{n}"), "a"));
    refused("late", "a", "60");
    counted("d", "b");
    // The key is at its limit now.
    refused("late", "c", "60");
    limit_of_key("1000");
    counted("late", "c");
    (0..29).for_each(|n| counted(&format!("d{n}"), "c"));
    world.platform.advance(Duration::from_mins(1));
    counted("late", "a");
}

/// A stranger chooses the names of devices and groups, and the addresses that proxies name.
#[test]
fn refused_reports_leave_no_keys() {
    let world = World::new();
    let refuse = |report: &dyn Fn(usize) -> (String, String)| {
        let before = world.platform.stored_keys();
        for n in 0..300 {
            let (device, reason) = report(n);
            let answer = world.report_from(&format!("2001:db8:{n:x}::1"), &device, &body(&reason));
            assert_eq!(answer.status, 429, "{n}");
        }
        assert_eq!(world.platform.stored_keys(), before);
    };
    assert_eq!(world.report("d", &body("a")).status, 202);
    // By the limit of the device, in this minute and in the next one, in which its group has no counter yet.
    refuse(&|_| ("d".into(), "a".into()));
    world.platform.advance(Duration::from_mins(1));
    refuse(&|_| ("d".into(), "a".into()));
    // By that of the group.
    assert_eq!(flood(&world, 6, |n| (format!("d{n}"), "a".into())), (30, 18));
    refuse(&|n| (format!("e{n}"), "a".into()));
    // By that of the key.
    assert_eq!(flood(&world, 10, |n| (format!("d{n}"), format!("r{n}"))), (70, 10));
    refuse(&|n| (format!("e{n}"), format!("r{n}")));
    refuse(&|n| ("d".into(), format!("s{n}")));
    // Earlier counts are still there, and are deleted.
    assert_eq!(world.report("d0", &body("a")).status, 429);
    world.platform.advance(Duration::from_hours(2));
    while delete_expired(&world.platform, world.platform.now(), 1000).unwrap() > 0 {}
    delete_expired(&world.platform, world.platform.now(), 1000).unwrap();
    let counters = world.platform.stored_keys().into_iter().filter(|key| key.starts_with("rate."));
    assert_eq!(counters.collect::<Vec<_>>(), ["rate.oldest-hour"]);
}

#[test]
fn counters_that_cannot_be_asked_refuse_nobody() {
    let world = World::new();
    world.platform.fail_key_value(true);
    assert_eq!(flood(&world, 1, |_| ("d".into(), "a".into())), (8, 0));
}

#[test]
fn counters_end_with_their_windows() {
    let world = World::new();
    for hour in 0..30 {
        for n in 0..3 {
            assert_eq!(world.report(&format!("d{n}"), &body(&format!("r{hour}"))).status, 202);
            world.report("d0", &body(&format!("r{hour}")));
            world.platform.advance(Duration::from_mins(1));
        }
        world.platform.advance(Duration::from_mins(57));
    }
    let sweep = |limit| delete_expired(&world.platform, world.platform.now(), limit).unwrap();
    let before = world.platform.stored_keys().len();
    assert!(before > 30 * 9, "{before}");
    // In parts, like a run that is cut short.
    let mut deleted = 0;
    loop {
        match sweep(10) {
            0 => break,
            n => deleted += n,
        }
    }
    // Per hour: three minutes of the key and of the group, three devices.
    assert!(deleted >= 29 * 9, "{deleted}");
    world.platform.advance(Duration::from_hours(5));
    while sweep(1000) > 0 {}
    sweep(1000);
    assert_eq!(world.platform.stored_keys(), ["rate.oldest-hour"]);
    assert_eq!(world.report("d0", &body("r0")).status, 202);
}

#[test]
fn a_window_that_is_open_is_left_alone() {
    let world = World::new();
    world.report("d", &body("a"));
    assert_eq!(delete_expired(&world.platform, world.platform.now(), 1000).unwrap(), 0);
    assert_eq!(world.report("d", &body("a")).status, 429);
    assert_eq!(world.group()["stats"], world.group()["stats"]);
    assert_eq!(world.group()["stats"]["count"], json!(1));
}
