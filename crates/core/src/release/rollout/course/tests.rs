use super::super::StepLength;
use super::*;

const START: Timestamp = Timestamp::from_millis(1_795_225_422_000);
const MINUTE: i64 = 60;

fn at(minutes: i64) -> Timestamp {
    START.plus_seconds(minutes * MINUTE)
}

fn bp(basis_points: u16) -> BasisPoints {
    BasisPoints::new(basis_points).unwrap()
}

fn plan(text: &str) -> Plan {
    text.parse().unwrap()
}

fn fixed(basis_points: u16) -> Course {
    Course::fixed(bp(basis_points), "seed".into())
}

/// A published release whose plan has run since the start.
fn started(text: &str) -> Course {
    fixed(0).after(RolloutAction::Start(plan(text)), true, START).unwrap()
}

#[test]
fn a_plan_follows_from_the_time_alone() {
    let course = started("0.1:1h,28:1h,100");
    for (minutes, basis_points, state, next) in [
        (-10, 10, RolloutState::Running, Some((60, 2_800))),
        (0, 10, RolloutState::Running, Some((60, 2_800))),
        (59, 10, RolloutState::Running, Some((60, 2_800))),
        (60, 2_800, RolloutState::Running, Some((120, 10_000))),
        (120, 10_000, RolloutState::Complete, None),
        (999_999, 10_000, RolloutState::Complete, None),
    ] {
        assert_eq!(course.basis_points(at(minutes)), bp(basis_points), "{minutes}");
        assert_eq!(course.state(at(minutes)), state, "{minutes}");
        let next = next.map(|(minutes, to)| Widening { at: at(minutes), to: bp(to) });
        assert_eq!(course.next(at(minutes)), next, "{minutes}");
        assert_eq!(course.due(), Some(at(60)), "as it is written");
        let recorded = course.clone().as_of(at(minutes));
        assert_eq!(recorded.due(), course.next(at(minutes)).map(|next| next.at), "{minutes}");
        for later in [minutes, minutes + 61, minutes + 500] {
            assert_eq!(recorded.basis_points(at(later)), course.basis_points(at(later)), "{minutes} {later}");
        }
        let rollout = course.rollout(at(minutes));
        for later in (minutes..minutes + 200).step_by(7) {
            assert_eq!(rollout.basis_points(at(later)), course.basis_points(at(later)), "{minutes} {later}");
        }
    }
}

#[test]
fn a_pause_keeps_the_rest_of_the_step() {
    let paused = started("0.1:1h,28:1h,100").after(RolloutAction::Pause, true, at(30)).unwrap();
    assert_eq!((paused.state(at(300)), paused.basis_points(at(300))), (RolloutState::Paused, bp(10)));
    assert_eq!(paused.next(at(300)), None);
    let resumed = paused.after(RolloutAction::Resume, true, at(300)).unwrap();
    assert_eq!(resumed.next(at(300)), Some(Widening { at: at(330), to: bp(2_800) }));
}

#[test]
fn only_a_resumption_ends_a_halt() {
    let halted = started("0.1:1h,28:1h,100").after(RolloutAction::Halt, true, at(90)).unwrap();
    let of = |action| halted.clone().after(action, true, at(100)).unwrap();
    for held in [
        halted.clone(),
        of(RolloutAction::Set(bp(5_000))),
        of(RolloutAction::Start(plan("1:1h,100"))),
        of(RolloutAction::Halt),
    ] {
        assert_eq!(held.state(at(999)), RolloutState::Halted);
        assert!(!held.rollout(at(999)).admits("device-2", at(999)));
        assert_eq!(held.rollout(at(999)).next_change(at(999)), None);
    }
    let resume = |course: Course| course.after(RolloutAction::Resume, true, at(200)).unwrap();
    assert_eq!(resume(halted.clone()).next(at(200)), Some(Widening { at: at(230), to: bp(10_000) }));
    assert_eq!(resume(of(RolloutAction::Set(bp(5_000)))), fixed(5_000));
    let restarted = resume(of(RolloutAction::Start(plan("1:1h,100"))));
    assert_eq!(restarted.basis_points(at(200)), bp(100));
    assert_eq!(restarted.next(at(200)), Some(Widening { at: at(260), to: bp(10_000) }));
}

#[test]
fn a_step_without_an_end_waits_for_somebody() {
    let waiting = started("1,50:1h,100");
    assert_eq!((waiting.basis_points(at(525_600)), waiting.next(at(0))), (bp(100), None));
    let advanced = waiting.after(RolloutAction::Advance, true, at(10)).unwrap();
    assert_eq!(advanced.basis_points(at(10)), bp(5_000));
    assert_eq!(advanced.next(at(10)), Some(Widening { at: at(70), to: bp(10_000) }));
    let paused = advanced.after(RolloutAction::Pause, true, at(20)).unwrap();
    let complete = paused.after(RolloutAction::Advance, true, at(30)).unwrap();
    assert_eq!((complete.state(at(30)), complete.next(at(30))), (RolloutState::Complete, None));
}

#[test]
fn a_plan_waits_until_the_release_is_published() {
    let draft = fixed(10_000).after(RolloutAction::Start(plan("1:1h,100")), false, START).unwrap();
    assert_eq!((draft.basis_points(at(500)), draft.next(at(500))), (bp(100), None));
    let published = draft.with_visibility(true, at(500));
    assert_eq!(published.next(at(500)), Some(Widening { at: at(560), to: bp(10_000) }));
    let taken_back = published.with_visibility(false, at(520));
    assert_eq!(taken_back.next(at(520)), None);
    assert_eq!(taken_back.with_visibility(true, at(900)).next(at(900)).unwrap().at, at(940));
}

#[test]
fn actions_are_refused_in_states_where_they_mean_nothing() {
    use RolloutAction::{Advance, Complete, Halt, Pause, Resume};
    let running = started("1:1h,100");
    let paused = running.clone().after(Pause, true, START).unwrap();
    let halted = running.clone().after(Halt, true, START).unwrap();
    let everybody = fixed(10_000);
    let table = [
        (Pause, [false, true, false, false, false]),
        (Resume, [false, false, true, true, false]),
        (Advance, [false, true, true, false, false]),
        (Complete, [true, true, true, false, true]),
        (Halt, [true; 5]),
        (RolloutAction::Set(bp(1)), [true; 5]),
    ];
    for (action, allowed) in table {
        for (course, is_allowed) in
            [&fixed(100), &running, &paused, &halted, &everybody].into_iter().zip(allowed)
        {
            let state = course.state(START);
            let outcome = course.clone().after(action.clone(), true, START);
            assert_eq!(outcome.is_ok(), is_allowed, "{action:?} {state:?}");
            if let Err(refused) = outcome {
                assert_eq!(refused, RolloutRefused::WrongState(state));
            }
        }
    }
    assert_eq!(fixed(100).after(Halt, false, START), Err(RolloutRefused::NotPublished));
}

#[test]
fn a_plan_does_not_begin_below_what_devices_have() {
    let start = |text| RolloutAction::Start(plan(text));
    let refused = Err(RolloutRefused::BelowPresent(bp(2_000)));
    assert_eq!(fixed(2_000).after(start("5:1h,100"), true, START), refused);
    assert!(fixed(2_000).after(start("20:1h,100"), true, START).is_ok());
    assert!(fixed(2_000).after(start("5:1h,100"), false, START).is_ok(), "a draft");
    assert_eq!(
        fixed(10_000).after(start("5:1h,100"), true, START),
        Err(RolloutRefused::BelowPresent(bp(10_000)))
    );
}

#[test]
fn stops_are_never_wider() {
    use RolloutAction::{Advance, Complete, Halt, Pause, Resume, Set};
    let present = bp(2_000);
    for (action, is_stop) in [
        (Pause, true),
        (Halt, true),
        (Set(bp(1_999)), true),
        (Set(bp(2_000)), false),
        (Resume, false),
        (Advance, false),
        (Complete, false),
    ] {
        assert_eq!(action.is_stop(present), is_stop, "{action:?}");
    }
}

#[test]
fn whatever_the_steps_a_rollout_never_falls() {
    let lengths = [None, StepLength::from_seconds(300), StepLength::from_seconds(86_400)];
    for seed in 0..200_usize {
        let steps = (1..=seed % 7 + 1).map(|n| super::super::PlanStep {
            to: bp(u16::try_from(n * 900 + seed).unwrap()),
            lasts: lengths[(seed + n) % 3],
        });
        let last = super::super::PlanStep { to: BasisPoints::ALL, lasts: None };
        let plan = Plan::new(steps.chain([last]).collect()).unwrap();
        let course = fixed(0).after(RolloutAction::Start(plan), true, START).unwrap();
        let parts: Vec<_> =
            (-10..20_000).step_by(37).map(|minutes| course.basis_points(at(minutes))).collect();
        assert!(parts.windows(2).all(|w| w[0] <= w[1]), "{seed}");
    }
}

/// 2026-12-01 is a Tuesday.
fn moment(text: &str) -> Timestamp {
    Timestamp::from_rfc3339(&format!("2026-12-{text}:00Z")).unwrap()
}

/// A plan that began on Tuesday at 12:00, with steps of a day.
fn in_hours() -> Course {
    let start = RolloutAction::Start(plan("1:1d,5:1d,20:1d,50,100 @ Mon-Thu 09:00-16:00 +00:00"));
    fixed(0).after(start, true, moment("01T12:00")).unwrap()
}

#[test]
fn later_steps_begin_in_working_hours() {
    let course = in_hours();
    let begins = |at| course.rollout(moment(at)).later.iter().map(|step| step.at).collect::<Vec<_>>();
    // The day after Thursday is a Friday, so the fourth step waits for Monday.
    assert_eq!(begins("01T12:00"), ["02T12:00", "03T12:00", "07T09:00"].map(moment));
    for (at, basis_points) in
        [("02T11:59", 100), ("02T12:00", 500), ("04T12:00", 2_000), ("07T08:59", 2_000), ("07T09:00", 5_000)]
    {
        assert_eq!(course.basis_points(moment(at)), bp(basis_points), "{at}");
    }
    let recorded = course.clone().as_of(moment("04T12:00"));
    assert_eq!((recorded.due(), course.due()), (Some(moment("07T09:00")), Some(moment("02T12:00"))));
    // The first step and orders do not wait.
    let start = RolloutAction::Start(plan("1:1d,100 @ Mon-Thu 09:00-16:00 +00:00"));
    let on_saturday = fixed(0).after(start, true, moment("05T20:00")).unwrap();
    assert_eq!(on_saturday.basis_points(moment("05T20:00")), bp(100));
    assert_eq!(on_saturday.due(), Some(moment("07T09:00")));
    let advanced = on_saturday.after(RolloutAction::Advance, true, moment("05T21:00")).unwrap();
    assert_eq!(advanced.basis_points(moment("05T21:00")), BasisPoints::ALL);
}

#[test]
fn the_rest_of_a_step_is_planned_again_when_it_is_resumed() {
    let order = |course: Course, action, at| course.after(action, true, moment(at)).unwrap();
    // The fourth step is due on Friday at 12:00 and waits for Monday.
    for (paused, resumed, due) in [
        ("04T10:00", "04T11:00", "07T09:00"),
        ("04T10:00", "07T12:00", "07T14:00"),
        ("04T10:00", "07T15:00", "08T09:00"),
        ("05T10:00", "05T11:00", "07T09:00"),
        ("05T10:00", "08T12:00", "08T12:00"),
        ("05T10:00", "11T12:00", "14T09:00"),
    ] {
        let course = order(in_hours(), RolloutAction::Pause, paused);
        let course = order(course, RolloutAction::Resume, resumed);
        assert_eq!(course.due(), Some(moment(due)), "{paused} {resumed}");
        assert_eq!(course.basis_points(moment(due)), bp(5_000), "{paused} {resumed}");
    }
}
