use super::*;
use crate::RolloutState;

pub(super) const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

pub(super) fn draft() -> Release {
    Release {
        id: Id::from_text("r"),
        app_id: Id::from_text("a"),
        is_promoted: false,
        version: "2.0".parse().unwrap(),
        channel_id: None,
        flags: ReleaseFlags::default(),
        rollout: Course::planned("10:1h,100".parse().unwrap(), "seed".into()),
        changelog: String::new(),
        publish_at: None,
        planned_at: None,
        withdrawal: None,
        offered_at: None,
        admitted_groups: AdmittedGroups::default(),
        cures: CuredVersions::default(),
        guard: None,
        round_at: None,
        revision: 1,
    }
}

fn publication(publication: Publication) -> ReleaseChange {
    ReleaseChange { publication: Some(publication), ..ReleaseChange::default() }
}

fn scheduled() -> Release {
    draft().apply_change(&publication(Publication::At(NOW.plus_seconds(60))), NOW).unwrap()
}

#[test]
fn a_scheduled_release_is_published_by_the_time_alone() {
    let release = scheduled();
    assert_eq!((release.state(), release.due()), (ReleaseState::Scheduled, Some(NOW.plus_seconds(60))));
    let at = |seconds| release.clone().as_of(NOW.plus_seconds(seconds));
    assert_eq!(at(59), release);
    let published = at(60 + 30 * 60);
    assert_eq!(published.state(), ReleaseState::Published);
    assert_eq!(published.offered_at, Some(NOW.plus_seconds(60)));
    let next = published.rollout.next(NOW.plus_seconds(60)).unwrap();
    assert_eq!(next.at, NOW.plus_seconds(60 + 60 * 60), "the plan began with the publication");
    let changed = release.with_due_changes(NOW.plus_seconds(60 + 60 * 60));
    assert_eq!((changed.revision, changed.due()), (3, None));
    assert_eq!(changed.rollout.state(NOW.plus_seconds(60 + 60 * 60)), RolloutState::Complete);
}

#[test]
fn a_round_begins_when_clients_see_the_release_and_when_its_rollout_goes_on() {
    let later = |seconds: i64| NOW.plus_seconds(seconds);
    let published = draft().apply_change(&publication(Publication::Now), NOW).unwrap();
    assert_eq!((draft().round_at, published.round_at), (None, Some(NOW)));
    assert_eq!(scheduled().as_of(later(99)).round_at, Some(later(60)));
    let order = |release: Release, action, at: i64| release.apply_action(action, later(at)).unwrap();
    let halted = order(order(published, RolloutAction::Advance, 1), RolloutAction::Halt, 2);
    assert_eq!(halted.round_at, Some(NOW), "orders keep it");
    let half = RolloutAction::Set(BasisPoints::from_percent(50));
    assert_eq!(order(halted.clone(), half.clone(), 3).round_at, Some(NOW), "it is still halted");
    let resumed = order(halted, RolloutAction::Resume, 4);
    assert_eq!(resumed.round_at, Some(later(4)));
    let published = draft().apply_change(&publication(Publication::Now), NOW).unwrap();
    let paused = order(published, RolloutAction::Pause, 6);
    for action in [RolloutAction::Advance, RolloutAction::Complete, half] {
        assert_eq!(order(paused.clone(), action, 7).round_at, Some(later(7)));
    }
    let change = ReleaseChange { rollout: Some(BasisPoints::ALL), ..ReleaseChange::default() };
    assert_eq!(paused.apply_change(&change, later(8)).unwrap().round_at, Some(later(8)));
}

#[test]
fn a_release_that_failed_is_resumed_with_its_whole_step() {
    let later = |seconds: i64| NOW.plus_seconds(seconds);
    let published = draft().apply_change(&publication(Publication::Now), NOW).unwrap();
    let begins = published.rollout.next(NOW).unwrap().at;
    let step = begins.as_millis() - NOW.as_millis();
    for hold in [RolloutAction::Pause, RolloutAction::Halt] {
        let held = published.clone().apply_action(hold, later(600)).unwrap();
        let resumed = |release: Result<Release, RolloutRefused>| {
            release.unwrap().rollout.next(later(5000)).unwrap().at.as_millis() - later(5000).as_millis()
        };
        let resume = RolloutAction::Resume;
        assert_eq!(resumed(held.clone().apply_action(resume.clone(), later(5000))), step - 600_000);
        assert_eq!(resumed(held.clone().apply_action_after_failures(resume, later(5000))), step);
        let advanced = held.clone().apply_action_after_failures(RolloutAction::Halt, later(5000)).unwrap();
        assert_eq!(advanced.rollout.hold, Hold::Halted, "other actions are as usual");
    }
}

#[test]
fn publications_replace_each_other() {
    let later = Publication::At(NOW.plus_seconds(90));
    for (from, publication_, state, publish_at) in [
        (draft(), Publication::Draft, ReleaseState::Draft, None),
        (draft(), Publication::Now, ReleaseState::Published, None),
        (draft(), Publication::At(NOW), ReleaseState::Published, None),
        (scheduled(), Publication::Draft, ReleaseState::Draft, None),
        (scheduled(), Publication::Now, ReleaseState::Published, None),
        (scheduled(), later, ReleaseState::Scheduled, Some(NOW.plus_seconds(90))),
    ] {
        let revision = from.revision;
        let changed = from.apply_change(&publication(publication_), NOW).unwrap();
        assert_eq!((changed.state(), changed.publish_at), (state, publish_at), "{publication_:?}");
        assert_eq!(changed.revision, revision + 1);
    }
    let published = draft().apply_change(&publication(Publication::Now), NOW).unwrap();
    assert_eq!(published.clone().apply_change(&publication(later), NOW), Err(ChangeRefused::Published));
    let far = Publication::At(NOW.plus_seconds(MAX_SCHEDULE_SECONDS + 1));
    assert_eq!(draft().apply_change(&publication(far), NOW), Err(ChangeRefused::TooFarAhead));
    let kept = scheduled().apply_change(&ReleaseChange::default(), NOW).unwrap();
    assert_eq!(kept.state(), ReleaseState::Scheduled, "other changes keep the schedule");
}

#[test]
fn a_withdrawn_release_is_restored_first() {
    let published = draft().apply_change(&publication(Publication::Now), NOW).unwrap();
    for release in [draft(), scheduled(), published] {
        let withdrawn = release.withdraw("it deletes files".to_owned(), NOW);
        assert_eq!((withdrawn.state(), withdrawn.due()), (ReleaseState::Withdrawn, None));
        let again = withdrawn.clone().withdraw("worse".to_owned(), NOW.plus_seconds(9));
        assert_eq!(again.withdrawal, Some(Withdrawal { at: NOW, reason: "worse".to_owned() }));
        for refused in [Publication::Now, Publication::At(NOW.plus_seconds(1))] {
            let refused = withdrawn.clone().apply_change(&publication(refused), NOW);
            assert_eq!(refused, Err(ChangeRefused::Withdrawn));
        }
        let restored = withdrawn.restore().unwrap();
        assert_eq!(restored.state(), ReleaseState::Draft);
        assert_eq!(restored.restore(), Err(ChangeRefused::NotWithdrawn));
    }
}

#[test]
fn an_order_that_changes_nothing_leaves_no_difference() {
    let later = NOW.plus_seconds(30);
    let same = |old: &Release, new: Release| !new.differs_from(old, later);
    let change = |change: ReleaseChange| {
        move |release: &Release| release.clone().apply_change(&change, later).unwrap()
    };
    let publish = change(publication(Publication::Now));
    let draft_again = change(publication(Publication::Draft));
    let half =
        change(ReleaseChange { rollout: Some(BasisPoints::from_percent(50)), ..ReleaseChange::default() });
    let order = |release: &Release, action| release.clone().apply_action(action, later).unwrap();
    let published = draft().apply_change(&publication(Publication::Now), NOW).unwrap();
    let withdrawn = published.clone().withdraw("it deletes files".to_owned(), NOW);
    let halted = order(&published, RolloutAction::Halt);
    let halted_draft = draft_again(&halted);

    assert!(same(&published, publish(&published)) && !same(&draft(), publish(&draft())));
    assert!(same(&draft(), draft_again(&draft())) && !same(&published, draft_again(&published)));
    assert!(same(&half(&published), half(&half(&published))) && !same(&published, half(&published)));
    assert!(same(&halted, order(&halted, RolloutAction::Halt)) && !same(&published, halted.clone()));
    assert!(same(&halted_draft, order(&halted_draft, RolloutAction::Halt)));
    assert!(same(&withdrawn, withdrawn.clone().withdraw("it deletes files".to_owned(), later)));
    assert!(!same(&withdrawn, withdrawn.clone().withdraw("worse".to_owned(), later)));
    let at_the_end = NOW.plus_seconds(2 * 60 * 60);
    let changed = published.clone().with_due_changes(at_the_end);
    assert!(!changed.differs_from(&published, at_the_end), "the time alone has changed it");
}
