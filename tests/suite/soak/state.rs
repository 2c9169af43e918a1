//! The state of an application, and its offer to a client: the rules of `docs/api/checks.md`, written a
//! second time.

use std::collections::BTreeMap;

use semver::Version;
use spindrift_tests::bucket;

/// A release as its publisher left it.
#[derive(Debug, Clone)]
pub(super) struct State {
    releases: BTreeMap<Version, Release>,
    /// Whether updates are shut off.
    pub(super) shut_off: bool,
}

/// One release.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Release {
    pub(super) version: Version,
    pub(super) published: bool,
    /// Whether it was promoted from another channel, where all devices may have it. Orders to it name a channel.
    pub(super) promoted: bool,
    /// Why it was withdrawn.
    pub(super) withdrawn: Option<String>,
    /// Whether its rollout is halted.
    pub(super) halted: bool,
    /// Percent of devices.
    pub(super) rollout: u64,
    /// Orders devices. Not used as long as every device may have the release.
    pub(super) seed: String,
    pub(super) critical: bool,
    pub(super) intermediate: bool,
    /// Whether the group of testers is let in.
    pub(super) testers: bool,
    /// The lowest system that it runs on.
    pub(super) min_os: Option<u64>,
    pub(super) changelog: String,
}

/// The facts that a client says about itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    /// The key of the testers' group.
    pub(super) group: Option<String>,
    /// The system that it runs on.
    pub(super) os: Option<u64>,
    /// Whether its user has asked.
    pub(super) asks: bool,
}

/// The asker.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asker<'a> {
    /// A device, for which the service decides.
    Device(&'a str),
    /// A client that is told the rollout and decides for itself.
    Chooser,
    /// A client that gets what everybody may have.
    Anybody,
    /// A client that decides for itself, and is outside of every rollout.
    Outside,
}

/// The answer to the asker.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug)]
pub(super) struct Decision<'a> {
    /// The release on offer. Without an update it is one of these: the newest that the client may have, or its own.
    pub(super) shown: Vec<&'a Release>,
    pub(super) update: bool,
    pub(super) critical: bool,
    pub(super) rollback: bool,
    pub(super) fallback: Option<&'a Release>,
    /// Why the client's version was withdrawn.
    pub(super) withdrawn: Option<&'a str>,
    /// Whether the client gets the update because of its group, or because its user has asked.
    pub(super) let_in: bool,
    /// The newest release that its system is refused, if it may have none that is newer.
    pub(super) unmet: Option<&'a Release>,
    /// The names of what a client could say to get another answer.
    pub(super) varies_with: Vec<&'static str>,
}

impl Release {
    /// A published release for everybody.
    pub(super) fn new(version: Version) -> Self {
        let changelog = format!("notes of {version}");
        Self {
            version,
            published: true,
            promoted: false,
            withdrawn: None,
            halted: false,
            rollout: 100,
            seed: String::new(),
            critical: false,
            intermediate: false,
            testers: false,
            min_os: None,
            changelog,
        }
    }

    pub(super) const fn is_for_all(&self) -> bool {
        self.rollout >= 100 && !self.halted
    }

    /// The percentage that a client is told.
    pub(super) const fn told(&self) -> Option<u64> {
        match (self.halted, self.rollout) {
            (true, _) => Some(0),
            (false, 100..) => None,
            (false, rollout) => Some(rollout),
        }
    }

    fn runs_on(&self, os: Option<u64>) -> bool {
        self.min_os.is_none_or(|min| os.is_some_and(|os| os >= min))
    }

    /// Whether a client may have it because of its group, or because its user has asked.
    fn lets_in(&self, said: &Said) -> bool {
        !self.halted && ((self.testers && said.group.is_some()) || (said.asks && self.rollout > 0))
    }

    fn is_for(&self, asker: Asker<'_>, said: &Said) -> bool {
        let is_in = match asker {
            // A release for testers alone is not shown to others.
            Asker::Chooser => self.rollout > 0 || !self.testers,
            Asker::Anybody => self.rollout >= 100,
            Asker::Device(device) => self.rollout >= 100 || bucket(device, &self.seed) < self.rollout,
            Asker::Outside => self.rollout >= 100 || (self.testers && said.group.is_some()),
        };
        let is_let_in = !matches!(asker, Asker::Outside) && self.lets_in(said);
        self.runs_on(said.os) && !self.halted && (is_in || is_let_in)
    }

    /// Whether everybody who may have `older` because of its requirements may have this one.
    fn asks_no_more_than(&self, older: &Self) -> bool {
        self.min_os.is_none_or(|min| older.min_os.is_some_and(|of_older| min <= of_older))
    }
}

impl State {
    pub(super) fn new(releases: impl IntoIterator<Item = Release>) -> Self {
        let releases = releases.into_iter().map(|release| (release.version.clone(), release)).collect();
        Self { releases, shut_off: false }
    }

    /// All releases, the lowest version first.
    pub(super) fn releases(&self) -> impl DoubleEndedIterator<Item = &Release> {
        self.releases.values()
    }

    pub(super) fn get(&self, version: &Version) -> Option<&Release> {
        self.releases.get(version)
    }

    pub(super) fn put(&mut self, release: Release) {
        self.releases.insert(release.version.clone(), release);
    }

    pub(super) fn remove(&mut self, version: &Version) {
        self.releases.remove(version);
    }

    /// Newest first.
    fn published(&self) -> impl Iterator<Item = &Release> {
        self.releases().rev().filter(|release| release.published)
    }

    /// The newest published release that everybody gets. Without one, the newest that some get.
    pub(super) fn newest(&self) -> Option<&Release> {
        let mut some = self.published().filter(|release| release.rollout > 0 && !release.halted);
        self.published().find(|release| release.is_for_all()).or_else(|| some.next())
    }

    /// The answer to a client of this version.
    pub(super) fn decide(&self, client: &Version, asker: Asker<'_>, said: &Said) -> Decision<'_> {
        let withdrawn = self.get(client).and_then(|release| release.withdrawn.as_deref());
        if self.shut_off {
            let shown = self.kept().find(|release| release.version <= *client);
            return Decision {
                shown: shown.into_iter().collect(),
                update: false,
                critical: false,
                rollback: false,
                fallback: None,
                withdrawn,
                let_in: false,
                unmet: None,
                varies_with: Vec::new(),
            };
        }
        let best = self.best(client, asker, said);
        let update = best.filter(|best| best.version > *client);
        let own = self.get(client).filter(|release| release.published && update.is_none());
        let let_in = update.is_some_and(|best| best.lets_in(said));
        let decides = matches!(asker, Asker::Chooser) && !let_in;
        let fallback = update.filter(|best| decides && !best.is_for_all());
        let fallback = fallback.and_then(|_| self.best(client, Asker::Outside, said));
        Decision {
            shown: best.into_iter().chain(own).collect(),
            update: update.is_some(),
            critical: update
                .is_some_and(|best| withdrawn.is_some() || self.is_critical(client, &best.version)),
            rollback: self.published().next().is_some_and(|newest| newest.version < *client),
            fallback: fallback.filter(|release| release.version > *client),
            withdrawn,
            let_in,
            unmet: self.unmet(client, asker, said),
            varies_with: if matches!(asker, Asker::Device(_)) {
                Vec::new()
            } else {
                self.varies_with(client)
            },
        }
    }

    fn unmet(&self, client: &Version, asker: Asker<'_>, said: &Said) -> Option<&Release> {
        let is_refused = |release: &&Release| !release.runs_on(said.os);
        let mut newer = self.published().take_while(|release| release.version > *client);
        newer.find(|release| is_refused(release) || release.is_for(asker, said)).filter(is_refused)
    }

    fn varies_with(&self, client: &Version) -> Vec<&'static str> {
        let newer = || self.kept().take_while(|release| release.version > *client);
        let group = newer().any(|release| release.testers && !release.is_for_all()).then_some("group");
        let os_version = newer().any(|release| release.min_os.is_some()).then_some("os_version");
        group.into_iter().chain(os_version).collect()
    }

    /// The published releases that some client could be offered, newest first.
    fn kept(&self) -> impl Iterator<Item = &Release> {
        // The releases for everybody since the last intermediate.
        let mut for_all: Vec<&Release> = Vec::new();
        self.published().filter(move |release| {
            let is_kept =
                release.intermediate || !for_all.iter().any(|newer| newer.asks_no_more_than(release));
            if release.intermediate {
                for_all.clear();
            }
            if is_kept && release.is_for_all() {
                for_all.push(*release);
            }
            is_kept
        })
    }

    /// The newest release that the asker may have, up to the lowest intermediate above the client.
    fn best(&self, client: &Version, asker: Asker<'_>, said: &Said) -> Option<&Release> {
        let above = self.releases().filter(|release| release.published && release.version > *client);
        let limit = above.into_iter().find(|release| release.intermediate).map(|release| &release.version);
        self.published()
            .filter(|release| limit.is_none_or(|limit| release.version <= *limit))
            .find(|release| release.is_for(asker, said))
    }

    fn is_critical(&self, client: &Version, target: &Version) -> bool {
        self.published()
            .any(|release| release.critical && release.version > *client && release.version <= *target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    fn release(text: &str) -> Release {
        Release::new(version(text))
    }

    fn shown(state: &State, client: &str, asker: Asker<'_>) -> (Vec<String>, bool) {
        let client = version(client);
        let decision = state.decide(&client, asker, &Said::default());
        (decision.shown.iter().map(|release| release.version.to_string()).collect(), decision.update)
    }

    #[test]
    fn the_newest_published_release_is_offered() {
        let draft = Release { published: false, ..release("1.10.0") };
        let state = State::new([release("1.0.0"), release("1.9.0"), draft]);
        assert_eq!(shown(&state, "0.1.0", Asker::Chooser), (vec!["1.9.0".into()], true));
        assert_eq!(shown(&state, "1.0.0", Asker::Anybody), (vec!["1.9.0".into()], true));
        assert_eq!(shown(&state, "1.9.0", Asker::Anybody), (vec!["1.9.0".into(), "1.9.0".into()], false));
        assert!(state.decide(&version("2.0.0"), Asker::Chooser, &Said::default()).rollback);
    }

    #[test]
    fn nothing_above_an_intermediate_is_offered() {
        let floor = Release { intermediate: true, rollout: 0, ..release("1.1.0") };
        let state = State::new([release("1.0.0"), floor, release("1.2.0")]);
        assert_eq!(shown(&state, "0.1.0", Asker::Chooser), (vec!["1.1.0".into()], true));
        assert_eq!(shown(&state, "0.1.0", Asker::Device("d")), (vec!["1.0.0".into()], true));
        assert_eq!(shown(&state, "1.1.0", Asker::Device("d")), (vec!["1.2.0".into()], true));
        let fallback = state.decide(&version("0.1.0"), Asker::Chooser, &Said::default()).fallback;
        assert_eq!(fallback, Some(&release("1.0.0")));
    }

    #[test]
    fn a_rollout_decides_about_devices() {
        let half = Release { rollout: 50, seed: "seed".into(), ..release("1.1.0") };
        let state = State::new([release("1.0.0"), half]);
        // Their buckets are 78 and 27.
        assert_eq!(shown(&state, "0.1.0", Asker::Device("device-1")).0, ["1.0.0"]);
        assert_eq!(shown(&state, "0.1.0", Asker::Device("device-2")).0, ["1.1.0"]);
    }

    #[test]
    fn stops_leave_clients_where_they_are() {
        let halted = Release { halted: true, ..release("1.1.0") };
        let mut state = State::new([release("1.0.0"), halted]);
        for asker in [Asker::Chooser, Asker::Anybody, Asker::Device("device-1")] {
            assert_eq!(shown(&state, "0.1.0", asker), (vec!["1.0.0".into()], true));
        }
        assert_eq!(state.newest().map(|release| release.version.to_string()).as_deref(), Some("1.0.0"));
        state.shut_off = true;
        assert_eq!(shown(&state, "0.1.0", Asker::Chooser), (vec![], false));
        assert_eq!(shown(&state, "1.0.0", Asker::Chooser), (vec!["1.0.0".into()], false));
        let recalled = Release { published: false, withdrawn: Some("bad".into()), ..release("1.2.0") };
        let state = State::new([release("1.0.0"), recalled, release("1.3.0")]);
        let decision = state.decide(&version("1.2.0"), Asker::Chooser, &Said::default());
        assert_eq!((decision.withdrawn, decision.critical), (Some("bad"), true));
        assert!(!state.decide(&version("1.0.0"), Asker::Chooser, &Said::default()).critical);
    }

    #[test]
    fn conditions_are_decided_for_each_client() {
        let hidden = Release { testers: true, rollout: 0, ..release("1.2.0") };
        let newer = Release { min_os: Some(12), ..release("1.1.0") };
        let state = State::new([release("1.0.0"), newer, hidden]);
        let says = |group: bool, os: Option<u64>| Said { group: group.then(String::new), os, asks: false };
        let version_for = |said: &Said| {
            let decision = state.decide(&version("0.1.0"), Asker::Chooser, said);
            (decision.shown[0].version.to_string(), decision.unmet.is_some(), decision.varies_with)
        };
        let both = vec!["group", "os_version"];
        assert_eq!(version_for(&says(false, None)), ("1.0.0".into(), true, both.clone()));
        assert_eq!(version_for(&says(false, Some(12))), ("1.1.0".into(), false, both.clone()));
        assert_eq!(version_for(&says(true, None)), ("1.2.0".into(), false, both));
        let half = Release { rollout: 50, seed: "seed".into(), ..release("1.1.0") };
        let state = State::new([release("1.0.0"), half]);
        let asks = Said { asks: true, ..Said::default() };
        let decision = state.decide(&version("0.1.0"), Asker::Device("device-1"), &asks);
        assert_eq!((decision.shown[0].version.to_string(), decision.let_in), ("1.1.0".into(), true));
    }

    #[test]
    fn the_newest_build_is_one_that_everybody_gets() {
        let half = Release { rollout: 50, ..release("1.1.0") };
        let held = Release { rollout: 0, ..release("1.2.0") };
        let newest = |releases: &[Release]| {
            State::new(releases.to_vec()).newest().map(|release| release.version.to_string())
        };
        assert_eq!(newest(&[release("1.0.0"), half.clone(), held.clone()]).as_deref(), Some("1.0.0"));
        assert_eq!(newest(&[half, held.clone()]).as_deref(), Some("1.1.0"));
        assert_eq!(newest(&[held]), None);
    }

    #[test]
    fn a_critical_release_on_the_way_counts() {
        let critical = Release { critical: true, ..release("1.1.0") };
        let state = State::new([release("1.0.0"), critical, release("1.2.0")]);
        assert!(state.decide(&version("1.0.0"), Asker::Chooser, &Said::default()).critical);
        assert!(!state.decide(&version("1.1.0"), Asker::Chooser, &Said::default()).critical);
    }
}
