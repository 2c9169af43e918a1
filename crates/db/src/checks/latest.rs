//! The newest releases of an application, for `/apps/latest`.

use spindrift_core::{
    AppName, ArchName, BasisPoints, ChannelName, FileName, GetPage, Id, Listing, Package, PlatformName,
    Sha256Hex, StoredObject, Timestamp, UserName, Version,
};

use crate::apps::get_page;
use crate::artifacts::object;
use crate::offered::{FILES, OFFERED, visible};
use crate::releases::{self, ChangingOffer};
use crate::row::{Row, to_json};
use crate::{SqlConn, SqlError, params};

/// An artifact of the newest release of its channel, platform and architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestArtifactRow {
    /// The channel, if the application uses channels.
    pub channel: Option<ChannelName>,
    /// The platform, if it uses platforms.
    pub platform: Option<PlatformName>,
    /// The architecture, if it uses architectures.
    pub arch: Option<ArchName>,
    pub package: Package,
    /// The name under which it was uploaded.
    pub file_name: FileName,
    pub object: StoredObject,
    pub release_id: Id,
    pub version: Version,
    /// When its release was created.
    pub released_at: Timestamp,
    /// In bytes.
    pub size: u64,
    /// `None`: the uploader did not declare it.
    pub sha256: Option<Sha256Hex>,
    /// Whether an updater has a signature to verify it with.
    pub has_signature: bool,
    pub listing: Listing,
}

/// An application, for its newest builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestApp {
    pub id: Id,
    /// Its owner's revision.
    pub revision: i64,
    /// Whether any release is due to be published, or any rollout step to begin, without further action.
    pub is_under_way: bool,
}

/// `Ok(None)` if the application does not exist.
pub fn app(conn: &impl SqlConn, owner: &UserName, app: &AppName) -> Result<Option<LatestApp>, SqlError> {
    let rows = conn.run(
        "SELECT a.id, u.revision, \
          EXISTS (SELECT 1 FROM offers WHERE app_id = a.id AND next_at IS NOT NULL) AS is_under_way \
         FROM users u JOIN apps a ON a.owner_id = u.id AND a.name = ?2 \
         WHERE u.username = ?1 AND u.owner_id IS NULL",
        &params![owner, app],
    )?;
    rows.one(|row| {
        Ok(LatestApp {
            id: row.get("id")?,
            revision: row.get("revision")?,
            is_under_way: row.get("is_under_way")?,
        })
    })
}

/// An application with a page for its users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppWithPage {
    pub app: LatestApp,
    pub page: GetPage,
    /// See [`spindrift_core::App::logo_key`].
    pub logo_key: String,
    /// The channel of clients that name none.
    pub default_channel: Option<ChannelName>,
}

/// `Ok(None)` if the application does not exist, or has no page.
pub fn app_with_page(
    conn: &impl SqlConn,
    owner: &UserName,
    name: &AppName,
) -> Result<Option<AppWithPage>, SqlError> {
    let Some(app) = app(conn, owner, name)? else { return Ok(None) };
    let rows = conn.run(
        "SELECT a.get_page, a.get_page_color, a.logo_key, c.name AS default_channel FROM apps a \
         LEFT JOIN channels c ON c.owner_id = a.owner_id AND c.is_default = 1 WHERE a.id = ?1 AND a.get_page = 1",
        &params![&app.id],
    )?;
    let found = rows.one(|row| {
        let (page, logo_key) = (get_page(row)?, row.get("logo_key")?);
        Ok((page, logo_key, row.get("default_channel")?))
    })?;
    Ok(found.map(|(page, logo_key, default_channel)| AppWithPage { app, page, logo_key, default_channel }))
}

/// The release notes of a release. Empty if there are none.
pub fn notes(conn: &impl SqlConn, release: &Id) -> Result<String, SqlError> {
    let rows = conn.run("SELECT changelog FROM releases WHERE id = ?1", &params![release])?;
    Ok(rows.one(|row| row.get("changelog"))?.unwrap_or_default())
}

/// For each channel, platform and architecture, the artifacts of the newest published release that offers any
/// there and has been rolled out to everybody; if there is none, those of the newest release that is not held
/// at rollout 0. Patches do not count, because nothing can be installed from them alone. Releases of included
/// channels count too.
///
/// The second value is the time until which the result is valid if nothing changes: then a release is
/// published, or a rollout step begins.
pub fn artifacts(
    conn: &impl SqlConn,
    app: &LatestApp,
    now: Timestamp,
) -> Result<(Vec<LatestArtifactRow>, Option<Timestamp>), SqlError> {
    // The rows of offers hold the rollout parts as of their last write.
    let under_way = if app.is_under_way { releases::changing(conn, &app.id, now)? } else { Vec::new() };
    let part =
        |offer: &ChangingOffer| (offer.id.clone(), offer.channel.clone(), offer.rollout.basis_points(now));
    let parts: Vec<(Id, String, BasisPoints)> = under_way.iter().map(part).collect();
    let next = under_way
        .iter()
        .filter_map(|release| release.publish_at.or_else(|| release.rollout.next(now).map(|next| next.at)))
        .min();
    let rows = conn.run(
        &format!(
            "WITH now AS ( \
               SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS channel_id, \
                json_extract(value, '$[2]') AS part FROM json_each(?2) \
             ), published AS MATERIALIZED ( \
               SELECT r.channel_id, x.platform_id, x.arch_id, r.version_key, \
                CASE r.rollout_state WHEN 'halted' THEN 0 ELSE coalesce(now.part, r.rollout_bp) END AS part \
               FROM {FILES} LEFT JOIN now ON now.id = r.id AND now.channel_id = r.channel_id \
               WHERE x.app_id = ?1 AND x.patch IS NULL AND {OFFERED} AND {} \
             ), newest AS ( \
               SELECT channel_id, platform_id, arch_id, max(version_key) AS of_some, \
                max(CASE WHEN part >= 10000 THEN version_key END) AS of_all \
               FROM published WHERE part > 0 GROUP BY channel_id, platform_id, arch_id \
             ), offered AS MATERIALIZED ( \
               SELECT c.name AS channel, coalesce(c.id, '') AS channel_id, n.platform_id, n.arch_id, \
                coalesce(max(n.of_all), max(n.of_some)) AS version_key \
               FROM newest n LEFT JOIN channels c ON c.id = n.channel_id \
                OR c.id IN (SELECT channel_id FROM channel_includes WHERE included_id = n.channel_id) \
               GROUP BY c.name, n.platform_id, n.arch_id \
             ) \
             SELECT o.channel, p.name AS platform, h.name AS arch, x.package, x.slot, x.bucket, x.storage_key, x.file_name, \
              r.id AS release_id, r.version, r.created_at, x.size, x.sha256, x.signature IS NOT NULL AS has_signature, \
              x.listing, r.channel_id AS offered_in, r.channel_id <> o.channel_id AS is_included \
             FROM offered o JOIN offers r ON r.app_id = ?1 AND r.version_key = o.version_key AND {} \
               AND (r.channel_id = o.channel_id OR r.channel_id IN \
                (SELECT included_id FROM channel_includes WHERE channel_id = o.channel_id)) \
              JOIN artifacts x ON x.release_id = r.id AND x.copied_to IS r.copied_to \
               AND x.platform_id = o.platform_id AND x.arch_id = o.arch_id AND x.patch IS NULL AND {OFFERED} \
              LEFT JOIN platforms p ON p.id = o.platform_id LEFT JOIN archs h ON h.id = o.arch_id \
             ORDER BY o.channel, p.name, h.name, is_included, offered_in, x.package, x.slot",
            visible("?3"),
            visible("?3")
        ),
        &params![&app.id, to_json(&parts)?, now],
    )?;
    let found = rows.all(|row| Ok((row.get("offered_in")?, artifact(row)?)))?;
    Ok((of_one_offer(found), next))
}

fn artifact(row: &Row<'_>) -> Result<LatestArtifactRow, SqlError> {
    Ok(LatestArtifactRow {
        channel: row.get("channel")?,
        platform: row.get("platform")?,
        arch: row.get("arch")?,
        package: row.get("package")?,
        object: object(row)?,
        file_name: row.get("file_name")?,
        release_id: row.get("release_id")?,
        version: row.get("version")?,
        released_at: row.get("created_at")?,
        size: row.get("size")?,
        sha256: row.get::<Option<String>>("sha256")?.and_then(|text| text.parse().ok()),
        has_signature: row.get("has_signature")?,
        listing: row.get("listing")?,
    })
}

/// The artifacts of the first offer in each place, because several channels may offer the same release there.
fn of_one_offer(found: Vec<(String, LatestArtifactRow)>) -> Vec<LatestArtifactRow> {
    let mut chosen: Vec<(String, LatestArtifactRow)> = Vec::with_capacity(found.len());
    for (offer, artifact) in found {
        let is_here = |other: &LatestArtifactRow| {
            (&other.channel, &other.platform, &other.arch)
                == (&artifact.channel, &artifact.platform, &artifact.arch)
        };
        if chosen.last().is_none_or(|(first, other)| *first == offer || !is_here(other)) {
            chosen.push((offer, artifact));
        }
    }
    chosen.into_iter().map(|(_, artifact)| artifact).collect()
}
