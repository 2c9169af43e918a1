//! Only resuming ends a halt, whatever other actions are taken.

use super::tests::{NOW, draft};
use super::*;
use crate::feeds::testing::Numbers;

/// The channel of the promotion.
const FURTHER: &str = "beta";
const SEQUENCES: u64 = 2_000;
const ORDERS: usize = 40;

/// A release, and its promotion.
struct Offers {
    own: Release,
    promoted: Option<Release>,
    /// Whether the promotion was halted when it ended.
    was_halted: bool,
}

fn is_halted(release: &Release) -> bool {
    release.rollout.hold == Hold::Halted
}

impl Offers {
    fn new() -> Self {
        Self { own: draft(), promoted: None, was_halted: false }
    }

    /// Whether each offer is halted. An ended offer keeps its last state.
    fn halts(&self) -> [bool; 2] {
        [is_halted(&self.own), self.promoted.as_ref().map_or(self.was_halted, is_halted)]
    }

    /// Applies an action to both offers. A refused action changes nothing.
    fn all<E>(&mut self, order: impl Fn(Release) -> Result<Release, E>) {
        let Ok(own) = order(self.own.clone()) else { return };
        self.own = own;
        self.promoted = self.promoted.take().map(|promoted| order(promoted.clone()).unwrap_or(promoted));
    }

    /// Applies an action to one offer. Returns whether it was accepted.
    fn one<E>(&mut self, is_own: bool, order: impl Fn(Release) -> Result<Release, E>) -> bool {
        let offer = if is_own { Some(&mut self.own) } else { self.promoted.as_mut() };
        let Some(offer) = offer else { return false };
        let new = order(offer.clone());
        let is_accepted = new.is_ok();
        if let Ok(new) = new {
            *offer = new;
        }
        is_accepted
    }

    fn promote(&mut self) {
        if self.promoted.is_none() {
            self.promoted = Some(self.own.clone().promote_to(Id::from_text(FURTHER), self.was_halted));
            self.was_halted = false;
        }
    }

    fn end_promotion(&mut self) {
        if let Some(ended) = self.promoted.take() {
            self.was_halted = is_halted(&ended);
        }
    }
}

fn some_plan(numbers: &mut Numbers) -> Plan {
    numbers.pick(&["100", "10:1h,100", "0.1:1h,28:1d,100", "50,100"]).parse().unwrap()
}

fn some_part(numbers: &mut Numbers) -> BasisPoints {
    BasisPoints::from_percent(*numbers.pick(&[0, 1, 50, 100]))
}

fn some_change(numbers: &mut Numbers, now: Timestamp) -> ReleaseChange {
    let publication = *numbers.pick(&[
        None,
        Some(Publication::Draft),
        Some(Publication::Now),
        Some(Publication::At(now.plus_seconds(60))),
    ]);
    let (plan, rollout) = match numbers.below(3) {
        0 => (Some(some_plan(numbers)), None),
        1 => (None, Some(some_part(numbers))),
        _ => (None, None),
    };
    ReleaseChange { publication, plan, rollout, critical: Some(true), ..ReleaseChange::default() }
}

fn some_action(numbers: &mut Numbers) -> RolloutAction {
    match numbers.below(8) {
        0 => RolloutAction::Start(some_plan(numbers)),
        1 => RolloutAction::Set(some_part(numbers)),
        2 => RolloutAction::Pause,
        3 => RolloutAction::Resume,
        4 => RolloutAction::Advance,
        5 => RolloutAction::Complete,
        _ => RolloutAction::Halt,
    }
}

/// Applies a random action. Returns which of the two offers it has resumed.
fn some_order(offers: &mut Offers, numbers: &mut Numbers, now: Timestamp) -> [bool; 2] {
    let is_own = numbers.below(2) == 0;
    match numbers.below(14) {
        0 => offers.all(|release| Ok::<_, ()>(release.withdraw("it deletes files".to_owned(), now))),
        1 => offers.all(Release::restore),
        2 => offers.promote(),
        3 => offers.end_promotion(),
        4 => offers.all(|release| Ok::<_, ()>(release.with_due_changes(now))),
        5..9 => {
            let change = some_change(numbers, now);
            offers.one(is_own, |release| release.apply_change(&change, now));
        }
        _ => {
            let action = some_action(numbers);
            let is_accepted = offers.one(is_own, |release| release.apply_action(action.clone(), now));
            if is_accepted && action == RolloutAction::Resume {
                return [is_own, !is_own];
            }
        }
    }
    [false, false]
}

#[test]
fn no_sequence_of_orders_ends_a_halt_without_a_resumption() {
    let mut halts = 0;
    for seed in 1..=SEQUENCES {
        let (mut offers, mut numbers) = (Offers::new(), Numbers(seed));
        let mut now = NOW;
        for place in 0..ORDERS {
            now = now.plus_seconds(*numbers.pick(&[0, 30, 60 * 60, 24 * 60 * 60]));
            let before = offers.halts();
            let resumed = some_order(&mut offers, &mut numbers, now);
            for (offer, was_halted) in before.into_iter().enumerate() {
                let is_halted = offers.halts()[offer];
                halts += usize::from(!was_halted && is_halted);
                assert!(
                    !was_halted || is_halted != resumed[offer],
                    "sequence {seed}, order {place}: offer {offer} {}",
                    if is_halted { "is still halted after a resumption" } else { "is no longer halted" }
                );
            }
        }
    }
    assert!(halts > 200, "only {halts} halts were tried");
}

#[test]
fn a_halted_release_is_resumed_into_a_new_round() {
    let later = |seconds: i64| NOW.plus_seconds(seconds);
    let published = draft()
        .apply_change(&ReleaseChange { publication: Some(Publication::Now), ..Default::default() }, NOW);
    let halted = published.unwrap().apply_action(RolloutAction::Halt, later(1)).unwrap();
    let hidden = halted.apply_change(
        &ReleaseChange { publication: Some(Publication::Draft), ..Default::default() },
        later(2),
    );
    let late_job = ReleaseChange {
        publication: Some(Publication::Now),
        plan: Some("100".parse().unwrap()),
        ..Default::default()
    };
    let republished = hidden.unwrap().apply_change(&late_job, later(3)).unwrap();
    assert_eq!(republished.rollout.state(later(9)), crate::RolloutState::Halted);
    assert!(republished.rollout.rollout(later(9)).is_halted);
    let resumed = republished.apply_action(RolloutAction::Resume, later(10)).unwrap();
    assert_eq!(
        (resumed.round_at, resumed.rollout.basis_points(later(10))),
        (Some(later(10)), BasisPoints::ALL)
    );
}
