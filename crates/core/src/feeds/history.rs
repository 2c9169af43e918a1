//! Which older releases a feed lists.

use std::collections::HashSet;

/// This many releases below the target are listed regardless of their requirements. Clients that a phased
/// rollout has not reached yet take an older release.
const RECENT: usize = 10;

/// Chooses the older releases that a feed lists below its target, newest first. Clients take the highest
/// release that they may have. So of the releases with the same requirements only the newest matters, apart
/// from the most recent ones.
#[derive(Default)]
pub(super) struct History<'a> {
    recent: usize,
    demands: HashSet<Vec<&'a str>>,
}

impl<'a> History<'a> {
    /// Whether to list the next release with these requirements. `None`: it is listed only in its own feed.
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
