//! Whether artifacts are in the current signed metadata of their application. See
//! `docs/adr/0038-nothing-unlisted-is-offered.md`.

use std::sync::LazyLock;

use spindrift_core::{
    ArchName, ChannelName, Id, Listing, Package, PlatformName, PlatformUpdaters, Sha256Hex, Sha512Hex,
    StoredObject, Target, Timestamp, Version,
};

use crate::artifacts::object;
use crate::changes::Change;
use crate::offered::{FILES, OFFERED, visible};
use crate::row::{Row, to_json};
use crate::transaction::retry_while_locked;
use crate::{SqlConn, SqlError, SqlValue, params};

/// An artifact, with what matters for lists of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedArtifact {
    pub id: Id,
    pub version: Version,
    /// Whether the release is published.
    pub published: bool,
    /// Its channel, platform and architecture.
    pub target: Target,
    /// The channel's name. `None` if the owner uses no channels; likewise for the next two.
    pub channel: Option<ChannelName>,
    pub platform: Option<PlatformName>,
    pub arch: Option<ArchName>,
    pub package: Package,
    pub object: StoredObject,
    /// In bytes.
    pub size: u64,
    /// The recorded digests. `None` if one is missing or malformed.
    pub digests: Option<(Sha256Hex, Sha512Hex)>,
    /// Whether the digests were compared with the stored bytes. Otherwise they are only what the uploader
    /// declared.
    pub is_verified: bool,
    pub listing: Listing,
    /// Whether the service leaves it out of its lists, because a user asked for that or because it is about
    /// to be deleted.
    pub is_left_out: bool,
}

fn listed_artifact(row: &Row<'_>) -> Result<ListedArtifact, SqlError> {
    let sha256 = row.get::<Option<String>>("sha256")?.and_then(|text| text.parse().ok());
    let sha512 = row.get::<Option<String>>("sha512")?.and_then(|text| text.parse().ok());
    Ok(ListedArtifact {
        id: row.get("id")?,
        version: row.get("version")?,
        published: row.get("published")?,
        target: row.target()?,
        channel: row.get("channel")?,
        platform: row.get("platform")?,
        arch: row.get("arch")?,
        package: row.get("package")?,
        object: object(row)?,
        size: row.get("size")?,
        digests: sha256.zip(sha512),
        is_verified: row.get("digests_verified")?,
        listing: row.get("listing")?,
        is_left_out: row.get("left_out")?,
    })
}

/// Which artifacts of an application to select; `None` means any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListingFilter {
    /// Of the release with this version, in any spelling.
    pub version: Option<Version>,
    pub listing: Option<Listing>,
    /// With `version`: also those with this listing, whatever their version.
    pub also: Option<Listing>,
    /// Of published releases, or of unpublished ones.
    pub published: Option<bool>,
    /// The time as of which `published` is decided.
    pub at: Timestamp,
}

impl ListingFilter {
    fn params(&self, app: &Id) -> Vec<SqlValue> {
        Vec::from(params![
            app,
            self.version.as_ref().map(Version::sort_key),
            self.listing,
            self.published,
            self.also,
            self.at
        ])
    }
}

static FILTERED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WHERE x.app_id = ?1 AND r.app_id = ?1 AND (?2 IS NULL OR r.version_key = ?2 OR x.listing = ?5) \
          AND (?3 IS NULL OR x.listing = ?3) AND (?4 IS NULL OR {} = ?4)",
        visible("?6")
    )
});

const COLUMNS: &str = "x.id, r.version, r.version_key, x.rowid, r.channel_id, x.platform_id, x.arch_id, c.name AS channel, \
  p.name AS platform, h.name AS arch, x.package, x.bucket, x.storage_key, x.size, x.sha256, x.sha512, \
  x.digests_verified, x.listing, (x.left_out = 1 OR x.leaving_until IS NOT NULL) AS left_out";
const NAMED: &str = "LEFT JOIN channels c ON c.id = r.channel_id LEFT JOIN platforms p ON p.id = x.platform_id \
  LEFT JOIN archs h ON h.id = x.arch_id";

/// The artifacts that match a filter, newest release first.
fn select() -> String {
    format!(
        "SELECT {} AS published, {COLUMNS} FROM {FILES} {NAMED} {} {NEWEST_FIRST}",
        visible("?6"),
        *FILTERED
    )
}

const NEWEST_FIRST: &str = "ORDER BY r.version_key DESC, x.rowid";

/// The applications among `apps` whose signed metadata lists the files that checks offer. They have a current
/// root, and all files of the newest release in every channel, platform and architecture are listed.
pub fn signed_apps(conn: &impl SqlConn, apps: &[&Id], now: Timestamp) -> Result<Vec<Id>, SqlError> {
    if apps.is_empty() {
        return Ok(Vec::new());
    }
    let rows = conn.run(
        &format!(
            "WITH seen AS MATERIALIZED ( \
               SELECT x.app_id, r.channel_id, x.platform_id, x.arch_id, r.version_key \
               FROM json_each(?1) a CROSS JOIN {FILES} AND x.app_id = a.value \
               WHERE {OFFERED} AND {} AND r.rollout_bp > 0 \
             ), newest AS ( \
               SELECT app_id, channel_id, platform_id, arch_id, max(version_key) AS version_key \
               FROM seen GROUP BY app_id, channel_id, platform_id, arch_id \
             ) \
             SELECT a.value AS app_id FROM json_each(?1) a \
             WHERE EXISTS (SELECT 1 FROM repository_metadata m \
               WHERE m.app_id = a.value AND m.role = 'root' AND m.is_current = 1) \
              AND NOT EXISTS (SELECT 1 FROM newest n JOIN offers r ON r.app_id = n.app_id AND r.version_key = n.version_key \
                AND r.channel_id = n.channel_id \
               JOIN artifacts x ON x.release_id = r.id AND x.copied_to IS r.copied_to AND x.platform_id = n.platform_id \
                AND x.arch_id = n.arch_id \
               WHERE n.app_id = a.value AND {OFFERED} AND x.listing <> 'listed')",
            visible("?2")
        ),
        &params![to_json(&apps)?, now],
    )?;
    rows.all(|row| row.get("app_id"))
}

/// The artifacts of an application that match the filter, newest release first, in the order in which they
/// were recorded.
pub fn of_app(
    conn: &impl SqlConn,
    app: &Id,
    filter: &ListingFilter,
) -> Result<Vec<ListedArtifact>, SqlError> {
    conn.run(&select(), &filter.params(app))?.all(listed_artifact)
}

/// Like [`of_app`], at most `limit` artifacts after skipping `skip`.
pub fn page(
    conn: &impl SqlConn,
    app: &Id,
    filter: &ListingFilter,
    limit: u32,
    skip: u64,
) -> Result<Vec<ListedArtifact>, SqlError> {
    let sql = format!("{} LIMIT ?7 OFFSET ?8", select());
    let mut params = filter.params(app);
    params.push(limit.into());
    params.push(skip.into());
    conn.run(&sql, &params)?.all(listed_artifact)
}

/// The number of artifacts that match the filter.
pub fn count(conn: &impl SqlConn, app: &Id, filter: &ListingFilter) -> Result<u64, SqlError> {
    let sql = format!("SELECT count(*) AS count FROM {FILES} {}", *FILTERED);
    let rows = conn.run(&sql, &filter.params(app))?;
    Ok(rows.one(|row| row.get("count"))?.unwrap_or(0))
}

/// The name of the repository of an application. `Ok(None)` if it has none.
pub fn repository_name(conn: &impl SqlConn, app: &Id) -> Result<Option<String>, SqlError> {
    let rows = conn.run("SELECT name FROM repositories WHERE app_id = ?1", &params![app])?;
    rows.one(|row| row.get("name"))
}

/// A scope with published releases, and the updaters that its clients may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopePlace {
    /// The scope, by ids.
    pub target: Target,
    pub updaters: PlatformUpdaters,
}

/// The scopes of an application in which something is published as of a given time: its own, and those of
/// channels that include others.
pub fn places(conn: &impl SqlConn, app: &Id, at: Timestamp) -> Result<Vec<ScopePlace>, SqlError> {
    let sql = format!(
        "WITH own AS (SELECT DISTINCT r.channel_id, x.platform_id, x.arch_id \
           FROM {FILES} WHERE x.app_id = ?1 AND r.app_id = ?1 AND {}), \
          seen AS (SELECT channel_id, platform_id, arch_id FROM own \
           UNION SELECT i.channel_id, own.platform_id, own.arch_id \
           FROM own JOIN channel_includes i ON i.included_id = own.channel_id) \
         SELECT s.channel_id, s.platform_id, s.arch_id, p.updaters \
         FROM seen s LEFT JOIN platforms p ON p.id = s.platform_id",
        visible("?2")
    );
    let rows = conn.run(&sql, &params![app, at])?;
    rows.all(|row| {
        Ok(ScopePlace { target: row.target()?, updaters: row.optional_json("updaters")?.unwrap_or_default() })
    })
}

/// Sets the listing of artifacts. Skips artifacts that were deleted in the meantime.
pub fn set_listing(
    conn: &Change<'_, impl SqlConn>,
    artifacts: &[Id],
    listing: Listing,
) -> Result<(), SqlError> {
    conn.execute(
        "UPDATE artifacts SET listing = ?2 WHERE id IN (SELECT value FROM json_each(?1))",
        &params![to_json(&artifacts)?, listing],
    )
}

/// Sets whether the service leaves artifacts out of its lists. Returns whether there is anything to do: the
/// setting has changed, or an artifact that belongs in the list is not there yet.
pub fn leave_out(
    conn: &Change<'_, impl SqlConn>,
    artifacts: &[Id],
    is_left_out: bool,
) -> Result<bool, SqlError> {
    let sql = "UPDATE artifacts SET left_out = ?2 WHERE id IN (SELECT value FROM json_each(?1)) \
               AND (left_out <> ?2 OR (NOT ?2 AND listing <> 'listed')) RETURNING id";
    Ok(conn.run(sql, &params![to_json(&artifacts)?, is_left_out])?.exist())
}

/// Offers everything again, because the application no longer has signed metadata.
pub fn forget(conn: &Change<'_, impl SqlConn>, app: &Id) -> Result<(), SqlError> {
    conn.execute(
        "UPDATE artifacts SET listing = 'legacy', left_out = 0, leaving_until = NULL WHERE app_id = ?1",
        &params![app],
    )
}

/// Records that artifacts have the listing of the metadata of `revision`. `Ok(false)`: another revision is
/// current.
pub fn set_applied_revision(conn: &impl SqlConn, app: &Id, revision: i64) -> Result<bool, SqlError> {
    let rows = retry_while_locked(
        conn,
        "UPDATE repositories SET applied_revision = ?2 WHERE app_id = ?1 AND revision = ?2 RETURNING 1",
        &params![app, revision],
    )?;
    Ok(rows.exist())
}

/// Records the digests of an artifact's stored bytes.
pub fn set_digests(
    conn: &impl SqlConn,
    artifact: &Id,
    sha256: &Sha256Hex,
    sha512: &Sha512Hex,
) -> Result<(), SqlError> {
    retry_while_locked(
        conn,
        "UPDATE artifacts SET sha256 = ?2, sha512 = ?3, digests_verified = 1 WHERE id = ?1",
        &params![artifact, sha256, sha512],
    )
    .map(|_| ())
}
