//! The releases that feeds are made from, and the deltas between them.

use std::fmt;

use crate::{BasisPoints, Version};

/// Maximum number of deltas for one client. A client that is further behind downloads the full
/// package. Velopack's own client gives up on deltas at this number. It also limits how many
/// releases a record has to keep.
pub const MAX_DELTAS: usize = 10;

/// Resolves file names of a release to URLs.
pub(crate) trait FeedLinks {
    /// The absolute, percent-encoded URL of a file.
    fn link(&self, file_name: &str) -> String;
}

/// A published release that a feed can list.
pub(crate) struct FeedRelease<'a, F> {
    /// Its version.
    pub version: &'a Version,
    /// The architecture of the feed. `None`: the application uses none.
    pub arch: Option<&'a str>,
    /// Which part of all devices like the client's may have it.
    pub rollout: BasisPoints,
    /// The name that the feed was uploaded under.
    pub feed_name: &'a str,
    /// The stored feed.
    pub feed: &'a F,
    /// The URLs of its files.
    pub links: &'a dyn FeedLinks,
}

impl<F> Clone for FeedRelease<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for FeedRelease<'_, F> {}

impl<'a, F> FeedRelease<'a, F> {
    /// The same release, with its feed converted by `of`. `None`: `of` returned none.
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

/// The releases whose deltas, applied in turn, update `client` to `target`: newest first, including `target`.
/// Empty if there are more than [`MAX_DELTAS`] or if a step is missing: a release in between is unpublished
/// or held at 0 percent, or the base of a delta is unknown. The client then takes the full package.
///
/// `base` returns the version that a release's delta starts from. `None`: it has no such delta.
pub(super) fn delta_chain<'r, 'a, F>(
    releases: &'r [FeedRelease<'a, F>],
    client: &Version,
    target: &Version,
    base: impl Fn(&'a F) -> Option<&'a Version>,
) -> Vec<&'r FeedRelease<'a, F>> {
    let mut chain = Vec::new();
    let mut wanted = target;
    while client < wanted {
        let step = releases
            .iter()
            .find(|r| r.version == wanted && (r.rollout > BasisPoints::NONE || wanted == target));
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
