//! Releases with groups and requirements.

use serde_json::json;

use super::*;
use crate::release::condition::testing::{in_group, interactive, on, requires, set, two_groups};
use crate::{ClientFacts, Conditions};

/// A record from which nothing was dropped. Releases are given oldest first.
fn whole(specs: &[Spec]) -> ScopeRecord {
    let release = |spec: &Spec| self::record(std::slice::from_ref(spec)).releases.remove(0);
    scope_record(specs.iter().rev().map(release).collect(), Vec::new())
}

fn with(mut record: ScopeRecord, version: &str, conditions: Conditions) -> ScopeRecord {
    record.groups = two_groups();
    record.releases.iter_mut().find(|release| release.version == v(version)).unwrap().conditions = conditions;
    record
}

#[track_caller]
fn assert_gets(record: &ScopeRecord, client: &str, (asker, facts): (Asker<'_>, &ClientFacts), version: &str) {
    let client = v(client);
    let decision = crate::decide(record, &client, asker, facts, START);
    assert_eq!(
        decision.release.map(|release| release.version.as_str()),
        Some(version),
        "{asker:?} {facts:?}"
    );
    assert_eq!(decision.update_available, client < v(version), "{asker:?} {facts:?}");
}

#[test]
fn a_release_at_0_is_for_its_groups_alone() {
    let groups = Conditions { admitted_groups: set(&[0, 1]), ..Conditions::default() };
    let record = with(record(&[full("1.0"), part("2.0", 0)]), "2.0", groups);
    let (tester, other) = (device_in(50..100), device_in(0..30));
    for (asker, facts, version) in [
        (Asker::Device(&tester), ClientFacts::default(), "2.0"),
        (Asker::Device(&other), ClientFacts::default(), "1.0"),
        (Asker::Device(&other), in_group(), "2.0"),
        (Asker::Device(&other), interactive(), "1.0"),
        (Asker::Anonymous, in_group(), "2.0"),
        (Asker::Anonymous, ClientFacts::default(), "1.0"),
        (Asker::Outsider, in_group(), "2.0"),
        (Asker::Outsider, ClientFacts::default(), "1.0"),
    ] {
        assert_gets(&record, "1.0", (asker, &facts), version);
        let client = v("1.0");
        let decision = crate::decide(&record, &client, asker, &facts, START);
        assert_eq!(decision.skips_rollout, version == "2.0");
        assert_eq!(decision.varies_with.group, !matches!(asker, Asker::Device(_)));
        assert_eq!(decision.fallback, None);
    }
}

#[test]
fn a_halt_stops_groups_and_users_that_ask() {
    let groups = Conditions { admitted_groups: set(&[0]), ..Conditions::default() };
    let mut record = with(record(&[full("1.0"), part("2.0", 50)]), "2.0", groups);
    record.releases[0].rollout.is_halted = true;
    for facts in [in_group(), interactive()] {
        for asker in [Asker::Anonymous, Asker::Outsider, Asker::Device("device-1")] {
            assert_gets(&record, "1.0", (asker, &facts), "1.0");
        }
    }
}

#[test]
fn users_that_ask_do_not_wait_for_the_rollout() {
    let outside = device_in(50..100);
    for (percent, version) in [(10, "2.0"), (0, "1.0")] {
        let record = record(&[full("1.0"), part("2.0", percent)]);
        assert_gets(&record, "1.0", (Asker::Device(&outside), &interactive()), version);
        assert_gets(&record, "1.0", (Asker::Outsider, &interactive()), version);
    }
    let record = record(&[full("1.0"), part("2.0", 10)]);
    let (client, facts) = (v("0.9"), interactive());
    let decision = crate::decide(&record, &client, Asker::Anonymous, &facts, START);
    assert!(decision.skips_rollout && decision.fallback.is_none());
}

#[test]
fn a_system_gets_the_newest_release_that_runs_on_it() {
    let min = |version: &str| Conditions {
        requires: requires(&json!({ "os_version": { "min": version } })),
        ..Conditions::default()
    };
    let record = with(whole(&[full("1.0"), full("1.5"), full("2.0")]), "2.0", min("12"));
    let record = with(record, "1.5", min("11"));
    for (facts, version, unmet) in [
        (on("12.1"), "2.0", None),
        (on("11.7"), "1.5", Some("2.0")),
        (on("10.15"), "1.0", Some("2.0")),
        (ClientFacts::default(), "1.0", Some("2.0")),
    ] {
        assert_gets(&record, "1.0", (Asker::Anonymous, &facts), version);
        let client = v("1.0");
        let decision = crate::decide(&record, &client, Asker::Anonymous, &facts, START);
        assert_eq!(decision.unmet.map(|release| release.version.as_str()), unmet, "{facts:?}");
        assert!(decision.varies_with.os_version && !decision.possible_rollback);
    }
    let offer = requires(&json!({ "os_version": { "min": "12" }, "unknown": "offer" }));
    let record = with(record, "2.0", Conditions { requires: offer, ..Conditions::default() });
    assert_gets(&record, "1.0", (Asker::Anonymous, &ClientFacts::default()), "2.0");
}

#[test]
fn an_intermediate_that_a_system_is_refused_holds_it_back() {
    let min = requires(&json!({ "os_version": { "min": "11" } }));
    let record = whole(&[full("1.0"), floor("1.5"), full("2.0")]);
    let record = with(record, "1.5", Conditions { requires: min, ..Conditions::default() });
    assert_gets(&record, "1.0", (Asker::Anonymous, &on("10")), "1.0");
    assert_gets(&record, "1.0", (Asker::Anonymous, &on("11")), "1.5");
    assert_gets(&record, "1.5", (Asker::Anonymous, &on("10")), "2.0");
}

#[test]
fn releases_that_ask_the_same_are_dropped() {
    let min = |version: &str| Conditions {
        requires: requires(&json!({ "os_version": { "min": version } })),
        ..Conditions::default()
    };
    let mut whole = whole(&[full("1.0"), full("1.1"), full("1.2"), full("1.3"), full("1.4"), full("1.5")]);
    for (version, conditions) in
        [("1.5", min("12")), ("1.4", min("12")), ("1.3", min("11")), ("1.2", min("12")), ("1.0", min("10"))]
    {
        whole = with(whole, version, conditions);
    }
    let kept = keep_answers(whole.releases, START);
    let kept: Vec<&str> = kept.iter().map(|release| release.version.as_str()).collect();
    assert_eq!(kept, ["1.5", "1.3", "1.1"]);
}

/// Clients of a channel that includes another one get the offers of both.
#[test]
fn two_offers_let_in_whom_one_of_them_lets_in() {
    let mut numbers = Numbers(20_261_126);
    let devices = [device_in(0..30), device_in(30..50), device_in(50..100)];
    let (client, mut cases) = (v("1"), 0);
    for _ in 0..400 {
        let mut whole = record(&[Spec("2", 100, false, false)]);
        whole.groups = two_groups();
        let Conditions { requires, cures, .. } = random_conditions(&mut numbers);
        let [one, other] = [(); 2].map(|()| {
            let admitted_groups = random_conditions(&mut numbers).admitted_groups;
            let conditions = Conditions { admitted_groups, requires: requires.clone(), cures: cures.clone() };
            ScopeRelease { rollout: random_rollout(&mut numbers, 2), conditions, ..whole.releases[0].clone() }
        });
        let both = one.clone().merge_offer(other.rollout.clone(), other.conditions.admitted_groups);
        for (facts, device, at) in some_clients()
            .iter()
            .flat_map(|facts| devices.iter().map(move |device| (facts, device)))
            .flat_map(|(facts, device)| some_times().map(move |at| (facts, device, at)))
        {
            let admission = Admission::of(&whole, &client, Asker::Device(device), facts, at);
            let admits = |release: &ScopeRelease| admission.admits(&release.rollout, &release.conditions);
            assert_eq!(admits(&both), admits(&one) || admits(&other), "{one:?} {other:?} {facts:?} {at:?}");
            cases += 1;
        }
        assert!(
            both.rollout.later.windows(2).all(|steps| steps[0].at < steps[1].at && steps[0].to < steps[1].to)
        );
    }
    println!("{cases} cases");
}
