//! Reads the data that decides whether a change cuts off installed copies; see [`spindrift_core::cut_off`].

use std::collections::BTreeSet;

use spindrift_core::cut_off::{DimensionItem, InstalledCopies, PublishedScope, Supply};
use spindrift_core::{Days, Id, Timestamp, Updater};

use crate::dimensions::{self, Kind};
use crate::offered::{FILES, OFFERED, visible};
use crate::row::to_json;
use crate::telemetry_fold::{DAYS, RowFilter, last_seen};
use crate::{SqlConn, SqlError, channel_includes, params};

/// Reads what determines the answers to an owner's installed copies.
pub fn supply(conn: &impl SqlConn, owner: &Id, now: Timestamp) -> Result<Supply, SqlError> {
    let mut includes = channel_includes::of_owner(conn, owner)?;
    let mut values = |kind| -> Result<Vec<DimensionItem>, SqlError> {
        let value = |entry: dimensions::DimensionRow| DimensionItem {
            includes: includes.remove(&entry.id).unwrap_or_default(),
            id: entry.id,
            name: entry.name,
            is_default: entry.is_default,
            updaters: entry.updaters,
        };
        Ok(dimensions::of_owner(conn, kind, owner)?.into_iter().map(value).collect())
    };
    Ok(Supply {
        channels: values(Kind::Channel)?,
        platforms: values(Kind::Platform)?,
        archs: values(Kind::Arch)?,
        published: published(conn, owner, now)?,
    })
}

/// The places in which something is, or ever was, published.
fn published(conn: &impl SqlConn, owner: &Id, now: Timestamp) -> Result<Vec<PublishedScope>, SqlError> {
    let sql = format!(
        "SELECT s.app_id, s.channel_id, s.platform_id, s.arch_id, '[]' AS updaters \
         FROM apps a JOIN scope_versions s ON s.app_id = a.id WHERE a.owner_id = ?1 GROUP BY 1, 2, 3, 4 \
         UNION ALL SELECT r.app_id, r.channel_id, x.platform_id, x.arch_id, json_group_array(DISTINCT x.updater) \
         FROM {FILES} \
         WHERE r.owner_id = ?1 AND {} AND {OFFERED} GROUP BY 1, 2, 3, 4",
        visible("?2")
    );
    conn.run(&sql, &params![owner, now])?.all(|row| {
        let updaters: BTreeSet<Updater> = row.json("updaters")?;
        Ok(PublishedScope { app: row.get("app_id")?, target: row.target()?, updaters })
    })
}

/// The devices of an owner's applications that were counted on these days, by what they sent last.
pub fn copies(conn: &impl SqlConn, owner: &Id, days: Days) -> Result<Vec<InstalledCopies>, SqlError> {
    let apps: Vec<Id> =
        conn.run("SELECT id FROM apps WHERE owner_id = ?1", &params![owner])?.all(|row| row.get("id"))?;
    copies_of(conn, &apps, days)
}

/// Like [`copies`], for some applications.
pub fn copies_of(conn: &impl SqlConn, apps: &[Id], days: Days) -> Result<Vec<InstalledCopies>, SqlError> {
    let sql = format!(
        "{DAYS}, {} SELECT app_id, channel, platform, arch, count(*) AS devices FROM last_seen GROUP BY 1, 2, 3, 4",
        last_seen(RowFilter::NONE)
    );
    let rows = conn.run(&sql, &params![days.first, days.last, to_json(apps)?])?;
    rows.all(|row| {
        Ok(InstalledCopies {
            app: row.get("app_id")?,
            names: [row.get("channel")?, row.get("platform")?, row.get("arch")?],
            updater: None,
            devices: row.get("devices")?,
        })
    })
}
