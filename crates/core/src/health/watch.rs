//! The releases whose failures are watched.

use std::fmt;

use super::Series;
use crate::{Day, FailureReport, Id, Timestamp, Version};

/// Maximum number of watched releases of an application: its newest visible ones.
pub const MAX_WATCHED: u32 = 20;
/// How many days a fully rolled out release counts as under way.
pub const UNDER_WAY_DAYS: i64 = 14;
/// For how many days the failures of a round are counted.
pub const MAX_ROUND_DAYS: i64 = 28;
/// Maximum number of rounds that one report counts for: those of the channels that offer its
/// version, or those of newer releases.
const MAX_ROUNDS_OF_A_REPORT: usize = 2;

/// A round of a release, since whose start failures count. It begins when clients can first see the
/// release, and whenever somebody continues its rollout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The release.
    pub release: Id,
    /// When it began.
    pub since: Timestamp,
}

impl Round {
    /// Whether the failures of a release still count at a time.
    ///
    /// A release is under way for [`UNDER_WAY_DAYS`] after clients could first see it, and while it
    /// is not fully rolled out; a round ends after [`MAX_ROUND_DAYS`].
    pub fn is_under_way(&self, offered_at: Timestamp, is_complete: bool, now: Timestamp) -> bool {
        let is_over = |from: Timestamp, days: i64| from.plus_seconds(days * 24 * 60 * 60) <= now;
        !(is_over(self.since, MAX_ROUND_DAYS) || is_complete && is_over(offered_at, UNDER_WAY_DAYS))
    }
}

/// The form in keys. It begins with the time, so that keys of past rounds can be recognised.
impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.since.as_millis(), self.release)
    }
}

/// A release that is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedRelease {
    /// Its version.
    pub version: Version,
    /// The names of the owner's channels whose clients are not offered it.
    pub unreached: Vec<String>,
    /// Its round, while it is under way.
    pub round: Option<Round>,
}

impl WatchedRelease {
    fn reaches(&self, channel: &str) -> bool {
        !self.unreached.iter().any(|unreached| unreached == channel)
    }
}

/// A set of devices that a report's device is added to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bitmap {
    /// Its key in the key-value store.
    pub key: String,
    /// Its subject.
    pub of: BitmapPeriod,
}

/// The subject of a set of devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BitmapPeriod {
    /// A day: a new set begins on the next one.
    Day,
    /// A round.
    Round(Round),
}

/// The sets that a report's device is added to: at most three. None if the version that failed is not
/// watched.
pub fn bitmaps(watched: &[WatchedRelease], app: &Id, report: &FailureReport, day: Day) -> Vec<Bitmap> {
    let series = Series::of(report.event);
    let is_own = |release: &&WatchedRelease| release.version == report.version;
    let Some(own) = watched.iter().find(is_own) else { return Vec::new() };
    let mut subjects: Vec<&WatchedRelease> = match series {
        // One for each channel that offers the version.
        Series::Running => watched.iter().filter(is_own).collect(),
        Series::Updating => watched.iter().filter(|release| release.version > own.version).collect(),
    };
    subjects.sort_by(|one, other| other.version.cmp(&one.version));
    let reached = subjects.into_iter().filter(|release| release.reaches(report.channel.as_str()));
    let rounds = reached.filter_map(|release| release.round.as_ref()).take(MAX_ROUNDS_OF_A_REPORT);
    let name = series.as_str();
    let of_day = Bitmap {
        key: format!("failing.day.{app}.{}.{name}.{}", own.version, day.number()),
        of: BitmapPeriod::Day,
    };
    let of_round = |round: &Round| Bitmap {
        key: format!("failing.round.{round}.{name}"),
        of: BitmapPeriod::Round(round.clone()),
    };
    std::iter::once(of_day).chain(rounds.map(of_round)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventType;

    const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

    fn watched(version: &str, unreached: &[&str], round: Option<i64>) -> WatchedRelease {
        WatchedRelease {
            version: version.parse().unwrap(),
            unreached: unreached.iter().map(|name| (*name).to_owned()).collect(),
            round: round
                .map(|since| Round { release: Id::from_text(version), since: Timestamp::from_millis(since) }),
        }
    }

    fn report(version: &str, channel: &str, event: EventType) -> FailureReport {
        FailureReport {
            app: "notes".parse().unwrap(),
            version: version.parse().unwrap(),
            channel: channel.parse().unwrap(),
            platform: "linux".parse().unwrap(),
            arch: "amd64".parse().unwrap(),
            event,
            reason: "r".parse().unwrap(),
        }
    }

    fn keys(report: &FailureReport) -> Vec<String> {
        let releases = [
            watched("1.0", &["nightly"], None),
            watched("2.0", &["nightly"], Some(5)),
            watched("3.0", &["nightly", "stable"], Some(6)),
            watched("4.0", &["nightly"], Some(7)),
            watched("5.0", &["nightly"], Some(8)),
        ];
        let found = bitmaps(&releases, &Id::from_text("app"), report, Day::from_number(9));
        found.into_iter().map(|bitmap| bitmap.key).collect()
    }

    #[test]
    fn a_crash_counts_for_its_day_and_its_round() {
        let crash = |version, channel| keys(&report(version, channel, EventType::Crash));
        assert_eq!(crash("2.0", "stable"), ["failing.day.app.2.0.running.9", "failing.round.5:2.0.running"]);
        assert_eq!(crash("1.0", "stable"), ["failing.day.app.1.0.running.9"], "it is not under way");
        assert_eq!(crash("3.0", "stable"), ["failing.day.app.3.0.running.9"], "from another channel");
        assert_eq!(crash("0.9", "stable"), [""; 0], "it is not watched");
    }

    #[test]
    fn a_crash_counts_for_each_channel_that_offers_the_version_to_it() {
        let releases = [
            watched("2.0", &["stable"], Some(5)),
            watched("2.0", &["beta"], Some(6)),
            watched("2.0", &[], Some(7)),
        ];
        let rounds = |channel: &str| {
            let report = report("2.0", channel, EventType::Crash);
            let found = bitmaps(&releases, &Id::from_text("app"), &report, Day::from_number(9));
            let keys = found.into_iter().skip(1).map(|bitmap| bitmap.key);
            keys.collect::<Vec<_>>().join(" ").replace("failing.round.", "").replace(":2.0.running", "")
        };
        assert_eq!(["beta", "stable", "nightly"].map(rounds), ["5 7", "6 7", "5 6"]);
    }

    #[test]
    fn a_failed_update_counts_for_the_two_newest_releases_that_it_can_be_about() {
        let update = |version, channel| keys(&report(version, channel, EventType::InstallFailure));
        assert_eq!(
            update("1.0", "stable"),
            [
                "failing.day.app.1.0.updating.9",
                "failing.round.8:5.0.updating",
                "failing.round.7:4.0.updating"
            ]
        );
        assert_eq!(update("4.0", "beta").len(), 2);
        assert_eq!(update("5.0", "stable"), ["failing.day.app.5.0.updating.9"], "nothing is newer");
        assert_eq!(update("1.0", "unknown").len(), 3, "a channel of nobody may be any");
        assert_eq!(update("1.0", "nightly").len(), 1);
    }

    #[test]
    fn releases_are_under_way_for_a_while() {
        let ago = |days: i64| NOW.plus_seconds(-days * 24 * 60 * 60);
        for (since, offered_at, is_complete, is_under_way) in [
            (13, 13, true, true),
            (14, 14, true, false),
            (20, 20, false, true),
            (28, 28, false, false),
            (1, 28, false, true),
            (1, 28, true, false),
        ] {
            let round = Round { release: Id::from_text("r"), since: ago(since) };
            let found = round.is_under_way(ago(offered_at), is_complete, NOW);
            assert_eq!(found, is_under_way, "{since} {offered_at} {is_complete}");
        }
    }
}
