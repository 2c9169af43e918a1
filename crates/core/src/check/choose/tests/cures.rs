//! Releases that cure versions.

use serde_json::json;

use super::*;
use crate::ClientFacts;
use crate::release::condition::testing::{cures, on, requires};

const VERSIONS: [&str; 3] = ["2.0", "2.0.1", "2.0.2"];

fn whole(specs: &[Spec]) -> ScopeRecord {
    let release = |spec: &Spec| self::record(std::slice::from_ref(spec)).releases.remove(0);
    scope_record(specs.iter().rev().map(release).collect(), Vec::new())
}

fn curing(mut record: ScopeRecord, version: &str, versions: &[&str]) -> ScopeRecord {
    let release = record.releases.iter_mut().find(|release| release.version == v(version)).unwrap();
    release.conditions.cures = cures(versions);
    record
}

/// Whether clients of each kind get an update to `expected`, in place of none.
#[track_caller]
fn assert_each_gets(record: &ScopeRecord, client: &str, expected: Option<&str>) {
    let (client, outside) = (v(client), device_in(99..100));
    for asker in [Asker::Anonymous, Asker::Outsider, Asker::Device(&outside)] {
        let decision = decide(record, &client, asker, START);
        let update = decision.release.filter(|_| decision.update_available);
        let update = update.map(|release| release.version.as_str());
        assert_eq!(update, expected, "{client} {asker:?}");
    }
}

#[test]
fn a_cured_version_does_not_wait_for_the_rollout() {
    let record = curing(record(&[full("1.0"), part("2.0.2", 0)]), "2.0.2", &["2.0", "2.0.1"]);
    for (client, is_cured) in
        [("2.0", true), ("2.0.0", true), ("2.0.1", true), ("1.0", false), ("2.0.2", false)]
    {
        for asker in [Asker::Outsider, Asker::Device("device-1")] {
            let client = v(client);
            let decision = decide(&record, &client, asker, START);
            assert_eq!(decision.update_available, is_cured, "{client} {asker:?}");
            assert_eq!(decision.skips_rollout, is_cured, "{client} {asker:?}");
        }
    }
    // Without a device id, a client is shown the rollout, unless it does not apply to it.
    for (client, skips_rollout) in [("2.0", true), ("1.0", false)] {
        let client = v(client);
        let decision = decide(&record, &client, Asker::Anonymous, START);
        assert_eq!((decision.update_available, decision.skips_rollout), (true, skips_rollout), "{client}");
        assert_eq!(decision.fallback, None, "{client}");
    }
}

#[test]
fn stops_and_requirements_hold_a_cure_back() {
    let cure = || curing(whole(&[full("1.0"), part("2.0.2", 0)]), "2.0.2", &["2.0"]);
    assert_each_gets(&cure(), "2.0", Some("2.0.2"));
    let mut halted = cure();
    halted.releases[0].rollout.is_halted = true;
    assert_each_gets(&halted, "2.0", None);
    assert_each_gets(&cure().with_stops(Stops { shut_off: true, ..Stops::default() }), "2.0", None);
    let mut newer_system = cure();
    newer_system.releases[0].conditions.requires = requires(&json!({ "os_version": { "min": "12" } }));
    assert_each_gets(&newer_system, "2.0", None);
    let client = v("2.0");
    for (facts, is_offered) in [(on("11"), false), (on("12"), true), (ClientFacts::default(), false)] {
        let decision = crate::decide(&newer_system, &client, Asker::Device("d"), &facts, START);
        assert_eq!(decision.update_available, is_offered, "{facts:?}");
        assert_eq!(decision.unmet.is_some(), !is_offered, "{facts:?}");
    }
}

#[test]
fn an_intermediate_before_the_cure_comes_first() {
    let record = |floor: Spec| curing(whole(&[floor, part("2.2", 0)]), "2.2", &["2.0"]);
    assert_each_gets(&record(floor("2.1")), "2.0", Some("2.1"));
    let held = record(Spec("2.1", 0, true, false));
    for asker in [Asker::Outsider, Asker::Device("d")] {
        assert_offer(&held, "2.0", asker, "", false);
    }
    assert_each_gets(&curing(held, "2.1", &["2.0"]), "2.0", Some("2.1"));
}

#[test]
fn the_newest_that_a_client_may_have_is_offered() {
    let specs = [part("2.0.2", 0), part("2.1", 10), part("2.2", 0)];
    let record = curing(whole(&specs), "2.0.2", &["2.0"]);
    let (inside, outside) = (device_in(0..10), device_in(10..100));
    assert_offer(&record, "2.0", Asker::Device(&inside), "2.1", true);
    assert_offer(&record, "2.0", Asker::Device(&outside), "2.0.2", true);
    assert_offer(&record, "2.0", Asker::Outsider, "2.0.2", true);
    let client = v("2.0");
    let decision = decide(&record, &client, Asker::Anonymous, START);
    assert_eq!(decision.release.unwrap().version, v("2.2"));
    assert_eq!(decision.fallback.unwrap().release.version, v("2.0.2"), "for a client outside of 2.2");
}

#[test]
fn a_withdrawn_version_gets_its_cure_as_critical() {
    let withdrawn = vec![WithdrawnVersion { version: v("2.0"), reason: "it deletes files".to_owned() }];
    let stops = Stops { shut_off: false, withdrawn };
    let record =
        curing(record(&[full("1.0"), part("2.0.2", 0)]), "2.0.2", &["2.0", "2.0.1"]).with_stops(stops);
    for (client, critical) in VERSIONS.into_iter().zip([true, false, false]) {
        for asker in [Asker::Anonymous, Asker::Device("device-1")] {
            let client = v(client);
            assert_eq!(decide(&record, &client, asker, START).critical, critical, "{client} {asker:?}");
        }
    }
}
