//! The data that update checks need from the database.

use std::sync::LazyLock;

use spindrift_core::{
    AdmittedGroups, AppFlags, ArchName, ChannelName, Course, CuredVersions, DimensionChoices, FileName, Id,
    Package, Patch, PlatformName, PlatformUpdaters, Requirements, Scope, Sha256Hex, StoredObject, Target,
    Timestamp, Updater, Version,
};

use crate::apps::flags;
use crate::artifacts::object;
use crate::offered::{self, FILES, OfferState, PublishedArtifacts, visible};
use crate::requirements;
use crate::row::{FromColumn, Row, target_ids};
use crate::{SqlConn, SqlError, params};

/// The data behind the names of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeNames {
    pub owner_id: Id,
    /// The owner's revision at the time of reading.
    pub revision: i64,
    /// `None` if the owner has no such application.
    pub app: Option<(Id, AppFlags)>,
    pub channel: DimensionChoices<(Id, ChannelName)>,
    pub platform: DimensionChoices<(Id, PlatformName, PlatformUpdaters)>,
    pub arch: DimensionChoices<(Id, ArchName)>,
    /// When the next scheduled release of the application is published.
    pub next_publication: Option<Timestamp>,
    /// Whether the application has shut-offs or withdrawn releases.
    pub has_stops: bool,
}

/// Looks up defaults and former publications only for names that need them.
static NAMES: LazyLock<String> = LazyLock::new(|| {
    let [channel, platform, arch] =
        [("channel", "?3"), ("platform", "?4"), ("arch", "?5")].map(|(kind, name)| {
            let used = |id: &str| {
                format!("EXISTS (SELECT 1 FROM scope_versions WHERE app_id = a.id AND {kind}_id = {id})")
            };
            format!(
                "n{kind}.id AS {kind}_id, EXISTS (SELECT 1 FROM {kind}s WHERE owner_id = u.id) AS has_{kind}s, \
                  d{kind}.id AS default_{kind}_id, d{kind}.name AS default_{kind}, \
                  CASE WHEN {name} = 'default' THEN {} ELSE 0 END AS {kind}_was_used, \
                  CASE WHEN coalesce({name}, 'default') = 'default' THEN {} ELSE 0 END AS {kind}_was_unused",
                used(&format!("n{kind}.id")),
                used("''"),
            )
        });
    let joins = [("channel", "?3"), ("platform", "?4"), ("arch", "?5")].map(|(kind, name)| {
        format!(
            "LEFT JOIN {kind}s n{kind} ON n{kind}.owner_id = u.id AND n{kind}.name = {name} \
             LEFT JOIN {kind}s d{kind} ON d{kind}.owner_id = u.id AND d{kind}.is_default = 1 \
              AND coalesce({name}, 'default') = 'default'"
        )
    });
    format!(
        "SELECT u.id, u.revision, a.id AS app_id, a.private, a.tuf, a.reports, a.cdn, {channel}, {platform}, {arch}, \
          nplatform.updaters, dplatform.updaters AS default_updaters, \
          (SELECT publish_at FROM offers WHERE app_id = a.id AND next_at > ?6 AND publish_at > ?6 ORDER BY publish_at LIMIT 1) AS next_publication, \
          (EXISTS (SELECT 1 FROM shutoffs WHERE app_id = a.id) OR EXISTS (SELECT 1 FROM releases \
            WHERE app_id = a.id AND withdrawn_at IS NOT NULL)) AS has_stops \
         FROM users u LEFT JOIN apps a ON a.owner_id = u.id AND a.name = ?2 {} \
         WHERE u.username = ?1 AND u.owner_id IS NULL",
        joins.join(" ")
    )
});

/// Looks up the names of `scope` as of `now`. `Ok(None)` if there is no such owner.
pub fn names(conn: &impl SqlConn, scope: &Scope, now: Timestamp) -> Result<Option<ScopeNames>, SqlError> {
    let Scope { channel, platform, arch, .. } = scope;
    let rows = conn.run(
        &NAMES,
        &params![&scope.owner, &scope.app, channel.as_ref(), platform.as_ref(), arch.as_ref(), now],
    )?;
    rows.one(|row| {
        let app = match row.get("app_id")? {
            Some(id) => Some((id, flags(row)?)),
            None => None,
        };
        let updaters = row.optional_json("updaters")?;
        let default_updaters = row.optional_json("default_updaters")?;
        let with =
            |updaters: Option<PlatformUpdaters>| move |(id, name)| (id, name, updaters.unwrap_or_default());
        let platforms = choices(row, "platform", platform.clone())?;
        Ok(ScopeNames {
            owner_id: row.get("id")?,
            revision: row.get("revision")?,
            app,
            channel: choices(row, "channel", channel.clone())?,
            platform: DimensionChoices {
                requested: platforms.requested.map(with(updaters)),
                default: platforms.default.map(with(default_updaters)),
                requested_was_used: platforms.requested_was_used,
                any: platforms.any,
                was_unused: platforms.was_unused,
            },
            arch: choices(row, "arch", arch.clone())?,
            next_publication: row.get("next_publication")?,
            has_stops: row.get("has_stops")?,
        })
    })
}

fn choices<N: FromColumn>(
    row: &Row<'_>,
    kind: &str,
    requested: Option<N>,
) -> Result<DimensionChoices<(Id, N)>, SqlError> {
    let id: Option<Id> = row.get(&format!("{kind}_id"))?;
    let default: Option<Id> = row.get(&format!("default_{kind}_id"))?;
    Ok(DimensionChoices {
        requested: id.zip(requested),
        requested_was_used: row.get(&format!("{kind}_was_used"))?,
        default: default.zip(row.get(&format!("default_{kind}"))?),
        any: row.get(&format!("has_{kind}s"))?,
        was_unused: row.get(&format!("{kind}_was_unused"))?,
    })
}

/// A published release, as one channel offers it in a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedRelease {
    pub id: Id,
    /// The channel of the offer.
    pub channel_id: Option<Id>,
    pub version: Version,
    pub critical: bool,
    /// Whether clients must not skip it.
    pub intermediate: bool,
    pub rollout: Course,
    pub changelog: String,
    /// When it was first recorded.
    pub released_at: Timestamp,
    /// The device groups that it lets in.
    pub admitted_groups: AdmittedGroups,
    pub requires: Option<Requirements>,
    /// The versions that it cures.
    pub cures: CuredVersions,
}

/// A published release with one of its artifacts in a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedArtifact {
    pub release: PublishedRelease,
    pub package: Package,
    pub file_name: FileName,
    pub object: StoredObject,
    pub signature: Option<String>,
    /// The artifact's length in bytes.
    pub size: u64,
    /// The artifact's digest, if it is known.
    pub sha256: Option<Sha256Hex>,
    /// Its description as a patch. `None` if it is not a patch.
    pub patch: Option<Patch>,
}

/// A condition on offers `r`: in the channel of a scope, or in one that this channel includes. The channel is
/// `?2`.
pub(crate) const IN_CHANNEL: &str =
    "(r.channel_id = ?2 OR r.channel_id IN (SELECT included_id FROM channel_includes WHERE channel_id = ?2))";

/// The requirements `q` of offers `r`. The platform is `?3`, the architecture `?4`.
const REQUIREMENTS: &str =
    "LEFT JOIN release_requirements q ON q.release_id = r.id AND q.platform_id = ?3 AND q.arch_id = ?4";

/// Newest release first. A release that several channels offer appears once for each, first for the channel
/// of the scope.
const NEWEST_FIRST: &str = "ORDER BY r.version_key DESC, is_included, r.channel_id";

impl PublishedRelease {
    /// The columns of offers `r` with their [`REQUIREMENTS`].
    fn columns() -> String {
        format!(
            "r.id, r.channel_id, r.channel_id <> ?2 AS is_included, r.version, r.version_key, r.critical, r.intermediate, {}, \
              r.changelog, r.created_at, r.let_in, r.cures, q.requires",
            offered::columns()
        )
    }

    fn read(row: &Row<'_>, at: Timestamp) -> Result<Self, SqlError> {
        Ok(Self {
            id: row.get("id")?,
            channel_id: row.get("channel_id")?,
            version: row.get("version")?,
            critical: row.get("critical")?,
            intermediate: row.get("intermediate")?,
            rollout: OfferState::read(row, at)?.rollout,
            changelog: row.get("changelog")?,
            released_at: row.get("created_at")?,
            admitted_groups: row.json("let_in")?,
            requires: requirements::read(row)?,
            cures: row.json("cures")?,
        })
    }
}

/// Everything of which artifacts are `seen` that is published as of a given time in a scope, including
/// releases of included channels: in the order of `NEWEST_FIRST`, and within a release by package. A
/// release without such artifacts is left out.
pub fn published(
    conn: &impl SqlConn,
    app: &Id,
    target: &Target,
    seen: PublishedArtifacts,
    at: Timestamp,
) -> Result<Vec<PublishedArtifact>, SqlError> {
    let [channel, platform, arch] = target_ids(target);
    let rows = conn.run(
        &format!(
            "SELECT {}, x.package, x.slot, x.bucket, x.storage_key, x.signature, x.size, x.sha256, x.patch, x.file_name \
             FROM {FILES} {REQUIREMENTS} \
             WHERE x.app_id = ?1 AND x.platform_id = ?3 AND x.arch_id = ?4 AND {IN_CHANNEL} AND {} AND {} \
             {NEWEST_FIRST}, x.package, x.slot",
            PublishedRelease::columns(),
            visible("?5"),
            seen.condition()
        ),
        &params![app, channel, platform, arch, at],
    )?;
    rows.all(|row| {
        Ok(PublishedArtifact {
            release: PublishedRelease::read(row, at)?,
            package: row.get("package")?,
            object: object(row)?,
            signature: row.get("signature")?,
            size: row.get("size")?,
            sha256: row.get::<Option<String>>("sha256")?.and_then(|digest| digest.parse().ok()),
            patch: row.optional_json("patch")?,
            file_name: row.get("file_name")?,
        })
    })
}

/// The releases that are published as of a given time in a scope with a feed of the updater but without
/// files, in the order of `NEWEST_FIRST`.
pub fn published_without_files(
    conn: &impl SqlConn,
    app: &Id,
    target: &Target,
    updater: Updater,
    at: Timestamp,
) -> Result<Vec<PublishedRelease>, SqlError> {
    let [channel, platform, arch] = target_ids(target);
    let rows = conn.run(
        &format!(
            "SELECT {} FROM release_feeds f JOIN offers r ON r.id = f.release_id {REQUIREMENTS} \
             WHERE f.app_id = ?1 AND f.updater = ?6 AND f.platform_id = ?3 AND f.arch_id = ?4 AND {IN_CHANNEL} AND {} \
              AND NOT EXISTS (SELECT 1 FROM artifacts x \
               WHERE x.release_id = f.release_id AND x.platform_id = ?3 AND x.arch_id = ?4) \
             {NEWEST_FIRST}",
            PublishedRelease::columns(),
            visible("?5"),
        ),
        &params![app, channel, platform, arch, at, updater],
    )?;
    rows.all(|row| PublishedRelease::read(row, at))
}

/// The demands of an application on uploads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadRules {
    /// Whether the application is private.
    pub is_private: bool,
    /// Whether only publishers may upload.
    pub requires_publisher: bool,
}

/// The rules for uploads. `Ok(None)` if the application or a part of the target no longer exists.
pub fn upload_rules(conn: &impl SqlConn, app: &Id, target: &Target) -> Result<Option<UploadRules>, SqlError> {
    let [channel, platform, arch] = target_ids(target);
    let rows = conn.run(
        "SELECT private, require_publisher FROM apps WHERE id = ?1 AND (?2 = '' OR EXISTS (SELECT 1 FROM channels WHERE id = ?2)) \
         AND (?3 = '' OR EXISTS (SELECT 1 FROM platforms WHERE id = ?3)) \
         AND (?4 = '' OR EXISTS (SELECT 1 FROM archs WHERE id = ?4))",
        &params![app, channel, platform, arch],
    )?;
    rows.one(|row| {
        Ok(UploadRules { is_private: row.get("private")?, requires_publisher: row.get("require_publisher")? })
    })
}
