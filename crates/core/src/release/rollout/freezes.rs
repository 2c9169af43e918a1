//! Freezes: spans in which rollouts do not grow by themselves.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Maximum number of freezes of an owner that are not over.
pub const MAX_FREEZES: u64 = 20;
/// Maximum length of a freeze in seconds: 90 days.
pub const MAX_FREEZE_SECONDS: i64 = 90 * 24 * 60 * 60;

/// A span in which rollouts do not grow by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Freeze {
    /// Its first moment.
    pub from: Timestamp,
    /// The first moment after it.
    pub to: Timestamp,
}

/// Freezes in their order. They neither overlap nor touch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Freezes(Vec<Freeze>);

impl Freezes {
    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first moment outside of the freezes that is not before `at`.
    pub fn at_or_after(&self, at: Timestamp) -> Timestamp {
        let freeze = self.0.iter().find(|freeze| freeze.from <= at && at < freeze.to);
        freeze.map_or(at, |freeze| freeze.to)
    }

    /// These freezes up to `now`, and others from then on.
    #[must_use]
    pub(super) fn replaced_from(&self, now: Timestamp, others: &Self) -> Self {
        let before = self.0.iter().map(|freeze| Freeze { to: freeze.to.min(now), ..*freeze });
        let after = others.0.iter().map(|freeze| Freeze { from: freeze.from.max(now), ..*freeze });
        before.chain(after).collect()
    }
}

/// Combines freezes that overlap or touch, and drops empty ones.
impl FromIterator<Freeze> for Freezes {
    fn from_iter<I: IntoIterator<Item = Freeze>>(freezes: I) -> Self {
        let mut all: Vec<Freeze> = freezes.into_iter().filter(|freeze| freeze.from < freeze.to).collect();
        all.sort_unstable_by_key(|freeze| freeze.from);
        let mut combined: Vec<Freeze> = Vec::with_capacity(all.len());
        for freeze in all {
            match combined.last_mut() {
                Some(last) if freeze.from <= last.to => last.to = last.to.max(freeze.to),
                _ => combined.push(freeze),
            }
        }
        Self(combined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn freezes(spans: &[(i64, i64)]) -> Freezes {
        let freeze = |(from, to): &(i64, i64)| Freeze {
            from: Timestamp::from_millis(*from),
            to: Timestamp::from_millis(*to),
        };
        spans.iter().map(freeze).collect()
    }

    #[test]
    fn freezes_that_overlap_or_touch_are_one() {
        for (given, expected) in [
            (&[][..], &[][..]),
            (&[(5, 5), (7, 6)], &[]),
            (&[(5, 9), (1, 3)], &[(1, 3), (5, 9)]),
            (&[(1, 5), (5, 9)], &[(1, 9)]),
            (&[(1, 9), (2, 3), (8, 10)], &[(1, 10)]),
        ] {
            let expected: Vec<Freeze> = freezes(expected).0;
            assert_eq!(freezes(given).0, expected, "{given:?}");
        }
    }

    #[test]
    fn a_moment_in_a_freeze_moves_to_its_end() {
        let freezes = freezes(&[(10, 20), (15, 30), (40, 50)]);
        for (at, expected) in [(9, 9), (10, 30), (29, 30), (30, 30), (39, 39), (40, 50), (50, 50)] {
            let moved = freezes.at_or_after(Timestamp::from_millis(at));
            assert_eq!(moved.as_millis(), expected, "{at}");
        }
    }

    #[test]
    fn the_past_of_freezes_stays() {
        let now = Timestamp::from_millis(20);
        for (old, new, expected) in [
            // One that was ended early, one that goes on, and one that was removed before it began.
            (&[(10, 30)][..], &[][..], &[(10, 20)][..]),
            (&[(10, 30)], &[(10, 30)], &[(10, 30)]),
            (&[(25, 30)], &[], &[]),
            // One that is over, and a new one.
            (&[(10, 15)], &[(21, 30)], &[(10, 15), (21, 30)]),
            (&[], &[(10, 30)], &[(20, 30)]),
        ] {
            assert_eq!(freezes(old).replaced_from(now, &freezes(new)), freezes(expected), "{old:?} {new:?}");
        }
    }
}
