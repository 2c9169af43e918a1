//! When a release was first published.

use jiff::Timestamp;

use super::wire::FaynoSyncRelease;

/// Number of hexadecimal digits in an object id of `MongoDB`.
const OBJECT_ID_DIGITS: usize = 24;
/// How many of the leading digits are the time in seconds.
const TIME_DIGITS: usize = 8;

/// When the release was first published, in RFC 3339. The old server does not report it, but the id
/// of a release contains its creation time. Without such an id, the date of the release notes or of
/// the last change is used. `None`: no date is known.
pub(super) fn first_published(release: &FaynoSyncRelease) -> Option<String> {
    let of_id = || {
        let id = Some(&release.id).filter(|id| id.len() == OBJECT_ID_DIGITS && id.is_ascii())?;
        let seconds = i64::from_str_radix(id.get(..TIME_DIGITS)?, 16).ok()?;
        Timestamp::from_second(seconds).ok()
    };
    let of_notes = || format!("{}T00:00:00Z", release.changelog.first()?.date).parse().ok();
    let of_change = || release.updated_at.parse().ok();
    of_id().or_else(of_notes).or_else(of_change).map(|time: Timestamp| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::faynosync::wire::FaynoSyncChanges;

    #[test]
    fn the_best_known_date() {
        let date = |id: &str, day: &str, updated_at: &str| {
            let changelog = vec![FaynoSyncChanges { date: day.into(), ..FaynoSyncChanges::default() }];
            first_published(&FaynoSyncRelease {
                id: id.into(),
                changelog,
                updated_at: updated_at.into(),
                ..FaynoSyncRelease::default()
            })
        };
        let change = "2024-05-06T07:08:09.123Z";
        for (id, day, change, expected) in [
            ("653a544e4bd2c5f6b0a1c2d3", "2024-01-02", change, Some("2023-10-26T11:58:06Z")),
            ("653a544", "2024-01-02", change, Some("2024-01-02T00:00:00Z")),
            ("zzzzzzzzzzzzzzzzzzzzzzzz", "2024-01-02", change, Some("2024-01-02T00:00:00Z")),
            ("", "January", change, Some("2024-05-06T07:08:09.123Z")),
            ("", "", "", None),
        ] {
            assert_eq!(date(id, day, change).as_deref(), expected, "{id}");
        }
    }
}
