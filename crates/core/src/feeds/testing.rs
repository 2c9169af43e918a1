//! Helpers for the tests of the formats.

use super::{FeedLinks, FeedRelease, UploadFacts};
use crate::{
    BasisPoints, Conditions, Decision, FileEntry, FileName, Id, Md5Digest, PlatformUpdaters, Rollout, Scope,
    ScopeArtifact, ScopeRecord, ScopeRelease, Stops, Timestamp, VariesWith, Version, Widening, position,
};

pub(super) fn version(text: &str) -> Version {
    text.parse().unwrap()
}

/// A file with a declared length.
pub(super) fn file(name: &str, length: u64) -> FileEntry {
    FileEntry {
        name: name.parse().unwrap(),
        md5: Md5Digest::from_bytes([0; 16]),
        sha256: None,
        sha512: None,
        length: Some(length),
    }
}

pub(super) fn names(names: &[&str]) -> Vec<FileName> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// The facts of a fully rolled out upload into a scope without files.
pub(super) fn facts<'a>(version: &'a Version, files: &'a [FileEntry]) -> UploadFacts<'a> {
    UploadFacts { version, files, stored: &[], has_archs: false, rollout: BasisPoints::ALL }
}

/// A URL with a character that has to be encoded.
pub(super) fn link(file_name: &str) -> String {
    format!("https://cdn.example/My App/{file_name}")
}

impl<F: Fn(&str) -> String> FeedLinks for F {
    fn link(&self, file_name: &str) -> String {
        self(file_name)
    }
}

/// A stored release: version, percentage, feed.
pub(super) type Stored<F> = (Version, u8, F);

pub(super) fn offered<F>(stored: &[Stored<F>]) -> Vec<FeedRelease<'_, F>> {
    stored.iter().map(|(version, rollout, feed)| offered_one(version, *rollout, feed)).collect()
}

pub(super) fn offered_one<'a, F>(version: &'a Version, rollout: u8, feed: &'a F) -> FeedRelease<'a, F> {
    FeedRelease {
        version,
        arch: None,
        rollout: BasisPoints::from_percent(rollout),
        feed_name: "feed",
        feed,
        links: &link,
    }
}

/// The application `App` without channels, platforms and architectures.
pub(super) fn scope() -> Scope {
    Scope {
        owner: "acme".parse().unwrap(),
        app: "App".parse().unwrap(),
        channel: None,
        platform: None,
        arch: None,
    }
}

/// A release with an artifact `a.{package}` for each package and signature.
pub(crate) fn release(version: &str, artifacts: &[(&str, Option<&str>)]) -> ScopeRelease {
    let artifact = |(package, signature): &(&str, Option<&str>)| ScopeArtifact {
        package: package.parse().unwrap(),
        url: format!("https://h.example/a.{package}"),
        signature: signature.map(str::to_owned),
        content: None,
        patches: Vec::new(),
    };
    ScopeRelease {
        version: version.parse().unwrap(),
        intermediate: false,
        rollout: Rollout::fixed(BasisPoints::ALL, "s".into()),
        changelog: String::new(),
        released_at: Timestamp::from_millis(0),
        artifacts: artifacts.iter().map(artifact).collect(),
        conditions: Conditions::default(),
    }
}

/// A record of these releases, newest first. `critical`: versions, oldest first.
pub(crate) fn scope_record(releases: Vec<ScopeRelease>, critical: Vec<Version>) -> ScopeRecord {
    ScopeRecord {
        app_id: Id::from_text("app"),
        cdn: false,
        derived_at: Timestamp::from_millis(0),
        read_at: Timestamp::from_millis(0),
        revision: 1,
        link_settings: 0,
        stands_for: None,
        updaters: PlatformUpdaters::default(),
        releases,
        critical,
        stops: Stops::default(),
        valid_until: None,
        groups: Vec::new(),
    }
}

/// A random rollout with the seed `seed`: a percentage of 0, 30 or 100, sometimes with steps in the
/// seconds after the epoch, sometimes halted. `staged`: about one in this many is for a part of the
/// devices.
pub(crate) fn random_rollout(numbers: &mut Numbers, staged: usize) -> Rollout {
    let percent = if numbers.below(staged) == 0 { *numbers.pick(&[0, 30]) } else { 100 };
    let mut rollout = Rollout::fixed(BasisPoints::from_percent(percent), "seed".into());
    if percent < 100 && numbers.below(2) == 0 {
        let mut seconds = 0;
        for to in [5_000, 10_000].into_iter().take(1 + numbers.below(2)) {
            seconds += 1 + i64::try_from(numbers.below(10)).unwrap();
            let at = Timestamp::from_millis(0).plus_seconds(seconds);
            rollout.later.push(Widening { at, to: BasisPoints::new(to).unwrap() });
        }
    }
    rollout.is_halted = numbers.below(10) == 0;
    rollout
}

/// Times before, between and after the steps of random rollouts.
pub(crate) fn some_times() -> impl Iterator<Item = Timestamp> + Clone {
    (0..22).step_by(3).map(|seconds| Timestamp::from_millis(0).plus_seconds(seconds))
}

/// A device whose position is in a range of percentages for the seed `seed`.
pub(crate) fn device_in(range: std::ops::Range<u16>) -> String {
    let is_in = |device: &String| range.contains(&(position(device, "seed") / 100));
    (0..10_000).map(|n| format!("device-{n}")).find(is_in).unwrap()
}

/// The decision to update to the release.
pub(super) const fn decision(release: &ScopeRelease) -> Decision<'_> {
    Decision {
        release: Some(release),
        update_available: true,
        critical: false,
        possible_rollback: false,
        fallback: None,
        withdrawn: None,
        shut_off: false,
        skips_rollout: false,
        unmet: None,
        varies_with: VariesWith { group: false, os_version: false },
    }
}

/// Pseudo-random numbers for tests that try many cases; the same sequence every time.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// A number below `bound`, which must not be 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    /// A random element.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
