//! The data that update checks need from the database.

use spindrift_core::{
    AppFlags, ArchName, ChannelName, FileName, Id, Package, PlatformName, PlatformUpdaters, Rollout, Scope,
    StoredObject, Target, Timestamp, Version,
};

use crate::apps::flags;
use crate::artifacts::object;
use crate::offered::Seen;
use crate::releases::rollout;
use crate::row::id_or_empty;
use crate::{SqlConn, SqlError};

/// The result of looking up one dimension of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dimension {
    /// The owner has the dimension that the scope names.
    Known(Id),
    /// The owner does not have the dimension that the scope names.
    Unknown,
    /// The scope names none, and the owner has none.
    Unused,
    /// The scope names none, but the owner has some.
    Required,
}

/// The result of looking up a scope's names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeNames {
    /// The owner's identifier.
    pub owner_id: Id,
    /// The owner's revision at the time of reading.
    pub revision: i64,
    /// The application, if the owner has it.
    pub app: Option<(Id, AppFlags)>,
    /// The channel.
    pub channel: Dimension,
    /// The platform.
    pub platform: Dimension,
    /// The platform's updaters, if the platform is known.
    pub updaters: Option<PlatformUpdaters>,
    /// The architecture.
    pub arch: Dimension,
}

const NAMES: &str = "\
SELECT u.id, u.revision, a.id AS app_id, a.private, a.tuf, a.reports, a.cdn, \
 (SELECT id FROM channels WHERE owner_id = u.id AND name = ?3) AS channel_id, \
 EXISTS (SELECT 1 FROM channels WHERE owner_id = u.id) AS has_channels, \
 p.id AS platform_id, EXISTS (SELECT 1 FROM platforms WHERE owner_id = u.id) AS has_platforms, p.updaters, \
 (SELECT id FROM archs WHERE owner_id = u.id AND name = ?5) AS arch_id, \
 EXISTS (SELECT 1 FROM archs WHERE owner_id = u.id) AS has_archs \
FROM users u LEFT JOIN apps a ON a.owner_id = u.id AND a.name = ?2 \
 LEFT JOIN platforms p ON p.owner_id = u.id AND p.name = ?4 \
WHERE u.username = ?1 AND u.owner_id IS NULL";

/// Looks up the names of `scope`. `Ok(None)`: there is no such owner.
pub fn names(conn: &impl SqlConn, scope: &Scope) -> Result<Option<ScopeNames>, SqlError> {
    let channel = scope.channel.as_ref().map(ChannelName::as_str);
    let platform = scope.platform.as_ref().map(PlatformName::as_str);
    let arch = scope.arch.as_ref().map(ArchName::as_str);
    let rows = conn.run(
        NAMES,
        &[
            scope.owner.as_str().into(),
            scope.app.as_str().into(),
            channel.into(),
            platform.into(),
            arch.into(),
        ],
    )?;
    rows.one(|row| {
        let app = match row.get("app_id")? {
            Some(id) => Some((id, flags(row)?)),
            None => None,
        };
        Ok(ScopeNames {
            owner_id: row.get("id")?,
            revision: row.get("revision")?,
            app,
            channel: dimension(channel.is_some(), row.get("channel_id")?, row.get("has_channels")?),
            platform: dimension(platform.is_some(), row.get("platform_id")?, row.get("has_platforms")?),
            updaters: row.optional_json("updaters")?,
            arch: dimension(arch.is_some(), row.get("arch_id")?, row.get("has_archs")?),
        })
    })
}

fn dimension(named: bool, id: Option<Id>, any: bool) -> Dimension {
    match (named, id, any) {
        (true, Some(id), _) => Dimension::Known(id),
        (true, None, _) => Dimension::Unknown,
        (false, _, true) => Dimension::Required,
        (false, _, false) => Dimension::Unused,
    }
}

/// A published release with one of its artifacts in a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedArtifact {
    /// The release's identifier.
    pub release_id: Id,
    /// The release's version.
    pub version: Version,
    /// Whether the release is critical.
    pub critical: bool,
    /// Whether clients must not skip the release.
    pub intermediate: bool,
    /// The release's rollout.
    pub rollout: Rollout,
    /// The release's changelog.
    pub changelog: String,
    /// When the release was first recorded.
    pub released_at: Timestamp,
    /// The artifact's package.
    pub package: Package,
    /// The artifact's file name.
    pub file_name: FileName,
    /// The artifact's object.
    pub object: StoredObject,
    /// The artifact's signature.
    pub signature: Option<String>,
}

/// A condition on releases `r`: in the channel of a scope or in one that it includes. The channel is `?2`.
pub(crate) const IN_CHANNEL: &str =
    "(r.channel_id = ?2 OR r.channel_id IN (SELECT included_id FROM channel_includes WHERE channel_id = ?2))";

/// Everything published in a scope that is `seen`, including releases of included channels: newest release first,
/// artifacts by package. A release of which nothing is seen here does not exist here.
pub fn published(
    conn: &impl SqlConn,
    app: &Id,
    target: &Target,
    seen: Seen,
) -> Result<Vec<PublishedArtifact>, SqlError> {
    let rows = conn.run(
        &format!(
            "SELECT r.id, r.version, r.critical, r.intermediate, r.rollout, r.rollout_seed, r.changelog, r.created_at, \
              x.package, x.bucket, x.storage_key, x.signature, x.file_name \
             FROM artifacts x JOIN releases r ON r.id = x.release_id \
             WHERE x.app_id = ?1 AND x.platform_id = ?3 AND x.arch_id = ?4 AND {IN_CHANNEL} AND r.published = 1 \
              AND {} \
             ORDER BY r.version_key DESC, x.package, x.slot",
            seen.condition()
        ),
        &[
            app.as_str().into(),
            id_or_empty(target.channel_id.as_ref()),
            id_or_empty(target.platform_id.as_ref()),
            id_or_empty(target.arch_id.as_ref()),
        ],
    )?;
    rows.all(|row| {
        Ok(PublishedArtifact {
            release_id: row.get("id")?,
            version: row.get("version")?,
            critical: row.get("critical")?,
            intermediate: row.get("intermediate")?,
            rollout: rollout(row)?,
            changelog: row.get("changelog")?,
            released_at: row.get("created_at")?,
            package: row.get("package")?,
            object: object(row)?,
            signature: row.get("signature")?,
            file_name: row.get("file_name")?,
        })
    })
}

/// Whether the application is private. `Ok(None)`: the application or a part of the target no longer exists.
pub fn is_private(conn: &impl SqlConn, app: &Id, target: &Target) -> Result<Option<bool>, SqlError> {
    let rows = conn.run(
        "SELECT private FROM apps WHERE id = ?1 AND (?2 = '' OR EXISTS (SELECT 1 FROM channels WHERE id = ?2)) \
         AND (?3 = '' OR EXISTS (SELECT 1 FROM platforms WHERE id = ?3)) \
         AND (?4 = '' OR EXISTS (SELECT 1 FROM archs WHERE id = ?4))",
        &[
            app.as_str().into(),
            id_or_empty(target.channel_id.as_ref()),
            id_or_empty(target.platform_id.as_ref()),
            id_or_empty(target.arch_id.as_ref()),
        ],
    )?;
    rows.one(|row| row.get("private"))
}
