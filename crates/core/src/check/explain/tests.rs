use super::*;
use crate::feeds::testing::scope_record;
use crate::release::condition::testing::cures;
use crate::{
    BasisPoints, Freezes, Hold, NO_FACTS, Pace, PlanRun, ScopeRelease, StepClock, Widening, keep_answers,
};

const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

/// A candidate that may be an intermediate.
struct Spec {
    candidate: Candidate,
    is_intermediate: bool,
}

/// A published release of `stable` for everybody, with a file here.
fn release(version: &str) -> Spec {
    let candidate = Candidate {
        version: version.parse().unwrap(),
        channel: Some("stable".parse().unwrap()),
        is_in_channel: true,
        state: ReleaseState::Published,
        publish_at: None,
        held_until: None,
        rollout: Course::fixed(BasisPoints::ALL, "seed".to_owned()),
        files: FileAvailability::Installable,
        conditions: Conditions::default(),
    };
    Spec { candidate, is_intermediate: false }
}

impl Spec {
    fn but(mut self, change: impl FnOnce(&mut Candidate)) -> Self {
        change(&mut self.candidate);
        self
    }

    fn percent(self, percent: u8) -> Self {
        self.but(|release| release.rollout.pace = Pace::Fixed(BasisPoints::from_percent(percent)))
    }

    /// Adds a plan that has just begun.
    fn plan(self, plan: &str) -> Self {
        let run = PlanRun {
            plan: plan.parse().unwrap(),
            step: 0,
            clock: StepClock::Runs(NOW),
            freezes: Freezes::default(),
        };
        self.but(|release| release.rollout.pace = Pace::Planned(run))
    }

    fn hold(self, hold: Hold) -> Self {
        self.but(|release| release.rollout.hold = hold)
    }

    fn intermediate(self) -> Self {
        Self { is_intermediate: true, ..self }
    }
}

/// The record of the releases that clients in the scope can get.
fn record(releases: &[Spec]) -> ScopeRecord {
    let is_here = |spec: &&Spec| {
        let candidate = &spec.candidate;
        candidate.state == ReleaseState::Published
            && candidate.is_in_channel
            && candidate.files == FileAvailability::Installable
    };
    let as_seen = |spec: &Spec| ScopeRelease {
        version: spec.candidate.version.clone(),
        intermediate: spec.is_intermediate,
        rollout: spec.candidate.rollout.rollout(NOW),
        changelog: String::new(),
        released_at: NOW,
        artifacts: Vec::new(),
        conditions: spec.candidate.conditions.clone(),
    };
    scope_record(keep_answers(releases.iter().filter(is_here).map(as_seen).collect(), NOW), Vec::new())
}

fn manual(version: &Version) -> ExplainedClient<'_> {
    ExplainedClient { version, updater: Updater::Manual, device: None, facts: &NO_FACTS }
}

/// The explanation for a client: the version on offer, and the reasons for each release.
fn explained(
    client: &ExplainedClient<'_>,
    releases: &[Spec],
    at: Timestamp,
) -> (Option<String>, Vec<(String, Vec<OfferReason>)>) {
    let record = record(releases);
    let candidates = releases.iter().map(|spec| spec.candidate.clone()).collect();
    let Explanation { decision, releases } = explain(&record, candidates, client, at);
    let offered: Vec<String> = releases
        .iter()
        .filter(|release| release.is_offered)
        .map(|release| release.version.to_string())
        .collect();
    let decided = decision.version().filter(|_| decision.update_available).map(ToString::to_string);
    assert_eq!(offered, decided.iter().cloned().collect::<Vec<_>>(), "the reasons agree with the decision");
    let reasons = releases.into_iter().map(|release| {
        assert!(!release.reasons.is_empty(), "{}", release.version);
        (release.version.to_string(), release.reasons)
    });
    (decided, reasons.collect())
}

fn codes(client: &ExplainedClient<'_>, releases: &[Spec]) -> Vec<Vec<&'static str>> {
    let (_, reasons) = explained(client, releases, NOW);
    reasons.iter().map(|(_, reasons)| reasons.iter().map(OfferReason::code).collect()).collect()
}

/// The texts about the newest release.
fn text(client: &ExplainedClient<'_>, releases: &[Spec], at: Timestamp) -> String {
    let (_, reasons) = explained(client, releases, at);
    reasons[0].1.iter().map(OfferReason::text).collect::<Vec<_>>().join(" ")
}

fn v(text: &str) -> Version {
    text.parse().unwrap()
}

#[test]
fn clients_see_only_releases_for_their_place() {
    let releases = [
        release("1.7.0").but(|r| (r.state, r.files) = (ReleaseState::Draft, FileAvailability::None)),
        release("1.6.0").but(|r| r.state = ReleaseState::Draft),
        release("1.5.0").but(|r| (r.channel, r.is_in_channel) = (Some("beta".parse().unwrap()), false)),
        release("1.4.0").but(|r| r.files = FileAvailability::None),
        release("1.3.0").but(|r| r.files = FileAvailability::NotListed),
        release("1.2.0"),
        release("1.1.0"),
        release("1.0.0"),
        release("0.9.0").but(|r| r.state = ReleaseState::Draft),
    ];
    let (offered, reasons) = explained(&manual(&v("1.0.0")), &releases, NOW);
    assert_eq!(offered.as_deref(), Some("1.2.0"));
    let reasons = reasons.into_iter().map(|(_, reasons)| reasons);
    let beta = OfferReason::OtherChannel { channel: Some("beta".parse().unwrap()) };
    assert_eq!(
        reasons.collect::<Vec<_>>(),
        [
            vec![OfferReason::Draft, OfferReason::NoFile],
            vec![OfferReason::Draft],
            vec![beta],
            vec![OfferReason::NoFile],
            vec![OfferReason::NotListed],
            vec![OfferReason::Offered { share: None }],
            vec![OfferReason::Surpassed { by: v("1.2.0"), is_fallback: false }],
            vec![OfferReason::NotNewer { is_same: true }],
            vec![OfferReason::Draft, OfferReason::NotNewer { is_same: false }],
        ]
    );
}

/// The devices 1 and 2 have the positions 7888 and 2782 for this seed: see the tests of rollouts.
#[test]
fn a_rollout_reaches_some_devices() {
    let releases = [release("1.1.0").percent(50), release("1.0.0")];
    let version = v("1.0.0");
    let first = |device| {
        let client = ExplainedClient { device, ..manual(&version) };
        explained(&client, &releases, NOW).1.remove(0).1
    };
    let share = |position| Share { basis_points: BasisPoints::from_percent(50), position };
    let outside = OfferReason::OutsideRollout {
        share: share(Some(7888)),
        is_paused: false,
        next: None,
        held_until: None,
    };
    assert_eq!(first(None), [OfferReason::Offered { share: Some(share(None)) }]);
    assert_eq!(first(Some("device-2")), [OfferReason::Offered { share: Some(share(Some(2782))) }]);
    assert_eq!(first(Some("device-1")), [outside]);
}

#[test]
fn a_plan_says_when_a_device_is_inside() {
    let releases = [release("2.0.0").plan("5:1h,20:1h,28:1h,100"), release("1.0.0")];
    let version = v("1.0.0");
    let client = ExplainedClient { device: Some("device-2"), ..manual(&version) };
    let (_, reasons) = explained(&client, &releases, NOW);
    let next = Widening { at: NOW.plus_seconds(7200), to: BasisPoints::from_percent(28) };
    let share = Share { basis_points: BasisPoints::from_percent(5), position: Some(2782) };
    assert_eq!(
        reasons[0].1,
        [OfferReason::OutsideRollout { share, is_paused: false, next: Some(next), held_until: None }],
        "20 % is not enough"
    );
    assert_eq!(explained(&client, &releases, next.at).0.as_deref(), Some("2.0.0"), "it comes true");
    assert_eq!(
        text(&client, &releases, NOW.plus_seconds(3600)),
        "The rollout is at 20 %; this device is at position 27.82 %. By the plan, the rollout passes that with 28 %, at \
         2026-11-21T03:43:42+00:00 at the earliest."
    );
    assert_eq!(
        text(&ExplainedClient { updater: Updater::Tauri, ..manual(&version) }, &releases, NOW),
        "The rollout is at 5 %. Without a device id, this updater gets only releases for everybody. By the plan, that is at \
         2026-11-21T04:43:42+00:00 at the earliest."
    );
}

#[test]
fn a_cured_version_is_the_reason_until_everybody_gets_the_release() {
    let cures = |release: &mut Candidate| release.conditions.cures = cures(&["1.0.0"]);
    for (percent, codes_of) in [(0, ["cures", "outside_rollout"]), (100, ["offered", "offered"])] {
        let releases = [release("1.1.0").percent(percent).but(cures)];
        let codes = ["1.0.0", "0.9.0"].map(|version| {
            let version = v(version);
            let client = ExplainedClient { device: Some("device-1"), ..manual(&version) };
            codes(&client, &releases)[0][0]
        });
        assert_eq!(codes, codes_of, "{percent}");
    }
    let halted = [release("1.1.0").percent(50).hold(Hold::Halted).but(cures)];
    assert_eq!(codes(&manual(&v("1.0.0")), &halted), [["halted"]]);
    let releases = [release("1.1.0").percent(0).but(cures)];
    assert_eq!(
        text(&manual(&v("1.0.0")), &releases, NOW),
        "It is offered regardless of its rollout, because it cures 1.0.0."
    );
}

#[test]
fn a_rollout_that_is_held_says_so() {
    let version = v("1.0.0");
    let client = ExplainedClient { device: Some("device-2"), ..manual(&version) };
    let stands = |release: &mut Candidate| {
        let Pace::Planned(run) = &mut release.rollout.pace else { panic!() };
        run.clock = StepClock::Stands(0);
    };
    let paused = [release("2.0.0").plan("5:1h,100").hold(Hold::Paused).but(stands), release("1.0.0")];
    assert_eq!(
        text(&client, &paused, NOW),
        "The rollout is paused at 5 %; this device is at position 27.82 %. It gets the release once the rollout passes that."
    );
    let halted = [release("2.0.0").hold(Hold::Halted), release("1.0.0")];
    assert_eq!(text(&client, &halted, NOW), "Its rollout is halted.");
    assert_eq!(codes(&manual(&version), &halted), [["halted"], ["not_newer"]]);
}

#[test]
fn an_updater_that_cannot_decide_gets_only_complete_rollouts() {
    let releases = [release("1.2.0").percent(50), release("1.1.0")];
    let version = v("1.0.0");
    let tauri = ExplainedClient { updater: Updater::Tauri, ..manual(&version) };
    let (offered, reasons) = explained(&tauri, &releases, NOW);
    assert_eq!(offered.as_deref(), Some("1.1.0"));
    let share = Share { basis_points: BasisPoints::from_percent(50), position: None };
    assert_eq!(
        reasons[0].1,
        [OfferReason::OutsideRollout { share, is_paused: false, next: None, held_until: None }]
    );
}

#[test]
fn an_updater_sees_what_it_installs() {
    let releases = [release("1.3.0").but(|r| r.files = FileAvailability::NotInstallable), release("1.2.0")];
    let version = v("1.0.0");
    let velopack = ExplainedClient { updater: Updater::Velopack, ..manual(&version) };
    assert_eq!(codes(&velopack, &releases), [["not_installable"], ["offered"]]);
    assert_eq!(
        text(&velopack, &releases, NOW),
        "It has no file for this platform that velopack can install."
    );
}

#[test]
fn an_intermediate_comes_first() {
    let releases = [
        release("1.4.0").percent(10),
        release("1.3.0"),
        release("1.2.0").intermediate().percent(50),
        release("1.1.0"),
        release("1.0.0"),
    ];
    let version = v("1.0.0");
    let of = |device| codes(&ExplainedClient { device: Some(device), ..manual(&version) }, &releases);
    let above = [vec!["outside_rollout", "held_below"], vec!["held_below"]];
    let [far, near] = above.clone();
    assert_eq!(of("device-2"), [far, near, vec!["offered"], vec!["surpassed"], vec!["not_newer"]]);
    let [far, near] = above;
    assert_eq!(of("device-1"), [far, near, vec!["outside_rollout"], vec!["offered"], vec!["not_newer"]]);
    let client = ExplainedClient { device: Some("device-2"), ..manual(&version) };
    let (_, reasons) = explained(&client, &releases, NOW);
    assert_eq!(reasons[1].1[0].text(), "1.2.0 has to be installed first.");
}

#[test]
fn a_client_that_decides_for_itself_is_told_of_its_fallback() {
    let releases = [release("1.2.0").percent(50), release("1.1.0"), release("1.0.5")];
    let (_, reasons) = explained(&manual(&v("1.0.0")), &releases, NOW);
    let by = || v("1.2.0");
    assert_eq!(reasons[1].1, [OfferReason::Surpassed { by: by(), is_fallback: true }]);
    assert_eq!(reasons[2].1, [OfferReason::Surpassed { by: by(), is_fallback: false }]);
    assert_eq!(
        text(&manual(&v("1.0.0")), &releases, NOW),
        "It is offered with its rollout of 50 %. A client without a device id decides for itself whether it is inside."
    );
}

/// The reasons and the decision agree for every kind of client, and every release has a reason.
#[test]
fn every_answer_has_its_reasons() {
    let mut numbers = crate::feeds::testing::Numbers(20_261_127);
    let (mut cases, mut with_offer) = (0, 0);
    for _ in 0..300 {
        let releases: Vec<Spec> = (1..=8)
            .rev()
            .map(|n| {
                let spec = release(&n.to_string()).but(|r| {
                    r.state = *numbers.pick(&[
                        ReleaseState::Published,
                        ReleaseState::Published,
                        ReleaseState::Published,
                        ReleaseState::Draft,
                    ]);
                    r.is_in_channel = numbers.below(6) > 0;
                    if numbers.below(6) == 0 {
                        r.files = *numbers.pick(&[
                            FileAvailability::None,
                            FileAvailability::NotListed,
                            FileAvailability::NotInstallable,
                        ]);
                    }
                });
                let spec = match numbers.below(4) {
                    0 => spec.percent(50),
                    1 => spec.plan("5:1h,28:1h,100"),
                    2 => spec.hold(Hold::Halted),
                    _ => spec,
                };
                if numbers.below(4) == 0 { spec.intermediate() } else { spec }
            })
            .collect();
        for client in 0..=9 {
            let version = v(&client.to_string());
            for device in [None, Some("device-1"), Some("device-2")] {
                for updater in [Updater::Manual, Updater::Tauri] {
                    let client = ExplainedClient { version: &version, updater, device, facts: &NO_FACTS };
                    let (offered, _) = explained(&client, &releases, NOW.plus_seconds(3600));
                    cases += 1;
                    with_offer += usize::from(offered.is_some());
                }
            }
        }
    }
    assert!(cases == 18_000 && with_offer > 5_000, "{with_offer} of {cases}");
}

/// The answer for the user of a device with version 1.0.0, of the manual updater.
fn for_device(device: &str, releases: &[Spec]) -> String {
    let (record, version) = (record(releases), v("1.0.0"));
    let client = ExplainedClient { device: Some(device), ..manual(&version) };
    match explain_to_device(&record, &client, NOW).answer {
        DeviceAnswer::Offered(version) => format!("offered {version}"),
        DeviceAnswer::NotYet(version) => format!("not yet {version}"),
        other => format!("{other:?}"),
    }
}

/// See `a_rollout_reaches_some_devices` for the positions.
#[test]
fn a_user_learns_what_checks_say() {
    let (inside, outside) = ("device-2", "device-1");
    let at_half = || vec![release("1.1.0").percent(50), release("1.0.0")];
    let halted = || vec![release("1.1.0").percent(50).hold(Hold::Halted), release("1.0.0")];
    let draft = || vec![release("1.1.0").but(|r| r.state = ReleaseState::Draft), release("1.0.0")];
    let other = || vec![release("1.1.0").but(|r| r.is_in_channel = false), release("1.0.0")];
    for (device, releases, expected) in [
        (inside, at_half(), "offered 1.1.0"),
        (outside, at_half(), "not yet 1.1.0"),
        (inside, halted(), "UpToDate"),
        (inside, draft(), "UpToDate"),
        (inside, other(), "UpToDate"),
        (inside, vec![release("0.9.0")], "Newest"),
        (inside, vec![], "NothingPublished"),
    ] {
        assert_eq!(for_device(device, &releases), expected, "{device} {expected}");
    }
    let mut shut_off = record(&at_half());
    shut_off.stops.shut_off = true;
    let version = v("1.0.0");
    let client = ExplainedClient { device: Some(inside), ..manual(&version) };
    assert_eq!(explain_to_device(&shut_off, &client, NOW).answer, DeviceAnswer::ShutOff);
}

/// An anonymous check of this updater would not name the release, so nobody learns of it.
#[test]
fn a_user_of_another_updater_learns_nothing_of_a_partial_rollout() {
    let record = record(&[release("1.1.0").percent(50), release("1.0.0")]);
    let version = v("1.0.0");
    let client = ExplainedClient { updater: Updater::Tauri, device: Some("device-1"), ..manual(&version) };
    assert_eq!(explain_to_device(&record, &client, NOW).answer, DeviceAnswer::UpToDate);
}
