mod conditions;
mod cures;

use super::*;
use crate::feeds::testing::{Numbers, device_in, random_rollout, scope_record, some_times};
use crate::release::condition::testing::{random_conditions, some_clients, two_groups};
use crate::{
    BasisPoints, Conditions, NO_FACTS, Rollout, ScopeArtifact, Stops, Timestamp, Widening, WithdrawnVersion,
    keep_answers, keep_critical,
};

const START: Timestamp = Timestamp::from_millis(0);

/// Decides for a client that reports nothing about itself.
fn decide<'a>(record: &'a ScopeRecord, client: &Version, asker: Asker<'_>, at: Timestamp) -> Decision<'a> {
    super::decide(record, client, asker, &NO_FACTS, at)
}

fn v(text: &str) -> Version {
    text.parse().unwrap()
}

#[derive(Clone)]
struct Spec(&'static str, u8, bool, bool);

const fn full(version: &'static str) -> Spec {
    Spec(version, 100, false, false)
}
const fn part(version: &'static str, percent: u8) -> Spec {
    Spec(version, percent, false, false)
}
const fn floor(version: &'static str) -> Spec {
    Spec(version, 100, true, false)
}
const fn critical(version: &'static str) -> Spec {
    Spec(version, 100, false, true)
}

/// A record of releases, which are given oldest first.
fn record(specs: &[Spec]) -> ScopeRecord {
    let releases = specs.iter().rev().map(|Spec(version, percent, intermediate, _)| ScopeRelease {
        version: v(version),
        intermediate: *intermediate,
        rollout: Rollout::fixed(BasisPoints::from_percent(*percent), "seed".into()),
        changelog: String::new(),
        released_at: Timestamp::from_millis(0),
        artifacts: vec![ScopeArtifact {
            package: "deb".parse().unwrap(),
            url: format!("https://x/{version}"),
            signature: None,
            content: None,
            patches: Vec::new(),
        }],
        conditions: Conditions::default(),
    });
    scope_record(
        keep_answers(releases.collect(), START),
        specs.iter().filter(|s| s.3).map(|s| v(s.0)).collect(),
    )
}

fn offered(record: &ScopeRecord, client: &str, asker: Asker<'_>) -> (String, bool) {
    let decision = decide(record, &v(client), asker, START);
    (decision.release.map(|r| r.version.to_string()).unwrap_or_default(), decision.update_available)
}

#[track_caller]
fn assert_offer(record: &ScopeRecord, client: &str, asker: Asker<'_>, version: &str, update: bool) {
    assert_eq!(offered(record, client, asker), (version.to_owned(), update), "client {client}");
}

#[test]
fn newest_is_offered_by_version_not_by_date() {
    let record = record(&[full("1.0"), full("1.9"), full("1.10")]);
    assert_offer(&record, "1.0", Asker::Anonymous, "1.10", true);
    assert_offer(&record, "1.10", Asker::Anonymous, "1.10", false);
    assert!(!decide(&record, &v("1.10"), Asker::Anonymous, START).possible_rollback);
}

#[test]
fn a_newer_client_sees_a_possible_rollback_and_no_update() {
    let record = record(&[full("1.0"), full("2.0")]);
    let decision = decide(&record, &v("3.0"), Asker::Anonymous, START);
    assert!(decision.possible_rollback);
    assert!(!decision.update_available);
    assert_eq!(decision.release.unwrap().version, v("2.0"));
}

#[test]
fn an_empty_scope_offers_nothing() {
    assert_offer(&record(&[]), "1.0", Asker::Anonymous, "", false);
}

#[test]
fn the_lowest_intermediate_comes_first() {
    let record = record(&[full("1.0"), floor("2.0"), floor("3.0"), full("4.0")]);
    assert_offer(&record, "1.0", Asker::Anonymous, "2.0", true);
    assert_offer(&record, "2.0", Asker::Anonymous, "3.0", true);
    assert_offer(&record, "3.0", Asker::Anonymous, "4.0", true);
    assert_offer(&record, "2.5", Asker::Device("d"), "3.0", true);
}

#[test]
fn critical_counts_up_to_the_offered_release() {
    let record = record(&[full("1.0"), critical("2.0"), floor("3.0"), critical("4.0")]);
    let critical_for = |client: &str| decide(&record, &v(client), Asker::Anonymous, START).critical;
    assert!(critical_for("1.0"), "2.0 is between 1.0 and 3.0");
    assert!(!critical_for("2.0"), "only 3.0 is offered");
    assert!(critical_for("3.0"));
    assert!(!critical_for("4.0"), "no update is never critical");
}

#[test]
fn devices_outside_get_the_newest_they_may_have() {
    let record = record(&[full("1.0"), full("2.0"), part("3.0", 50), part("4.0", 10)]);
    let (inside, half, outside) = (device_in(0..10), device_in(10..50), device_in(50..100));
    assert_offer(&record, "1.0", Asker::Device(&inside), "4.0", true);
    assert_offer(&record, "1.0", Asker::Device(&half), "3.0", true);
    assert_offer(&record, "1.0", Asker::Device(&outside), "2.0", true);
    assert_offer(&record, "2.0", Asker::Device(&outside), "2.0", false);
    assert_offer(&record, "4.0", Asker::Device(&outside), "4.0", false);
    assert!(!decide(&record, &v("4.0"), Asker::Device(&outside), START).possible_rollback);
}

#[test]
fn anonymous_clients_get_the_newest_with_a_fallback() {
    let record = record(&[full("1.0"), critical("2.0"), part("3.0", 50)]);
    let decision = decide(&record, &v("1.0"), Asker::Anonymous, START);
    assert_eq!(decision.release.unwrap().version, v("3.0"));
    let fallback = decision.fallback.unwrap();
    assert_eq!(fallback.release.version, v("2.0"));
    assert!(fallback.critical);
    assert_eq!(
        decide(&record, &v("2.0"), Asker::Anonymous, START).fallback,
        None,
        "2.0 is not newer than 2.0"
    );
    assert_eq!(decide(&record, &v("3.0"), Asker::Anonymous, START).fallback, None);
}

#[test]
fn nothing_fully_rolled_out_is_nothing_for_a_device_outside() {
    let record = record(&[part("1.0", 0)]);
    assert_offer(&record, "0.9", Asker::Device("d"), "", false);
    assert_offer(&record, "0.9", Asker::Anonymous, "1.0", true);
}

#[test]
fn an_intermediate_that_a_device_may_not_have_holds_it_below() {
    let record = record(&[full("1.0"), full("1.5"), Spec("2.0", 30, true, false), full("3.0")]);
    let (inside, outside) = (device_in(0..30), device_in(30..100));
    assert_offer(&record, "1.0", Asker::Device(&inside), "2.0", true);
    assert_offer(&record, "1.0", Asker::Device(&outside), "1.5", true);
    assert_offer(&record, "1.5", Asker::Device(&outside), "1.5", false);
    assert_offer(&record, "2.0", Asker::Device(&outside), "3.0", true);
    let decision = decide(&record, &v("1.0"), Asker::Anonymous, START);
    assert_eq!(decision.release.unwrap().version, v("2.0"));
    assert_eq!(decision.fallback.unwrap().release.version, v("1.5"));
}

#[test]
fn a_halted_release_is_nobodys_and_no_rollback() {
    let mut record = record(&[full("1.0"), full("2.0")]);
    record.releases[0].rollout.is_halted = true;
    record.releases.push(self::record(&[full("1.0")]).releases.remove(0));
    let outside = device_in(50..100);
    for asker in [Asker::Anonymous, Asker::Outsider, Asker::Device(&outside)] {
        assert_offer(&record, "1.0", asker, "1.0", false);
        assert_offer(&record, "0.9", asker, "1.0", true);
        assert_offer(&record, "2.0", asker, "2.0", false);
        assert!(!decide(&record, &v("2.0"), asker, START).possible_rollback);
    }
    assert_eq!(decide(&record, &v("0.9"), Asker::Anonymous, START).fallback, None);
}

#[test]
fn a_step_begins_for_every_kind_of_client() {
    let mut record = record(&[full("1.0"), part("2.0", 0)]);
    let at = START.plus_seconds(60);
    record.releases[0].rollout.later = vec![Widening { at, to: BasisPoints::ALL }];
    for (seconds, version) in [(59, "1.0"), (60, "2.0")] {
        for asker in [Asker::Outsider, Asker::Device("device-1")] {
            let decision = decide(&record, &v("1.0"), asker, START.plus_seconds(seconds));
            assert_eq!(decision.release.unwrap().version, v(version), "{seconds} {asker:?}");
        }
        let decision = decide(&record, &v("0.9"), Asker::Anonymous, START.plus_seconds(seconds));
        assert_eq!(decision.fallback.is_some(), seconds < 60);
    }
}

/// A dropped release may have conditions, although they could not have changed the answer.
fn without_hint(decision: Decision<'_>) -> Decision<'_> {
    Decision { varies_with: VariesWith::default(), ..decision }
}

/// Dropping releases that cannot be an answer from some time on must not change any answer from
/// then on.
#[test]
fn a_pruned_record_answers_as_the_whole_history() {
    let mut numbers = Numbers(20_261_125);
    let devices = [device_in(0..30), device_in(30..50), device_in(50..100)];
    let clients = some_clients();
    let (mut cases, mut dropped) = (0, 0);
    for round in 0..80 {
        let mut whole = record(&[]);
        whole.groups = two_groups();
        for n in (1..=12).rev() {
            let mut one = record(&[Spec("0", 100, numbers.below(4) == 0, false)]).releases.remove(0);
            one.version = v(&n.to_string());
            one.rollout = random_rollout(&mut numbers, 2);
            // Half of the histories have no conditions.
            if round % 2 == 0 {
                one.conditions = random_conditions(&mut numbers);
            }
            if numbers.below(3) == 0 {
                whole.critical.push(one.version.clone());
            }
            whole.releases.push(one);
        }
        let read_at = *numbers.pick(&[0, 4, 9]);
        whole.read_at = START.plus_seconds(read_at);
        let releases = keep_answers(whole.releases.clone(), whole.read_at);
        let critical = keep_critical(whole.critical.clone(), &releases);
        assert!(critical.len() <= releases.len());
        dropped += whole.releases.len() - releases.len();
        let pruned = ScopeRecord { releases, critical, ..whole.clone() };
        for (client, at) in (0..=13).flat_map(|n| some_times().map(move |at| (v(&n.to_string()), at))) {
            let at = pruned.answer_time(at);
            let of_devices = devices.iter().map(|device| Asker::Device(device));
            let askers: Vec<_> = [Asker::Anonymous, Asker::Outsider].into_iter().chain(of_devices).collect();
            for (asker, facts) in
                askers.iter().flat_map(|asker| clients.iter().map(move |facts| (*asker, facts)))
            {
                let decide = |record| super::decide(record, &client, asker, facts, at);
                let (full, kept) = (decide(&whole), decide(&pruned));
                assert_eq!(full.update_available, kept.update_available, "{client} {asker:?} {facts:?}");
                if full.update_available {
                    assert_eq!(without_hint(full), without_hint(kept), "{client} {asker:?} {facts:?}");
                }
                assert_eq!(full.possible_rollback, kept.possible_rollback);
                cases += 1;
            }
        }
    }
    println!("{cases} cases, {dropped} releases dropped");
    assert!(cases > 100_000 && dropped > 300, "{cases} {dropped}");
}

/// A record as it is derived during a shut-off: with all its releases halted.
fn shut_off_record(specs: &[Spec]) -> ScopeRecord {
    record(specs).with_stops(Stops { shut_off: true, ..Stops::default() })
}

#[test]
fn while_updates_are_shut_off_nothing_newer_is_offered() {
    let record = shut_off_record(&[full("1.0"), part("2.0", 50), part("3.0", 50)]);
    let inside = device_in(0..50);
    for asker in [Asker::Anonymous, Asker::Outsider, Asker::Device(&inside)] {
        for (client, version) in
            [("2.5", Some("2.0")), ("3.0", Some("3.0")), ("9.0", Some("3.0")), ("0.9", None)]
        {
            let client = v(client);
            let decision = decide(&record, &client, asker, START);
            assert_eq!(decision.release.map(|release| release.version.clone()), version.map(v), "{client}");
            assert!(decision.shut_off && !decision.update_available && !decision.critical, "{client}");
            assert!(!decision.possible_rollback && decision.fallback.is_none(), "{client}");
        }
    }
}

#[test]
fn a_reader_that_does_not_know_shut_offs_offers_nothing() {
    let mut record = shut_off_record(&[full("1.0"), floor("2.0"), part("3.0", 50), full("4.0")]);
    record.stops.shut_off = false;
    for client in ["0.9", "1.0", "2.0", "3.0", "4.0", "5.0"] {
        for asker in [Asker::Anonymous, Asker::Outsider, Asker::Device("device-1")] {
            assert!(!decide(&record, &v(client), asker, START).update_available, "{client} {asker:?}");
        }
    }
}

#[test]
fn a_withdrawn_version_is_told_and_makes_its_update_critical() {
    let mut record = record(&[full("1.0"), part("3.0", 50)]);
    let withdrawn = WithdrawnVersion { version: v("2.0"), reason: "it crashes".to_owned() };
    record.stops.withdrawn.push(withdrawn);
    for (client, reason) in [("1.0", None), ("2.0", Some("it crashes")), ("3.0", None)] {
        let client = v(client);
        let decision = decide(&record, &client, Asker::Anonymous, START);
        let is_update = client < v("3.0");
        assert_eq!((decision.withdrawn, decision.update_available), (reason, is_update), "{client}");
        assert_eq!(decision.critical, reason.is_some(), "{client}");
    }
    record.releases.remove(0);
    let decision = decide(&record, &v("2.0"), Asker::Anonymous, START);
    assert_eq!((decision.critical, decision.possible_rollback), (false, true), "there is no update");
}
