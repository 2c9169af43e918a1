//! Finds the previous release.

use spindrift_api::{ReleaseEntry, SearchBody};
use spindrift_core::Version;

use crate::{Address, Context, Result};

/// Page size of the search. Usually the first page is enough.
const PAGE: u32 = 25;
/// Maximum number of pages to read, so that predecessors of older releases are found too.
const MAX_PAGES: u32 = 8;

/// The version that clients of the channel were offered before: the highest lower one that is
/// published there. Also `None` if it is not among the newest releases.
pub(super) async fn previous_version(
    context: &Context<'_>,
    release: &ReleaseEntry,
) -> Result<Option<String>> {
    for page in 1..=MAX_PAGES {
        let call = Address::call("/search")
            .with("app_name", &release.app_name)
            .with("channel", &release.channel)
            .with("state", "published")
            .with("changelog", false)
            .with("limit", PAGE)
            .with("page", page);
        let found: SearchBody = context.service.get(&call).await?;
        if let Some(lower) = highest_lower(release, &found.items) {
            return Ok(Some(lower.to_owned()));
        }
        if u64::from(page * PAGE) >= found.total {
            break;
        }
    }
    Ok(None)
}

/// `others`: highest version first. Contains at least the releases that the channel offers.
fn highest_lower<'r>(release: &ReleaseEntry, others: &'r [ReleaseEntry]) -> Option<&'r str> {
    let own: Version = release.version.parse().ok()?;
    let is_lower = |other: &&ReleaseEntry| {
        let is_offered = other.channel == release.channel || other.channels.contains(&release.channel);
        is_offered && other.version.parse::<Version>().is_ok_and(|other| other < own)
    };
    others.iter().find(is_lower).map(|other| other.version.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(version: &str, channel: &str) -> ReleaseEntry {
        serde_json::from_value(serde_json::json!({
            "ID": "1", "AppName": "notes", "Version": version, "Channel": channel, "Published": true,
            "Critical": false, "Intermediate": false, "Artifacts": [], "Changelog": [], "Created_at": "t",
            "Updated_at": "t", "RolloutPercent": 100, "RolloutState": "complete", "BasisPoints": 10_000, "Revision": 1, "State": "published", "RolloutSeed": "",
        }))
        .unwrap()
    }

    #[test]
    fn the_release_before_is_of_the_same_channel() {
        let all = [
            release("2.1.0", "stable"),
            release("2.0.0", "stable"),
            release("2.0.0-beta.7", ""),
            release("1.9.0", "stable"),
        ];
        assert_eq!(highest_lower(&release("2.0.0", "stable"), &all), Some("1.9.0"));
        assert_eq!(highest_lower(&release("2.0.0", ""), &all), Some("2.0.0-beta.7"));
        assert_eq!(highest_lower(&release("1.9.0", "stable"), &all), None);
    }
}
