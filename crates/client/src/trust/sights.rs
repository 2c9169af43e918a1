//! Since when newer versions have been listed.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use spindrift_core::Version;

/// A newer version that is listed, and that checks do not offer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Withheld {
    /// The newest such version.
    pub version: String,
    /// When this installed copy first saw it listed, or was last offered it.
    pub since: SystemTime,
}

/// Listed versions that are newer than the installed one, with the Unix second since which they have not been
/// offered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sights(BTreeMap<String, u64>);

impl Sights {
    /// The sights after a look at `now`, in Unix seconds, at which these versions were listed. An offer
    /// counts for its version and all older ones. Versions that are no longer listed are forgotten.
    pub(super) fn after<'a>(
        &self,
        listed: impl IntoIterator<Item = &'a Version>,
        offered: Option<&Version>,
        now: u64,
    ) -> Self {
        let since = |version: &Version| match offered {
            Some(offered) if version <= offered => now,
            // A sight in the future is from a time at which the clock was wrong.
            _ => self.0.get(version.as_str()).map_or(now, |since| now.min(*since)),
        };
        Self(listed.into_iter().map(|version| (version.as_str().to_owned(), since(version))).collect())
    }

    /// The newest version above the offered one that has not been offered for this long.
    pub(super) fn withheld(
        &self,
        offered: Option<&Version>,
        withheld_after: Duration,
        now: u64,
    ) -> Option<Withheld> {
        let versions =
            self.0.iter().filter_map(|(text, since)| Some((text.parse::<Version>().ok()?, *since)));
        let withheld = versions.filter(|(version, since)| {
            offered.is_none_or(|offered| version > offered)
                && now.saturating_sub(*since) >= withheld_after.as_secs()
        });
        let (version, since) = withheld.max_by(|(a, _), (b, _)| a.cmp(b))?;
        let since = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(since))?;
        Some(Withheld { version: version.as_str().to_owned(), since })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60;
    const AFTER: Duration = crate::WITHHELD_AFTER;

    fn v(text: &str) -> Version {
        text.parse().unwrap()
    }

    fn days(sights: &Sights, offered: Option<&str>, now: u64) -> Option<(String, u64)> {
        let withheld = sights.withheld(offered.map(v).as_ref(), AFTER, now * DAY)?;
        let since = withheld.since.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        Some((withheld.version, since.as_secs() / DAY))
    }

    #[test]
    fn a_version_is_withheld_after_two_weeks() {
        let listed = [v("1.1.0"), v("1.2.0")];
        let first = Sights::default().after(&listed[..1], None, 100 * DAY);
        let second = first.after(&listed, None, 110 * DAY);
        assert_eq!(days(&second, None, 113), None);
        assert_eq!(days(&second, None, 114), Some(("1.1.0".to_owned(), 100)));
        assert_eq!(days(&second, None, 124), Some(("1.2.0".to_owned(), 110)));
        assert_eq!(days(&second, Some("1.1.0"), 123), None);
        assert_eq!(days(&second, Some("1.1.0"), 124), Some(("1.2.0".to_owned(), 110)));
        assert_eq!(days(&second, Some("1.2.0"), 200), None);
    }

    #[test]
    fn an_offer_restarts_the_time() {
        let listed = [v("1.1.0"), v("1.2.0")];
        let sights = Sights::default().after(&listed, None, 100 * DAY);
        let sights = sights.after(&listed, Some(&listed[0]), 110 * DAY);
        assert_eq!(days(&sights, None, 114), Some(("1.2.0".to_owned(), 100)));
        let sights = sights.after(&listed[..1], None, 120 * DAY);
        assert_eq!(days(&sights, None, 123), None);
        assert_eq!(days(&sights, None, 124), Some(("1.1.0".to_owned(), 110)), "1.2.0 is not listed any more");
    }

    #[test]
    fn a_sight_in_the_future_is_one_of_now() {
        let listed = [v("1.1.0")];
        let sights = Sights::default().after(&listed, None, 1000 * DAY).after(&listed, None, 100 * DAY);
        assert_eq!(days(&sights, None, 114), Some(("1.1.0".to_owned(), 100)));
    }
}
