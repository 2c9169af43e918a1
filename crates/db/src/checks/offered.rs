//! The releases and artifacts that clients may be offered. See
//! `docs/adr/0038-nothing-unlisted-is-offered.md`, `docs/adr/0054-stops-are-part-of-the-record.md` and
//! `docs/adr/0058-a-promotion-is-a-further-offer.md`.

use spindrift_core::{Course, Timestamp, held_until};

use crate::SqlError;
use crate::courses::{self, course};
use crate::row::Row;

/// The artifacts `x`, joined with the offers `r` through which clients get them.
///
/// SQLite uses an index in each of the view's two tables if a statement selects all columns that it orders by
/// and computes no sums. Otherwise it first reads the whole view, unless `r` has a condition that compares
/// with a parameter. For this reason sums are computed from a materialized part of a statement. A test counts
/// the rows that calls read without an index.
pub(crate) const FILES: &str =
    "artifacts x JOIN offers r ON r.id = x.release_id AND x.copied_to IS r.copied_to";

/// A condition on offers `r`: clients see them as of the time in this parameter. Until maintenance publishes
/// a release whose time has come, only `publish_at` shows that it is published.
pub(crate) fn visible(now: &str) -> String {
    visible_of("r", now)
}

/// Like [`visible`], for another alias.
pub(crate) fn visible_of(alias: &str, now: &str) -> String {
    format!("({alias}.published = 1 OR coalesce({alias}.publish_at <= {now}, 0))")
}

/// A condition on offers `r`: every device may get the release, as of the last write.
pub(crate) const FOR_ALL: &str = "(r.rollout_bp >= 10000 AND r.rollout_state <> 'halted')";

/// The columns of [`OfferState`], for the alias `r` of `offers`.
pub(crate) fn columns() -> String {
    format!("r.published, r.publish_at, r.planned_at, {}", courses::COLUMNS)
}

/// How a release is offered as of a given time.
pub(crate) struct OfferState {
    /// Whether clients see it.
    pub(crate) is_published: bool,
    /// When clients will see it, if that is later.
    pub(crate) publish_at: Option<Timestamp>,
    /// Until when freezes hold its publication or its next step.
    pub(crate) held_until: Option<Timestamp>,
    pub(crate) rollout: Course,
}

impl OfferState {
    /// Reads a row with [`columns`].
    pub(crate) fn read(row: &Row<'_>, at: Timestamp) -> Result<Self, SqlError> {
        let (is_published, publish_at) =
            (row.get::<bool>("published")?, row.get::<Option<Timestamp>>("publish_at")?);
        let rollout = course(row)?;
        let (is_published, publish_at, rollout) = match publish_at.filter(|time| *time <= at && !is_published)
        {
            Some(time) => (true, None, rollout.with_visibility(true, time)),
            None => (is_published, publish_at, rollout),
        };
        let held_until = held_until(publish_at, row.get("planned_at")?, &rollout, at);
        Ok(Self { is_published, publish_at, held_until, rollout })
    }
}

/// Which published artifacts to include.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishedArtifacts {
    /// Artifacts that checks offer.
    Offered,
    /// All artifacts that the service may list, as if they were listed.
    Listable,
}

impl PublishedArtifacts {
    /// The condition on artifacts `x`.
    pub(crate) const fn condition(self) -> &'static str {
        match self {
            Self::Offered => OFFERED,
            Self::Listable => "x.left_out = 0 AND x.leaving_until IS NULL",
        }
    }
}

/// A condition on artifacts `x`: checks answer with them once their release is published.
pub(crate) const OFFERED: &str = "x.listing <> 'unlisted'";

/// The listing of a new artifact of the application `?3`: once the application has a root, nothing is offered
/// before it is listed.
pub(crate) const OF_NEW: &str = "CASE WHEN EXISTS (SELECT 1 FROM repository_metadata \
  WHERE app_id = ?3 AND role = 'root' AND is_current = 1) THEN 'unlisted' ELSE 'legacy' END";

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// A statement that reads only the column would miss a scheduled release until maintenance has run.
    #[test]
    fn no_other_file_asks_whether_a_release_is_published() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut others = files.filter(|path| path.is_file() && !path.ends_with("offered.rs")).peekable();
        assert!(others.peek().is_some());
        for path in others {
            let text = fs::read_to_string(&path).unwrap();
            for condition in ["published = 1", "published = 0", "published=1"] {
                assert!(!text.contains(condition), "{}: {condition}", path.display());
            }
        }
    }
}
