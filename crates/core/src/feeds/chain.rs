//! Releases of a scope as feeds are made from them, and the deltas that lead from one to another.

use std::fmt;

use crate::Version;

/// Most deltas that a client is given; one that is further behind takes the full package. It is the number at which
/// Velopack's client gives up on deltas by itself, and a bound on the releases that a record has to keep.
pub const MAX_DELTAS: usize = 10;

/// The addresses of a release's files.
pub(crate) trait FeedLinks {
    /// The absolute, percent-encoded address of a file.
    fn link(&self, file_name: &str) -> String;
}

/// A published release as it can stand in a feed.
pub(crate) struct FeedRelease<'a, F> {
    /// Its version.
    pub version: &'a Version,
    /// The architecture of the feed; `None`: the application uses none.
    pub arch: Option<&'a str>,
    /// Percent of devices that may have it, 0-100.
    pub rollout: u8,
    /// The name that the feed was uploaded under.
    pub feed_name: &'a str,
    /// What was stored of its feed.
    pub feed: &'a F,
    /// The addresses of its files.
    pub links: &'a dyn FeedLinks,
}

impl<F> Clone for FeedRelease<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for FeedRelease<'_, F> {}

impl<'a, F> FeedRelease<'a, F> {
    /// The same release with what `of` makes of its feed.
    pub(super) fn map<K>(&self, of: impl Fn(&'a F) -> Option<&'a K>) -> Option<FeedRelease<'a, K>> {
        let Self { version, arch, rollout, feed_name, feed, links } = *self;
        Some(FeedRelease { version, arch, rollout, feed_name, feed: of(feed)?, links })
    }
}

impl<F: fmt::Debug> fmt::Debug for FeedRelease<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeedRelease")
            .field("version", &self.version)
            .field("arch", &self.arch)
            .field("rollout", &self.rollout)
            .field("feed", &self.feed)
            .finish_non_exhaustive()
    }
}

/// The releases whose deltas, one after the other, make `target` of `client`: newest first, `target` among them.
/// Empty if there are more than [`MAX_DELTAS`], and unless every step is there: a release in between that is not published or held at 0 percent, or a delta
/// whose base is not known, breaks the chain, and the client takes the full package.
///
/// `base` gives the version that a release's delta starts from; `None`: it has no such delta.
pub(super) fn delta_chain<'r, 'a, F>(
    releases: &'r [FeedRelease<'a, F>],
    client: &Version,
    target: &Version,
    base: impl Fn(&'a F) -> Option<&'a Version>,
) -> Vec<&'r FeedRelease<'a, F>> {
    let mut chain = Vec::new();
    let mut wanted = target;
    while client < wanted {
        let step = releases.iter().find(|r| r.version == wanted && (r.rollout > 0 || wanted == target));
        let Some((step, below)) = step.and_then(|r| base(r.feed).map(|below| (r, below))) else {
            return Vec::new();
        };
        if below >= wanted || chain.len() == MAX_DELTAS {
            return Vec::new();
        }
        chain.push(step);
        wanted = below;
    }
    if wanted == client { chain } else { Vec::new() }
}
