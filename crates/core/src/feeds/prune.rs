//! Drops the releases that cannot be part of an answer to any client of an updater.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

use super::chain::MAX_DELTAS;
use super::history::History;
use super::tauri::{BUNDLES, installs};
use super::{FeedPart, ReleaseFeed, UpdaterRecord};
use crate::{FileName, ScopeRelease, Timestamp, Version, are_answers};

/// How many feed names of dropped releases are kept: far more than an application has channels.
const MAX_FEED_NAMES: usize = 32;

/// Why a release stays in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Retention {
    Nothing,
    /// Its delta is a step on the way to another release.
    Step,
    /// It is offered, or listed in the feed of an offered release.
    Whole,
}

impl UpdaterRecord {
    /// Drops releases that are never part of an answer, so that a record stays small however long the history
    /// is. It keeps the releases that a check can answer with (see [`crate::keep_answers`]), the last
    /// [`MAX_DELTAS`] deltas that lead to each of them, and the older releases that appcasts list.
    #[must_use]
    pub fn pruned(mut self) -> Self {
        let at = self.scope.read_at;
        if self.feeds.is_empty() {
            self.scope.releases = without_feeds(self.scope.releases, at);
            return self;
        }
        let roles = roles(&self.scope.releases, &self.feeds, at);
        let releases = take(&mut self.scope.releases);
        let mut dropped_names = BTreeSet::new();
        for ((release, parts), role) in releases.into_iter().zip(take(&mut self.feeds)).zip(roles) {
            let kept = match role {
                Retention::Whole => Some((release, parts)),
                Retention::Step => step(&parts)
                    .map(|part| (ScopeRelease { changelog: String::new(), ..release }, vec![part])),
                Retention::Nothing => {
                    dropped_names.extend(asked_names(parts).take(MAX_FEED_NAMES - dropped_names.len()));
                    None
                }
            };
            if let Some((release, parts)) = kept {
                self.scope.releases.push(release);
                self.feeds.push(parts);
            }
        }
        self.feed_names =
            dropped_names.into_iter().filter(|name| !self.has_feed_name(name.as_str())).collect();
        self
    }
}

/// The releases that checks can return, even to copies that can install only some of them, such as
/// Tauri's.
fn without_feeds(mut releases: Vec<ScopeRelease>, at: Timestamp) -> Vec<ScopeRelease> {
    let mut are_kept: Vec<bool> = are_answers(&releases, at).collect();
    for (bundle, _) in BUNDLES {
        let some = releases.iter().enumerate().filter(|(_, release)| installs(release, Some(bundle)));
        let (places, some): (Vec<usize>, Vec<ScopeRelease>) = some.map(|(at, one)| (at, one.clone())).unzip();
        for (place, is_answer) in places.into_iter().zip(are_answers(&some, at)) {
            are_kept[place] |= is_answer;
        }
    }
    let mut is_kept = are_kept.into_iter();
    releases.retain(|_| is_kept.next().unwrap_or_default());
    releases
}

fn roles(releases: &[ScopeRelease], feeds: &[Vec<FeedPart>], at: Timestamp) -> Vec<Retention> {
    let own = |at: usize| feeds.get(at).and_then(|parts| parts.first()).map(|part| &part.feed);
    let places: BTreeMap<&Version, usize> =
        releases.iter().enumerate().map(|(at, release)| (&release.version, at)).collect();
    let are_answers = are_answers(releases, at).enumerate();
    let answers: Vec<usize> = are_answers.filter_map(|(at, is_answer)| is_answer.then_some(at)).collect();
    let mut roles = vec![Retention::Nothing; releases.len()];
    for target in answers {
        for at in steps(target, own, &places) {
            if roles[at] == Retention::Nothing {
                roles[at] = Retention::Step;
            }
        }
        for place in listed(target, releases, own, at) {
            roles[place] = Retention::Whole;
        }
        roles[target] = Retention::Whole;
    }
    roles
}

/// The releases whose deltas lead to the one at `target`, starting with that one.
fn steps<'a>(
    target: usize,
    feed: impl Fn(usize) -> Option<&'a ReleaseFeed>,
    places: &BTreeMap<&Version, usize>,
) -> impl Iterator<Item = usize> {
    let below = move |at: &usize| places.get(feed(*at)?.delta_from()?).copied();
    std::iter::successors(Some(target), below).take(MAX_DELTAS)
}

/// The releases that a feed lists below the one at `target`, at any time from `at` on. Releases that
/// will be fully rolled out are listed later, in addition to those that already are.
fn listed<'a>(
    target: usize,
    releases: &[ScopeRelease],
    feed: impl Fn(usize) -> Option<&'a ReleaseFeed>,
    at: Timestamp,
) -> impl Iterator<Item = usize> {
    let mut history = History::default();
    (target + 1..releases.len()).filter(move |place| match (feed(*place), &releases[*place].rollout) {
        (Some(feed), rollout) if rollout.is_full(at) => history.lists(feed.demands()),
        (Some(feed), rollout) => feed.demands().is_some() && rollout.next_change(at).is_some(),
        (None, _) => false,
    })
}

/// The part of a release's own feed that its delta needs.
fn step(parts: &[FeedPart]) -> Option<FeedPart> {
    let part = parts.first()?;
    let (feed, name) = part.feed.only_delta()?;
    let links = part.links.get_key_value(name).map(|(name, url)| (name.clone(), url.clone()));
    Some(FeedPart {
        arch: part.arch.clone(),
        feed_name: part.feed_name.clone(),
        feed,
        links: links.into_iter().collect(),
    })
}

/// The names of feeds that clients request by name.
fn asked_names(parts: Vec<FeedPart>) -> impl Iterator<Item = FileName> {
    let has_requested_name = |part: &FeedPart| part.feed.updater().default_channel().is_some();
    parts.into_iter().filter(has_requested_name).map(|part| part.feed_name)
}

#[cfg(test)]
mod tests;
