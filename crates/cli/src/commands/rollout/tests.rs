//! Tests of the texts about rollouts.

use serde_json::json;
use spindrift_api::{NextStepBody, OfferRolloutBody, VerdictName};
use spindrift_core::{BasisPoints, Id};

use super::*;

const PLAN: &str = "0.1:12h,5,20:1d,100";
/// When the third step of the plan begins.
const NEXT: &str = "2026-11-26T10:00:30+00:00";

fn offer(state: &str, rollout: OfferRolloutBody) -> OfferBody {
    OfferBody {
        channel: "stable".to_owned(),
        own: true,
        state: state.to_owned(),
        revision: 7,
        publish_at: (state == "scheduled").then(|| NEXT.to_owned()),
        held_until: None,
        offered_at: Some("2026-11-25T10:00:00+00:00".to_owned()),
        rollout,
        groups: Vec::new(),
        guard: None,
        verdict: None,
    }
}

fn release(offers: Vec<OfferBody>) -> ReleaseBody {
    ReleaseBody {
        id: Id::from_text("r"),
        app: "notes".into(),
        version: "2.0".into(),
        withdrawn: None,
        requires: Vec::new(),
        cures: Vec::new(),
        built_by: Vec::new(),
        files_without_build: 0,
        shut_off: false,
        offers,
    }
}

/// A rollout without a plan.
fn at(basis_points: u16, state: &str) -> OfferRolloutBody {
    let part = BasisPoints::new(basis_points).unwrap();
    OfferRolloutBody {
        state: state.to_owned(),
        percent: part.percent(),
        basis_points: (!part.is_whole()).then_some(basis_points),
        seed: "s".to_owned(),
        plan: None,
        step: None,
        next: None,
        later: Vec::new(),
    }
}

fn begins(percent: u8, at: &str) -> NextStepBody {
    NextStepBody { percent: Percentage(BasisPoints::from_percent(percent)), at: at.to_owned() }
}

/// A rollout at a step of a plan. `next`: the percentage of the step that begins automatically.
fn planned(state: &str, plan: &str, step: usize, next: Option<u8>) -> OfferRolloutBody {
    let plan: Plan = plan.parse().unwrap();
    let next = next.map(|percent| begins(percent, NEXT));
    let present = plan.steps()[step].to.get();
    let steps = serde_json::from_value(plan.to_json()).unwrap();
    OfferRolloutBody { plan: Some(steps), step: Some(step), next, ..at(present, state) }
}

#[test]
fn the_state_is_a_sentence() {
    for (offer, text) in [
        (offer("published", at(500, "fixed")), "is offered to 5 % of devices"),
        (offer("published", at(0, "fixed")), "is offered to no device"),
        (offer("published", at(10_000, "complete")), "is offered to all devices"),
        (
            offer("published", planned("running", "5:1d,20,100", 0, Some(20))),
            "is offered to 5 % of devices; next: 20 % at 2026-11-26 10:00 UTC",
        ),
        (
            offer("published", planned("running", PLAN, 1, None)),
            "is offered to 5 % of devices; next: 20 % with `spindrift rollout advance`",
        ),
        (offer("published", planned("complete", PLAN, 3, None)), "is offered to all devices"),
        (offer("published", planned("paused", PLAN, 0, None)), "is paused at 0.1 %"),
        (offer("published", at(2800, "halted")), "is halted at 28 %: no further device gets it"),
        (offer("draft", at(1225, "fixed")), "will be offered to 12.25 % of devices once it is published"),
        (
            offer("draft", planned("running", PLAN, 0, None)),
            "will be offered to 0.1 % of devices once it is published; its plan waits until then",
        ),
        (offer("draft", planned("paused", PLAN, 1, None)), "is paused at 5 %, and not published"),
        (offer("draft", at(500, "halted")), "is halted at 5 %, and not published: no further device gets it"),
        (
            offer("scheduled", at(10_000, "complete")),
            "will be offered to all devices from 2026-11-26 10:00 UTC on",
        ),
        (
            offer("scheduled", planned("running", PLAN, 0, None)),
            "will be offered to 0.1 % of devices from 2026-11-26 10:00 UTC on; its plan begins then",
        ),
        (
            offer("scheduled", planned("paused", PLAN, 0, None)),
            "is paused at 0.1 %, and scheduled for 2026-11-26 10:00 UTC",
        ),
        (offer("withdrawn", at(500, "halted")), "is withdrawn: no client is offered it"),
    ] {
        assert_eq!(sentence("notes 2.0", &offer), format!("notes 2.0 {text}"));
    }
}

#[test]
fn groups_are_in_the_sentence_where_they_let_in_others() {
    let with = |groups: &[&str], offer: OfferBody| {
        let groups = groups.iter().map(ToString::to_string).collect();
        OfferBody { groups, ..offer }
    };
    for (offer, text) in [
        (
            with(&["qa", "beta"], offer("published", planned("running", "5:1d,20,100", 0, Some(20)))),
            "is offered to 5 % of devices and to the groups qa, beta; next: 20 % at 2026-11-26 10:00 UTC",
        ),
        (with(&["qa"], offer("published", at(0, "fixed"))), "is offered only to the group qa"),
        (with(&["qa"], offer("published", at(10_000, "complete"))), "is offered to all devices"),
        (
            with(&["qa"], offer("draft", at(500, "fixed"))),
            "will be offered to 5 % of devices and to the group qa once it is published",
        ),
        (
            with(&["qa"], offer("published", planned("paused", PLAN, 0, None))),
            "is paused at 0.1 %; the group qa may have it too",
        ),
        (
            with(&["qa"], offer("draft", planned("paused", PLAN, 1, None))),
            "is paused at 5 %, and not published",
        ),
        // A halt also excludes groups.
        (
            with(&["qa"], offer("published", at(2800, "halted"))),
            "is halted at 28 %: no further device gets it",
        ),
    ] {
        assert_eq!(sentence("notes 2.0", &offer), format!("notes 2.0 {text}"));
    }
}

#[test]
fn an_order_to_a_halted_rollout_says_how_to_end_the_halt() {
    let mut release = release(vec![offer("published", at(5000, "halted"))]);
    let halted = "notes 2.0 is halted at 50 %: no further device gets it";
    for (action, hint) in [
        (RolloutActionName::Halt, ""),
        (RolloutActionName::Set, "\n`spindrift rollout resume` ends the halt"),
    ] {
        assert_eq!(state_text(&release, &release.offers[0], Some(action)), format!("{halted}{hint}"));
    }
    release.shut_off = true;
    release.offers = vec![offer("published", at(5000, "fixed"))];
    assert_eq!(
        state_text(&release, &release.offers[0], None),
        "notes 2.0 is offered to 50 % of devices\nupdates are shut off: `spindrift shutoff list` shows for \
         which clients"
    );
}

#[test]
fn a_guard_is_a_sentence() {
    let published = offer("published", planned("running", PLAN, 0, None));
    for (rollout, guard, text) in [
        (planned("running", PLAN, 0, None), json!(null), "no guard run stops notes 2.0"),
        (
            planned("running", PLAN, 0, None),
            json!({ "on_unhealthy": "pause" }),
            "a guard run that finds notes 2.0 unhealthy pauses its plan",
        ),
        (
            at(500, "fixed"),
            json!({ "on_unhealthy": "pause" }),
            "a guard run that finds notes 2.0 unhealthy pauses its plan\n\
             no plan runs now: without one, only the guard `halt` stops it",
        ),
        (
            at(10_000, "complete"),
            json!({ "on_unhealthy": "halt" }),
            "a guard run that finds notes 2.0 unhealthy halts it",
        ),
    ] {
        let offer = OfferBody { rollout, guard: serde_json::from_value(guard).unwrap(), ..published.clone() };
        assert_eq!(guard_sentence(&release(Vec::new()), &offer), text);
    }
}

#[test]
fn steps_have_the_times_that_are_known() {
    for (offer, expected) in [
        (offer("published", at(500, "fixed")), &[][..]),
        (
            offer(
                "published",
                OfferRolloutBody {
                    later: vec![begins(20, "2026-11-26T11:30:00+00:00")],
                    ..planned("running", "0.1:12h,5:90m,20,50:1d,100", 0, Some(5))
                },
            ),
            &[
                "0.1 % for 12h, now",
                "5 % for 90m, from 2026-11-26 10:00 UTC",
                "20 % until `rollout advance`, from 2026-11-26 11:30 UTC",
                "50 % for 1d",
                "100 %",
            ],
        ),
        (
            offer("published", planned("running", PLAN, 1, None)),
            &["0.1 % for 12h, over", "5 % until `rollout advance`, now", "20 % for 1d", "100 %"],
        ),
        (
            offer("published", planned("halted", PLAN, 2, None)),
            &["0.1 % for 12h, over", "5 % until `rollout advance`, over", "20 % for 1d, halted now", "100 %"],
        ),
        (offer("published", planned("complete", "5:1d,100", 1, None)), &["5 % for 1d, over", "100 %, now"]),
        (offer("published", planned("paused", "5:1d,100", 0, None)), &["5 % for 1d, paused now", "100 %"]),
        (offer("draft", planned("running", "5:1d,100", 0, None)), &["5 % for 1d, once published", "100 %"]),
        (
            offer("scheduled", planned("running", "5:1d,100", 0, None)),
            &["5 % for 1d, from 2026-11-26 10:00 UTC", "100 %"],
        ),
    ] {
        assert_eq!(steps(&offer), expected);
    }
}

#[test]
fn a_release_is_shown_in_rows() {
    let offers = vec![
        OfferBody {
            guard: serde_json::from_value(json!({ "on_unhealthy": "halt", "alpha": 0.05, "factor": 2 }))
                .unwrap(),
            verdict: Some(VerdictName::Unknown),
            groups: vec!["qa".to_owned(), "beta".to_owned()],
            ..offer("published", planned("running", "5:1d,100 @ Mon-Thu 09:00-16:00 +01:00", 0, Some(100)))
        },
        OfferBody { channel: String::new(), offered_at: None, ..offer("draft", at(10, "fixed")) },
    ];
    let release = release(offers);
    let shown = rows(&release, &release.offers.iter().collect::<Vec<_>>());
    let lines: Vec<String> = shown.iter().map(|row| row.join(": ")).collect();
    assert_eq!(
        lines,
        [
            "application: notes",
            "version: 2.0",
            "channel: stable",
            "state: running",
            "percent: 5 %",
            "step: 5 % for 1d, now",
            "step: 100 %, from 2026-11-26 10:00 UTC",
            "steps begin: Mon-Thu 09:00-16:00 +01:00",
            "groups: qa, beta",
            "guard: halt (alpha 0.05, factor 2)",
            "health: unknown",
            "revision: 7",
            "offered since: 2026-11-25 10:00 UTC",
            "state: fixed, not published",
            "percent: 0.1 %",
            "revision: 7",
        ]
    );
}

#[test]
fn mistakes_are_named_before_anything_is_sent() {
    let understood = |words: &str| {
        let words = format!("spindrift rollout {words} --app notes");
        crate::command().try_get_matches_from(words.split(' ')).map(drop).map_err(|error| error.to_string())
    };
    for words in [
        "start 2.0 --plan 0.1:12h,5,20:1d,100 --reason slowly --if-revision 7 --channel beta",
        "set 2.0 0.01 --if-revision 7",
        "halt 2.0 --reason crashes",
        "show 2.0 --channel beta",
    ] {
        assert_eq!(understood(words), Ok(()), "{words}");
    }
    for (words, error) in [
        ("start 2.0", "--plan"),
        ("start 2.0 --plan 5,x,100", "step 2: the percentage is 0 to 100, with up to two decimals"),
        ("start 2.0 --plan 5:1d,20", "step 2: the last step is 100 percent"),
        ("set 2.0 100.01", "invalid percentage"),
        ("set 2.0 0.005", "invalid percentage"),
        ("halt 2.0 --if-revision 7", "--if-revision"),
        ("pause 2.0 --if-revision 7", "--if-revision"),
        ("show 2.0 --reason why", "--reason"),
    ] {
        let text = understood(words).unwrap_err();
        assert!(text.contains(error), "{words}: {text}");
    }
}
