//! The data that the receipt of a release compares: its files, and the newest earlier release in each place.

use spindrift_core::{FileName, Id, Listing, Package, Target, Timestamp, Updater, Version};

use crate::offered::{FILES, OFFERED, visible};
use crate::row::{Row, id_or_empty};
use crate::scopes::IN_CHANNEL;
use crate::{SqlConn, SqlError, params};

/// A file of a release, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedFile {
    /// Its platform and architecture.
    pub place: Target,
    /// The name under which it was uploaded.
    pub name: FileName,
    /// Whether a signature belongs to it.
    pub is_signed: bool,
    /// Whether checks answer with it once its release is published.
    pub is_offered: bool,
}

/// The feed of an updater, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedFeed {
    /// Its platform and architecture.
    pub place: Target,
    pub updater: Updater,
}

/// Reads a place without its channel.
fn place(row: &Row<'_>) -> Result<Target, SqlError> {
    Ok(Target { channel_id: None, platform_id: row.get("platform_id")?, arch_id: row.get("arch_id")? })
}

/// The files of a release, without patches.
pub fn files(conn: &impl SqlConn, release: &Id) -> Result<Vec<PlacedFile>, SqlError> {
    let rows = conn.run(
        "SELECT platform_id, arch_id, file_name, signature IS NOT NULL AS is_signed, listing FROM artifacts \
         WHERE release_id = ?1 AND copied_to IS NULL AND patch IS NULL ORDER BY rowid",
        &params![release],
    )?;
    rows.all(|row| {
        Ok(PlacedFile {
            place: place(row)?,
            name: row.get("file_name")?,
            is_signed: row.get("is_signed")?,
            is_offered: row.get::<Listing>("listing")?.is_offered(),
        })
    })
}

pub fn feeds(conn: &impl SqlConn, release: &Id) -> Result<Vec<PlacedFeed>, SqlError> {
    let sql = "SELECT platform_id, arch_id, updater FROM release_feeds WHERE release_id = ?1";
    let rows = conn.run(sql, &params![release])?;
    rows.all(|row| Ok(PlacedFeed { place: place(row)?, updater: row.get("updater")? }))
}

/// An earlier release in a place: the newest one with a file of this kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierRelease {
    /// Its platform and architecture.
    pub place: Target,
    pub version: Version,
    pub kind: EarlierFile,
}

/// A kind of file that clients install from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EarlierFile {
    Feed(Updater),
    /// A file of this package; the flag says whether it is signed.
    File(Package, bool),
}

/// The condition on offers `r`: an earlier version that clients of the channel could once get, even if it was
/// withdrawn later.
fn was_offered() -> String {
    format!(
        "r.app_id = ?1 AND {IN_CHANNEL} AND r.version_key < ?3 \
         AND ({} OR r.offered_at IS NOT NULL)",
        visible("?4")
    )
}

/// The newest versions below `version` that clients of a channel could once get, for each place and kind of
/// file. `None`: the owner uses no channels.
pub fn earlier(
    conn: &impl SqlConn,
    (app, channel): (&Id, Option<&Id>),
    version: &Version,
    now: Timestamp,
) -> Result<Vec<EarlierRelease>, SqlError> {
    let params = params![app, id_or_empty(channel), version.sort_key(), now];
    // SQLite takes the columns that are not grouped from the row with the highest key.
    let newest =
        |(kinds, group): (&str, &str), from: &str, kind: fn(&Row<'_>) -> Result<EarlierFile, SqlError>| {
            let sql = format!(
                "SELECT {kinds}, r.version, max(r.version_key) FROM {from} AND {} GROUP BY {group}",
                was_offered()
            );
            let read = |row: &Row<'_>| {
                Ok(EarlierRelease { place: place(row)?, version: row.get("version")?, kind: kind(row)? })
            };
            conn.run(&sql, &params)?.all(read)
        };
    let files = format!("{FILES} WHERE x.app_id = ?1 AND x.patch IS NULL AND {OFFERED}");
    let feeds = "release_feeds f JOIN offers r ON r.id = f.release_id WHERE f.app_id = ?1";
    let of_file = ("x.platform_id, x.arch_id, x.package, x.signature IS NOT NULL AS is_signed", "1, 2, 3, 4");
    let of_feed = ("f.platform_id, f.arch_id, f.updater", "1, 2, 3");
    let file = |row: &Row<'_>| Ok(EarlierFile::File(row.get("package")?, row.get("is_signed")?));
    let feed = |row: &Row<'_>| Ok(EarlierFile::Feed(row.get("updater")?));
    let mut earlier: Vec<EarlierRelease> = newest(of_file, &files, file)?;
    earlier.extend(newest(of_feed, feeds, feed)?);
    Ok(earlier)
}
