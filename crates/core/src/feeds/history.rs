//! Which older releases a feed lists.

use std::collections::HashSet;

/// So many releases below the target are listed whatever they demand: clients of a phased rollout that are not in it yet
/// take an older one.
const RECENT: usize = 10;

/// The releases below the target of a feed, newest first. Clients take the highest release that they may have, so of those
/// that demand the same only the newest can be taken, apart from the most recent ones.
#[derive(Default)]
pub(super) struct History<'a> {
    recent: usize,
    demands: HashSet<Vec<&'a str>>,
}

impl<'a> History<'a> {
    /// Whether the next release is listed; `None`: it is in no feed but its own.
    pub(super) fn lists(&mut self, demands: Option<Vec<&'a str>>) -> bool {
        let Some(demands) = demands else { return false };
        self.recent += 1;
        self.demands.insert(demands) || self.recent <= RECENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_of_each_demand_is_listed_and_the_most_recent() {
        let (old, new) = (vec!["minimum 10.9"], vec!["minimum 12.0"]);
        let mut history = History::default();
        let mut lists = |n: i32| match n {
            20..30 => history.lists(None),
            _ => history.lists(Some(if n < 50 { new.clone() } else { old.clone() })),
        };
        let listed: Vec<_> = (0..100).filter(|n| lists(*n)).collect();
        assert_eq!(listed, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 50]);
    }
}
