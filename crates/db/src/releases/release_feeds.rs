//! Feeds of releases, from which the answers for clients of native updaters are made.

use spindrift_core::feeds::ReleaseFeed;
use spindrift_core::{ArchName, FileName, Id, StoredObject, Target, Timestamp, Updater, Version};

use crate::artifacts::object;
use crate::changes::Change;
use crate::offered::{FILES, OFFERED, visible};
use crate::row::{Row, target_ids, to_json};
use crate::scopes::IN_CHANNEL;
use crate::{SqlConn, SqlError, SqlValue, params};

/// Inserts the feed of a release in one platform and architecture, or replaces it.
pub fn upsert(
    conn: &Change<'_, impl SqlConn>,
    release: &Id,
    app: &Id,
    target: &Target,
    file_name: &FileName,
    feed: &ReleaseFeed,
) -> Result<(), SqlError> {
    let [_, platform, arch] = target_ids(target);
    conn.execute(
        "INSERT INTO release_feeds (release_id, app_id, platform_id, arch_id, updater, file_name, feed) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (release_id, platform_id, arch_id, updater) \
         DO UPDATE SET file_name = excluded.file_name, feed = excluded.feed",
        &params![release, app, platform, arch, feed.updater(), file_name, to_json(feed)?],
    )
}

/// The name under which the feed of a release was uploaded, for an updater in one platform and architecture.
pub fn file_name(
    conn: &impl SqlConn,
    release: &Id,
    target: &Target,
    updater: Updater,
) -> Result<Option<FileName>, SqlError> {
    let [_, platform, arch] = target_ids(target);
    let rows = conn.run(
        "SELECT file_name FROM release_feeds \
         WHERE release_id = ?1 AND platform_id = ?2 AND arch_id = ?3 AND updater = ?4",
        &params![release, platform, arch, updater],
    )?;
    rows.one(|row| row.get("file_name"))
}

/// A feed of a published release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedFeed {
    pub release_id: Id,
    /// The architecture, if the application uses architectures.
    pub arch: Option<(Id, ArchName)>,
    /// The name under which it was uploaded.
    pub file_name: FileName,
    pub feed: ReleaseFeed,
}

/// The feeds of an updater from the releases that are published as of a given time in the channel and
/// platform of `target`, for all architectures: first for that of the target, then by name.
pub fn published(
    conn: &impl SqlConn,
    app: &Id,
    target: &Target,
    updater: Updater,
    at: Timestamp,
) -> Result<Vec<PublishedFeed>, SqlError> {
    let [channel, platform, arch] = target_ids(target);
    let rows = conn.run(
        &format!(
            "SELECT f.release_id, f.arch_id, h.name AS arch, f.file_name, f.feed \
             FROM release_feeds f LEFT JOIN archs h ON h.id = f.arch_id \
             WHERE f.app_id = ?1 AND f.updater = ?5 AND f.platform_id = ?3 \
              AND f.release_id IN (SELECT r.id FROM offers r WHERE r.app_id = ?1 AND {IN_CHANNEL} AND {}) \
             ORDER BY f.arch_id <> ?4, h.name",
            visible("?6")
        ),
        &params![app, channel, platform, arch, updater, at],
    )?;
    rows.all(|row| {
        Ok(PublishedFeed {
            release_id: row.get("release_id")?,
            arch: row.get::<Option<_>>("arch_id")?.zip(row.get("arch")?),
            file_name: row.get("file_name")?,
            feed: row.json("feed")?,
        })
    })
}

/// A file that a feed names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferencedFile {
    /// A file of a published release.
    Published(StoredObject),
    /// The file exists only in a withdrawn release.
    Withdrawn,
}

fn feed_file(row: &Row<'_>) -> Result<ReferencedFile, SqlError> {
    if row.get("is_withdrawn")? {
        Ok(ReferencedFile::Withdrawn)
    } else {
        object(row).map(ReferencedFile::Published)
    }
}

/// The file with this name from the newest release in `target` that is published as of a given time and has
/// the file and a feed, or else from a withdrawn release. With `version`, only from that release.
pub fn newest_file(
    conn: &impl SqlConn,
    app: &Id,
    target: &Target,
    version: Option<&Version>,
    file_name: &FileName,
    at: Timestamp,
) -> Result<Option<ReferencedFile>, SqlError> {
    let [channel, platform, arch] = target_ids(target);
    let rows = conn.run(
        &format!(
            "SELECT x.bucket, x.storage_key, r.withdrawn_at IS NOT NULL AS is_withdrawn, r.version_key, r.channel_id <> ?2 AS is_included \
             FROM {FILES} \
             WHERE x.app_id = ?1 AND x.platform_id = ?3 AND x.arch_id = ?4 AND {IN_CHANNEL} \
              AND ({} OR r.withdrawn_at IS NOT NULL) AND {OFFERED} AND x.file_name = ?5 AND (?7 IS NULL OR r.version_key = ?7) \
              AND EXISTS (SELECT 1 FROM release_feeds f WHERE f.release_id = x.release_id \
               AND f.platform_id = x.platform_id AND f.arch_id = x.arch_id) \
             ORDER BY is_withdrawn, r.version_key DESC, is_included LIMIT 1",
            visible("?6")
        ),
        &params![app, channel, platform, arch, file_name, at, version.map(Version::sort_key)],
    )?;
    rows.one(feed_file)
}

/// The file, together with a feed of `updater`, from the newest release of any channel that is published as
/// of a given time, or else from a withdrawn release. `names` are owner, application, platform, architecture
/// and file; an unused dimension is `default`.
pub fn newest_package(
    conn: &impl SqlConn,
    names: [&str; 5],
    updater: Updater,
    at: Timestamp,
) -> Result<Option<ReferencedFile>, SqlError> {
    let [owner, app, platform, arch, file] = names.map(SqlValue::from);
    let rows = conn.run(
        &format!(
            "SELECT x.bucket, x.storage_key, r.withdrawn_at IS NOT NULL AS is_withdrawn, r.version_key FROM users u JOIN apps a ON a.owner_id = u.id AND a.name = ?2 \
              JOIN artifacts x ON x.app_id = a.id AND x.file_name = ?5 AND {OFFERED} \
              JOIN offers r ON r.id = x.release_id AND x.copied_to IS r.copied_to AND ({} OR r.withdrawn_at IS NOT NULL) \
              LEFT JOIN platforms p ON p.id = x.platform_id LEFT JOIN archs h ON h.id = x.arch_id \
             WHERE u.username = ?1 AND u.owner_id IS NULL AND coalesce(p.name, 'default') = ?3 \
              AND coalesce(h.name, 'default') = ?4 AND EXISTS (SELECT 1 FROM release_feeds f \
               WHERE f.release_id = x.release_id AND f.platform_id = x.platform_id AND f.arch_id = x.arch_id \
                AND f.updater = ?6) \
             ORDER BY is_withdrawn, r.version_key DESC LIMIT 1",
            visible("?7")
        ),
        &params![owner, app, platform, arch, file, updater, at],
    )?;
    rows.one(feed_file)
}

pub fn delete_of_release(conn: &Change<'_, impl SqlConn>, release: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM release_feeds WHERE release_id = ?1", &params![release])
}
