//! Searching an owner's releases.

use spindrift_core::{
    AppName, ArchName, ChannelName, Course, Id, Listing, Package, Patch, PlatformName, ReleaseFlags,
    ReleaseState, StoredObject, Timestamp, Updater, Version,
};

use crate::artifacts::object;
use crate::offered::{self, OfferState, visible};
use crate::releases::flags;
use crate::row::{Row, to_json};
use crate::{SqlConn, SqlError, SqlValue, params};

/// Which releases to select; `None` means any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReleaseFilter {
    pub id: Option<Id>,
    pub app: Option<AppName>,
    /// Offered in this channel.
    pub channel: Option<ChannelName>,
    /// With an artifact for this platform. If `arch` is also set, one artifact must match both.
    pub platform: Option<PlatformName>,
    /// With an artifact for this architecture.
    pub arch: Option<ArchName>,
    /// Published or not.
    pub published: Option<bool>,
    /// The time as of which `published` is decided and releases are described.
    pub at: Timestamp,
    /// Critical or not.
    pub critical: Option<bool>,
    /// Only of these applications.
    pub apps: Option<Vec<Id>>,
}

impl ReleaseFilter {
    /// The condition that selects the releases. SQLite cannot use an index for a condition that may be
    /// absent, and would read all releases of the owner; the statement for these two has no such condition.
    fn sql(&self) -> String {
        let by_id = if self.id.is_some() { " AND r.id = ?9" } else { "" };
        let by_app = if self.app.is_some() {
            " AND r.app_id = (SELECT id FROM apps WHERE owner_id = ?1 AND name = ?2)"
        } else {
            ""
        };
        let published = visible("?10");
        format!("{FILTERED} AND (?6 IS NULL OR {published} = ?6){by_id}{by_app}")
    }

    fn params(&self, owner: &Id) -> Result<Vec<SqlValue>, SqlError> {
        Ok(Vec::from(params![
            owner,
            self.app.as_ref(),
            self.channel.as_ref(),
            self.platform.as_ref(),
            self.arch.as_ref(),
            self.published,
            self.critical,
            self.apps.as_ref().map(to_json).transpose()?,
            self.id.as_ref(),
            self.at
        ]))
    }
}

const FILTERED: &str = "\
FROM releases r JOIN apps a ON a.id = r.app_id LEFT JOIN channels c ON c.id = r.channel_id \
WHERE r.owner_id = ?1 AND (?2 IS NULL OR a.name = ?2) AND (?3 IS NULL OR c.name = ?3 OR EXISTS ( \
  SELECT 1 FROM promotions m JOIN channels n ON n.id = m.channel_id WHERE m.release_id = r.id AND n.name = ?3)) \
 AND ((?4 IS NULL AND ?5 IS NULL) OR EXISTS ( \
  SELECT 1 FROM artifacts x LEFT JOIN platforms p ON p.id = x.platform_id LEFT JOIN archs h ON h.id = x.arch_id \
  WHERE x.release_id = r.id AND (?4 IS NULL OR p.name = ?4) AND (?5 IS NULL OR h.name = ?5))) \
 AND (?7 IS NULL OR r.critical = ?7) \
 AND (?8 IS NULL OR r.app_id IN (SELECT value FROM json_each(?8))) AND (?9 IS NULL OR r.id = ?9)";

/// A matching release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRelease {
    pub id: Id,
    pub app: AppName,
    pub version: Version,
    /// The channel, if the owner uses channels.
    pub channel: Option<ChannelName>,
    /// How it is offered, at the time of the filter.
    pub flags: ReleaseFlags,
    pub rollout: Course,
    /// Whether clients see it, as of the time of the filter.
    pub state: ReleaseState,
    /// When it is scheduled to be published, if that is still to come.
    pub publish_at: Option<Timestamp>,
    /// Until when freezes hold its publication or its next step.
    pub held_until: Option<Timestamp>,
    /// Rises with every change to how it is offered.
    pub revision: i64,
    /// Release notes. Empty if there are none.
    pub changelog: String,
    /// When it was first recorded.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

fn found_release(row: &Row<'_>, at: Timestamp) -> Result<FoundRelease, SqlError> {
    let OfferState { is_published, publish_at, held_until, rollout } = OfferState::read(row, at)?;
    let is_withdrawn = row.get("is_withdrawn")?;
    Ok(FoundRelease {
        id: row.get("id")?,
        app: row.get("app")?,
        version: row.get("version")?,
        channel: row.get("channel")?,
        flags: ReleaseFlags { published: is_published, ..flags(row)? },
        rollout,
        state: ReleaseState::of(is_withdrawn, is_published, publish_at),
        publish_at,
        held_until,
        revision: row.get("revision")?,
        changelog: row.get("changelog")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

/// The number of the owner's releases that match the filter.
pub fn count(conn: &impl SqlConn, owner: &Id, filter: &ReleaseFilter) -> Result<u64, SqlError> {
    let rows = conn.run(&format!("SELECT count(*) AS count {}", filter.sql()), &filter.params(owner)?)?;
    Ok(rows.one(|row| row.get("count"))?.unwrap_or(0))
}

/// Which of the matching releases to return, and how much of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchPage {
    /// Maximum number of releases.
    pub limit: u32,
    /// Number of releases to skip.
    pub skip: u64,
    /// Whether to include release notes, which can take a megabyte each.
    pub has_notes: bool,
}

/// The releases that match the filter, highest version first. Without notes, `changelog` is empty.
pub fn page(
    conn: &impl SqlConn,
    owner: &Id,
    filter: &ReleaseFilter,
    part: SearchPage,
) -> Result<Vec<FoundRelease>, SqlError> {
    let sql = format!(
        "SELECT r.id, a.name AS app, r.version, c.name AS channel, r.critical, r.intermediate, {}, r.revision, \
          CASE WHEN ?13 THEN r.changelog ELSE '' END AS changelog, r.created_at, r.updated_at, \
          r.withdrawn_at IS NOT NULL AS is_withdrawn \
         {} ORDER BY r.version_key DESC, r.id DESC LIMIT ?11 OFFSET ?12",
        offered::columns(),
        filter.sql()
    );
    let mut params = filter.params(owner)?;
    params.push(part.limit.into());
    params.push(part.skip.into());
    params.push(part.has_notes.into());
    conn.run(&sql, &params)?.all(|row| found_release(row, filter.at))
}

/// A promoted release, in the channel to which it was promoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPromotion {
    pub release_id: Id,
    pub channel: ChannelName,
    /// The course of its rollout there.
    pub rollout: Course,
    /// Whether clients see it there, at the time of reading.
    pub state: ReleaseState,
    /// When it is scheduled to be published there, if that is still to come.
    pub publish_at: Option<Timestamp>,
    /// Until when freezes hold its publication or its next step there.
    pub held_until: Option<Timestamp>,
}

impl FoundRelease {
    /// The release as it is offered in the channel to which it was promoted.
    #[must_use]
    pub fn with_promotion(self, promotion: &FoundPromotion) -> Self {
        let FoundPromotion { channel, rollout, state, publish_at, held_until, .. } = promotion.clone();
        let flags = ReleaseFlags { published: state == ReleaseState::Published, ..self.flags };
        Self { channel: Some(channel), flags, rollout, state, publish_at, held_until, ..self }
    }
}

/// The promotions of these releases, by name of the channel.
pub fn promotions(
    conn: &impl SqlConn,
    releases: &[Id],
    at: Timestamp,
) -> Result<Vec<FoundPromotion>, SqlError> {
    let sql = format!(
        "SELECT r.id, c.name AS channel, r.withdrawn_at IS NOT NULL AS is_withdrawn, {} \
         FROM offers r JOIN channels c ON c.id = r.channel_id \
         WHERE r.is_promoted = 1 AND r.id IN (SELECT value FROM json_each(?1)) ORDER BY channel",
        offered::columns()
    );
    conn.run(&sql, &params![to_json(&releases)?])?.all(|row| {
        let OfferState { is_published, publish_at, held_until, rollout } = OfferState::read(row, at)?;
        let state = ReleaseState::of(row.get("is_withdrawn")?, is_published, publish_at);
        Ok(FoundPromotion {
            release_id: row.get("id")?,
            channel: row.get("channel")?,
            rollout,
            state,
            publish_at,
            held_until,
        })
    })
}

/// An artifact of a matching release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundArtifact {
    pub id: Id,
    pub release_id: Id,
    /// The platform, if the owner uses platforms.
    pub platform: Option<PlatformName>,
    /// The architecture, if the owner uses architectures.
    pub arch: Option<ArchName>,
    pub package: Package,
    /// The updater that it was published for.
    pub updater: Updater,
    pub object: StoredObject,
    /// In bytes.
    pub size: u64,
    /// Lower-case hex, verified by the storage.
    pub md5: String,
    /// Lower-case hex, if the uploader declared it.
    pub sha256: Option<String>,
    /// Lower-case hex, if the uploader declared it.
    pub sha512: Option<String>,
    /// Its description as a patch. `None` if it is not a patch.
    pub patch: Option<Patch>,
    /// Whether a signature was given at upload.
    pub has_signature: bool,
    /// Whether checks answer with it once its release is published.
    pub is_offered: bool,
    /// The event that made the current list current, if it is listed.
    pub listed_by: Option<Id>,
}

/// The artifacts of these releases, in the order in which they were recorded. An edit may refer to them by
/// position.
pub fn artifacts(conn: &impl SqlConn, releases: &[Id]) -> Result<Vec<FoundArtifact>, SqlError> {
    let rows = conn.run(
        "SELECT x.release_id, p.name AS platform, h.name AS arch, x.package, x.updater, x.bucket, x.storage_key, x.id, \
          x.size, x.md5, x.sha256, x.sha512, x.patch, x.signature IS NOT NULL AS has_signature, x.listing, \
          CASE x.listing WHEN 'listed' THEN (SELECT m.event_id FROM repository_metadata m \
           WHERE m.app_id = x.app_id AND m.role = 'targets' AND m.is_current = 1) END AS listed_by \
         FROM artifacts x LEFT JOIN platforms p ON p.id = x.platform_id LEFT JOIN archs h ON h.id = x.arch_id \
         WHERE x.release_id IN (SELECT value FROM json_each(?1)) AND x.copied_to IS NULL ORDER BY x.rowid",
        &params![to_json(&releases)?],
    )?;
    rows.all(|row| {
        Ok(FoundArtifact {
            id: row.get("id")?,
            release_id: row.get("release_id")?,
            platform: row.get("platform")?,
            arch: row.get("arch")?,
            package: row.get("package")?,
            updater: row.get("updater")?,
            object: object(row)?,
            size: row.get("size")?,
            md5: row.get("md5")?,
            sha256: row.get("sha256")?,
            sha512: row.get("sha512")?,
            patch: row.optional_json("patch")?,
            has_signature: row.get("has_signature")?,
            is_offered: row.get::<Listing>("listing")?.is_offered(),
            listed_by: row.get("listed_by")?,
        })
    })
}
