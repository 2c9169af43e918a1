use super::*;
use crate::feeds::testing::scope_record;
use crate::release::condition::testing::cures;
use crate::{BasisPoints, Conditions, Course, Hold, Stops, WithdrawnVersion};

const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

/// 2.0.0, published for everybody, with a file that the updater installs.
fn release() -> Candidate {
    Candidate {
        version: "2.0.0".parse().unwrap(),
        channel: Some("stable".parse().unwrap()),
        is_in_channel: true,
        state: ReleaseState::Published,
        publish_at: None,
        held_until: None,
        rollout: Course::fixed(BasisPoints::ALL, "seed".to_owned()),
        files: FileAvailability::Installable,
        conditions: Conditions::default(),
    }
}

/// The record with published releases, newest first.
fn record(versions: &[&str]) -> ScopeRecord {
    let published = |version: &&str| ScopeRelease {
        version: version.parse().unwrap(),
        intermediate: false,
        rollout: release().rollout.rollout(NOW),
        changelog: String::new(),
        released_at: NOW,
        artifacts: Vec::new(),
        conditions: Conditions::default(),
    };
    scope_record(versions.iter().map(published).collect(), Vec::new())
}

fn audience(versions: &[&str], before: Option<&str>, release: Candidate) -> ReceiptAudience {
    ReceiptAudience {
        record: record(versions),
        updater: Updater::ElectronBuilder,
        before: before.map(|version| version.parse().unwrap()),
        release,
        is_intermediate: false,
    }
}

fn line(audience: ReceiptAudience) -> (&'static str, String) {
    let ReceiptLine { outcome, text } = audience.line(NOW);
    (outcome.as_str(), text)
}

#[test]
fn clients_with_a_file_get_it_whether_it_is_published_or_not() {
    for versions in [&["1.0.0"][..], &["2.0.0", "1.0.0"], &[]] {
        let before = (!versions.is_empty()).then_some("1.0.0");
        assert_eq!(line(audience(versions, before, release())), ("gets", String::new()), "{versions:?}");
    }
}

#[test]
fn clients_without_a_file_fall_behind_if_an_earlier_release_had_one() {
    let without = |files| Candidate { files, ..release() };
    assert_eq!(
        line(audience(&["1.0.0"], Some("1.0.0"), without(FileAvailability::NotInstallable))),
        (
            "behind",
            "It has no file for this platform that electron-builder can install. Its clients stay at 1.0.0."
                .to_owned()
        )
    );
    let (outcome, text) = line(audience(&[], None, without(FileAvailability::None)));
    assert_eq!((outcome, text.ends_with("No earlier release had one.")), ("none", true), "{text}");
}

#[test]
fn copies_of_a_bad_version_without_a_fix_are_named() {
    let stops = Stops {
        shut_off: false,
        withdrawn: vec![WithdrawnVersion { version: "1.5.0".parse().unwrap(), reason: "bad".to_owned() }],
    };
    let mut audience =
        audience(&["1.0.0"], Some("1.5.0"), Candidate { files: FileAvailability::None, ..release() });
    audience.record = audience.record.with_stops(stops);
    let (outcome, text) = line(audience);
    assert_eq!(outcome, "behind");
    assert!(text.ends_with("Its clients stay at 1.5.0, which was withdrawn."), "{text}");
}

#[test]
fn a_newer_release_is_no_gap() {
    assert_eq!(
        line(audience(&["3.0.0", "1.0.0"], Some("1.0.0"), release())),
        ("newer", "3.0.0 is newer.".to_owned())
    );
    let without = Candidate { files: FileAvailability::None, ..release() };
    assert_eq!(line(audience(&["3.0.0", "1.0.0"], Some("1.0.0"), without)).0, "newer");
}

#[test]
fn a_rollout_reaches_some_clients() {
    let mut partial = release();
    partial.rollout = Course::fixed(BasisPoints::from_percent(5), "seed".to_owned());
    let (outcome, text) = line(audience(&["1.0.0"], Some("1.0.0"), partial));
    assert_eq!((outcome, text.contains("5 %")), ("some", true), "{text}");
}

#[test]
fn copies_of_a_cured_version_do_not_wait() {
    for (before, versions, sentence) in [
        ("1.0.0", &["1.0.0", "1.0.1"][..], "Copies of 1.0.0 and 1.0.1 get it at once."),
        ("1.1.0", &["1.0.0"], "Copies of 1.0.0 get it at once."),
        ("1.1.0", &["0.7", "0.8", "0.9"], "Copies of 0.7, 0.8 and 0.9 get it at once."),
    ] {
        for versions_in_record in [&["1.0.0"][..], &["2.0.0", "1.0.0"]] {
            let mut cure = release();
            cure.conditions.cures = cures(versions);
            let at = |percent| Course::fixed(BasisPoints::from_percent(percent), "seed".to_owned());
            let line_at = |percent| {
                let cure = Candidate { rollout: at(percent), ..cure.clone() };
                let mut audience = audience(versions_in_record, Some(before), cure.clone());
                for release in &mut audience.record.releases {
                    if release.version == cure.version {
                        release.conditions.cures = cures(versions);
                        release.rollout = cure.rollout.rollout(NOW);
                    }
                }
                line(audience)
            };
            let (outcome, text) = line_at(5);
            assert_eq!((outcome, text.contains("5 %")), ("some", true), "{text}");
            assert!(text.ends_with(sentence), "{text}");
            assert_eq!(line_at(100), ("gets", String::new()));
        }
    }
}

#[test]
fn orders_hold_a_release() {
    let mut halted = release();
    halted.rollout.hold = Hold::Halted;
    assert_eq!(
        line(audience(&["1.0.0"], Some("1.0.0"), halted)),
        ("held", "Its rollout is halted.".to_owned())
    );
    let withdrawn = Candidate { state: ReleaseState::Withdrawn, ..release() };
    assert_eq!(line(audience(&["1.0.0"], Some("1.0.0"), withdrawn)).0, "held");
    let unlisted = Candidate { files: FileAvailability::NotListed, ..release() };
    assert_eq!(line(audience(&["1.0.0"], Some("1.0.0"), unlisted)).0, "held");
    let mut shut_off = audience(&["1.0.0"], Some("1.0.0"), release());
    shut_off.record = shut_off.record.with_stops(Stops { shut_off: true, withdrawn: Vec::new() });
    assert_eq!(line(shut_off).0, "held");
}
