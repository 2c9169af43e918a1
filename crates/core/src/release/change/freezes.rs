//! Freezes hold what begins automatically, and narrow nothing.

use super::tests::{NOW, draft};
use super::*;
use crate::feeds::testing::Numbers;
use crate::{Freeze, Widening};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

fn at(seconds: i64) -> Timestamp {
    NOW.plus_seconds(seconds)
}

/// Spans in minutes.
fn freezes(spans: &[(i64, i64)]) -> Freezes {
    spans.iter().map(|(from, to)| Freeze { from: at(from * MINUTE), to: at(to * MINUTE) }).collect()
}

fn with(publication: Publication, plan: &str) -> Release {
    let plan = Some(plan.parse().unwrap());
    let change = ReleaseChange { publication: Some(publication), plan, ..ReleaseChange::default() };
    draft().apply_change(&change, NOW).unwrap()
}

/// The minutes at which later steps begin.
fn begins(release: &Release, minutes: i64) -> Vec<i64> {
    let ahead = release.rollout.rollout(at(minutes * MINUTE)).later;
    ahead.iter().map(|Widening { at, .. }| (at.as_seconds() - NOW.as_seconds()) / MINUTE).collect()
}

#[test]
fn steps_wait_for_the_end_of_a_freeze() {
    let release = with(Publication::Now, "10:1h,50:1h,100");
    assert_eq!((begins(&release, 0), release.held_until(NOW)), (vec![60, 120], None));
    for (spans, expected) in [
        // Over before the step is due; around it; around the step after it.
        (&[(10, 50)][..], [60, 120]),
        (&[(10, 60)], [60, 120]),
        (&[(60, 90)], [90, 150]),
        (&[(30, 300)], [300, 360]),
        (&[(61, 300)], [60, 300]),
        (&[(30, 90), (140, 200)], [90, 200]),
        (&[(30, 90), (80, 200)], [200, 260]),
    ] {
        let frozen = release.clone().with_freezes(&freezes(spans), NOW);
        assert_eq!(begins(&frozen, 0), expected, "{spans:?}");
        assert_eq!(frozen.due(), Some(at(expected[0] * MINUTE)), "{spans:?}");
        let held = (expected[0] != 60).then(|| at(expected[0] * MINUTE));
        assert_eq!(frozen.held_until(NOW), held, "{spans:?}");
        assert_eq!(frozen.rollout.basis_points(NOW), release.rollout.basis_points(NOW));
        // Written again later, the times are the same.
        let later = frozen.with_due_changes(at(expected[0] * MINUTE));
        assert_eq!(begins(&later, expected[0]), expected[1..], "{spans:?}");
    }
}

#[test]
fn a_freeze_that_is_ended_early_holds_nothing_longer() {
    let frozen = with(Publication::Now, "10:1h,50:1h,100").with_freezes(&freezes(&[(30, 300)]), NOW);
    for (minutes, expected) in [(10, [60, 120]), (40, [60, 120]), (60, [60, 120]), (200, [200, 260])] {
        let now = at(minutes * MINUTE);
        let ended = frozen.clone().with_freezes(&Freezes::default(), now);
        assert_eq!(begins(&ended, 0), expected, "{minutes}");
        assert_eq!(ended.held_until(at(minutes * MINUTE + 1)), None);
        assert_eq!(ended.rollout.basis_points(now) == BasisPoints::from_percent(50), minutes >= 60);
        // Another change of freezes, such as by an order, changes nothing of that.
        let again = ended.with_freezes(&Freezes::default(), now);
        assert_eq!(begins(&again, 0), expected, "{minutes}");
    }
}

#[test]
fn what_has_begun_is_not_held() {
    // The second step has begun, but was not written.
    let release = with(Publication::Now, "10:1h,50:1h,100");
    let now = at(90 * MINUTE);
    let frozen = release.with_freezes(&freezes(&[(90, 300)]), now);
    assert_eq!(frozen.rollout.basis_points(now), BasisPoints::from_percent(50));
    assert_eq!((begins(&frozen, 90), begins(&frozen, 0)), (vec![300], vec![60, 300]));
    // Orders do not wait.
    let advanced = frozen.apply_action(RolloutAction::Advance, now).unwrap();
    assert!(advanced.rollout.rollout(now).is_full(now));
}

#[test]
fn a_step_waits_for_working_hours_and_freezes() {
    // NOW is a Saturday at 01:43:42.
    let begin = |spans: &[(i64, i64)]| {
        let release = with(Publication::Now, "10:1h,100 @ Mon,Wed 09:00-16:00 +00:00");
        release.with_freezes(&freezes(spans), NOW).due().unwrap().to_rfc3339()
    };
    let day = 24 * 60;
    assert_eq!(begin(&[]), "2026-11-23T09:00:00+00:00");
    assert_eq!(begin(&[(0, 2 * day)]), "2026-11-23T09:00:00+00:00");
    assert_eq!(begin(&[(2 * day, 2 * day + 12 * 60)]), "2026-11-23T13:43:42+00:00");
    assert_eq!(begin(&[(2 * day, 3 * day)]), "2026-11-25T09:00:00+00:00");
    assert_eq!(begin(&[(2 * day, 3 * day), (4 * day, 5 * day)]), "2026-11-30T09:00:00+00:00");
}

#[test]
fn a_publication_waits_for_the_end_of_a_freeze() {
    let release = with(Publication::At(at(HOUR)), "10:1h,100");
    let frozen = release.clone().with_freezes(&freezes(&[(30, 300)]), NOW);
    let (planned, held) = (Some(at(HOUR)), Some(at(5 * HOUR)));
    assert_eq!((frozen.publish_at, frozen.planned_at, frozen.held_until(NOW)), (held, planned, held));
    assert_eq!(frozen.state(), ReleaseState::Scheduled);
    let published = frozen.clone().as_of(at(5 * HOUR));
    assert_eq!((published.offered_at, published.publish_at, published.planned_at), (held, None, None));
    assert_eq!(begins(&published, 300), [360]);
    for (minutes, expected) in [(10, HOUR), (40, HOUR), (60, HOUR), (200, 200 * MINUTE)] {
        let ended = frozen.clone().with_freezes(&Freezes::default(), at(minutes * MINUTE));
        assert_eq!(ended.publish_at, Some(at(expected)), "{minutes}");
        assert_eq!(ended.planned_at.is_some(), expected != HOUR, "{minutes}");
    }
    // A freeze that begins when the release has been published holds the steps of its plan only.
    let late = release.with_freezes(&freezes(&[(90, 300)]), at(90 * MINUTE));
    assert_eq!((late.due(), late.held_until(at(90 * MINUTE))), (planned, None));
    assert_eq!(begins(&late.as_of(at(90 * MINUTE)), 90), [300]);
}

#[test]
fn a_repeated_order_differs_in_nothing_from_one_that_waits() {
    let change = ReleaseChange {
        publication: Some(Publication::At(at(HOUR))),
        plan: Some("10:1h,100".parse().unwrap()),
        ..ReleaseChange::default()
    };
    let frozen = draft().apply_change(&change, NOW).unwrap().with_freezes(&freezes(&[(30, 300)]), NOW);
    let again = frozen.clone().apply_change(&change, at(1)).unwrap();
    assert_eq!((again.publish_at, again.planned_at), (Some(at(HOUR)), None));
    assert!(!again.differs_from(&frozen, at(1)));
    let other = ReleaseChange { publication: Some(Publication::At(at(2 * HOUR))), ..change };
    assert!(frozen.clone().apply_change(&other, at(1)).unwrap().differs_from(&frozen, at(1)));
}

/// Freezes come and go at random times. Nothing that has begun ever ends, and no step
/// begins while a freeze holds.
#[test]
fn whatever_the_freezes_a_rollout_never_falls() {
    for seed in 1..=500 {
        let mut numbers = Numbers(seed);
        let plan = *numbers.pick(&["1:1h,10:2h,50:5m,100", "5:5m,20:5m,100 @ Mon-Sun 00:00-20:00 +00:00"]);
        let later = Publication::At(at(45 * MINUTE));
        let mut release = with(*numbers.pick(&[Publication::Now, later]), plan);
        let (mut now, mut active) = (NOW, Vec::<Freeze>::new());
        let part = |release: &Release, now: Timestamp| {
            let release = release.clone().as_of(now);
            release.flags.published.then(|| release.rollout.basis_points(now))
        };
        for step in 0..30 {
            let before = part(&release, now);
            active.retain(|freeze| freeze.to > now);
            if numbers.below(2) == 0 && !active.is_empty() {
                active.remove(0);
            } else {
                let from = now.plus_seconds(60 * *numbers.pick(&[0, 1, 30, 90]) + 1);
                active.push(Freeze { from, to: from.plus_seconds(60 * *numbers.pick(&[1, 20, 60, 600])) });
            }
            let freezes: Freezes = active.iter().copied().collect();
            release = release.with_freezes(&freezes, now);
            assert!(part(&release, now) >= before, "{seed}, {step}: something has ended");
            for _ in 0..10 {
                let (earlier, was) = (now, part(&release, now));
                now = now.plus_seconds(60 * *numbers.pick(&[1, 7, 40]));
                let is = part(&release, now);
                assert!(is >= was, "{seed}, {step}: it has fallen");
                let is_frozen = active.iter().any(|freeze| freeze.from <= earlier && now < freeze.to);
                assert!(!is_frozen || is == was, "{seed}, {step}: it has grown in a freeze");
            }
            if numbers.below(3) == 0 {
                release = release.with_due_changes(now).with_freezes(&freezes, now);
            }
        }
    }
}
