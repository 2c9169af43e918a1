//! Releases.

pub mod artifacts;
pub mod copies;
pub(crate) mod courses;
pub mod feed_files;
pub mod pending_removal;
pub mod promotions;
pub mod receipt;
pub mod release_feeds;
pub(crate) mod release_freezes;
pub mod release_objects;
pub mod release_places;
pub mod requirements;
pub mod under_way;

use spindrift_core::{Course, Id, Release, ReleaseFlags, Timestamp, UserName, Version, Withdrawal};

use self::courses::course;
use crate::changes::Change;
use crate::offered::{self, OfferState};
use crate::row::{Row, id_or_empty, to_json};
use crate::{SqlConn, SqlError, params};

/// Reads a row with the columns `published`, `critical` and `intermediate`.
pub(crate) fn flags(row: &Row<'_>) -> Result<ReleaseFlags, SqlError> {
    Ok(ReleaseFlags {
        published: row.get("published")?,
        critical: row.get("critical")?,
        intermediate: row.get("intermediate")?,
    })
}

/// To be followed by the columns of the release's course.
const COLUMNS: &str = "r.id, r.app_id, r.version, r.channel_id, r.is_promoted, r.published, r.critical, r.intermediate, r.changelog, \
  r.offered_at, r.revision, r.publish_at, r.planned_at, r.withdrawn_at, r.withdraw_reason, r.guard, r.round_at, r.let_in, r.cures";

/// Reads a row with [`columns`].
pub(crate) fn release(row: &Row<'_>) -> Result<Release, SqlError> {
    Ok(Release {
        id: row.get("id")?,
        app_id: row.get("app_id")?,
        version: row.get("version")?,
        channel_id: row.get("channel_id")?,
        is_promoted: row.get("is_promoted")?,
        flags: flags(row)?,
        rollout: course(row)?,
        changelog: row.get("changelog")?,
        publish_at: row.get("publish_at")?,
        planned_at: row.get("planned_at")?,
        withdrawal: withdrawal(row)?,
        offered_at: row.get("offered_at")?,
        admitted_groups: row.json("let_in")?,
        cures: row.json("cures")?,
        guard: row.optional_json("guard")?,
        round_at: row.get("round_at")?,
        revision: row.get("revision")?,
    })
}

/// Reads a row with the columns `withdrawn_at` and `withdraw_reason`.
pub(crate) fn withdrawal(row: &Row<'_>) -> Result<Option<Withdrawal>, SqlError> {
    let at: Option<Timestamp> = row.get("withdrawn_at")?;
    let reason: Option<String> = row.get("withdraw_reason")?;
    Ok(at.map(|at| Withdrawal { at, reason: reason.unwrap_or_default() }))
}

/// The columns of an offer `r`.
pub(crate) fn columns() -> String {
    format!("{COLUMNS}, {}", courses::COLUMNS)
}

fn select(condition: &str) -> String {
    format!("SELECT {} FROM offers r WHERE {condition}", columns())
}

/// The release of an application with `version`, in any spelling, as its own channel offers it.
pub fn by_version(conn: &impl SqlConn, app: &Id, version: &Version) -> Result<Option<Release>, SqlError> {
    let sql = select("r.app_id = ?1 AND r.version_key = ?2 AND r.is_promoted = 0");
    let rows = conn.run(&sql, &params![app, version.sort_key()])?;
    rows.one(release)
}

/// The owner's release with this id, as its own channel offers it.
pub fn by_id(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<Option<Release>, SqlError> {
    let sql = select("r.owner_id = ?1 AND r.id = ?2 AND r.is_promoted = 0");
    conn.run(&sql, &params![owner, id])?.one(release)
}

/// The owner's release with this id, as each channel offers it: first its own channel, then the others by
/// name.
pub fn offers(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<Vec<Release>, SqlError> {
    let sql = format!(
        "{} ORDER BY r.is_promoted, (SELECT name FROM channels c WHERE c.id = r.channel_id)",
        select("r.owner_id = ?1 AND r.id = ?2")
    );
    conn.run(&sql, &params![owner, id])?.all(release)
}

/// The same release, as the same channel offers it now.
pub fn present(conn: &impl SqlConn, owner: &Id, of: &Release) -> Result<Option<Release>, SqlError> {
    let sql = select("r.owner_id = ?1 AND r.id = ?2 AND r.is_promoted = ?3 AND r.channel_id = ?4");
    let channel = id_or_empty(of.channel_id.as_ref());
    conn.run(&sql, &params![owner, &of.id, of.is_promoted, channel])?.one(release)
}

/// A release that changes at a time that has come, but whose change is not written yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueRelease {
    /// The owner of its application.
    pub owner_id: Id,
    pub owner: UserName,
    pub release: Release,
}

/// Releases whose next step has begun or whose publication time has come, longest overdue first: at most
/// `limit` after the first `skip`. An `Err` in the list stands for a release that cannot be read.
pub fn due(
    conn: &impl SqlConn,
    now: Timestamp,
    skip: u32,
    limit: u32,
) -> Result<Vec<Result<DueRelease, SqlError>>, SqlError> {
    let rows = conn.run(
        &format!(
            "SELECT {}, r.owner_id, r.next_at, u.username AS owner FROM offers r JOIN users u ON u.id = r.owner_id \
             WHERE r.next_at IS NOT NULL AND r.next_at <= ?1 ORDER BY r.next_at, r.id, r.channel_id LIMIT ?2 OFFSET ?3",
            columns()
        ),
        &params![now, limit, skip],
    )?;
    let due = |row: &Row<'_>| {
        Ok(DueRelease { owner_id: row.get("owner_id")?, owner: row.get("owner")?, release: release(row)? })
    };
    rows.all(|row| Ok(due(row)))
}

/// Whether a release of the application is scheduled to be published after `now`, at `until` or earlier.
pub fn are_scheduled(
    conn: &impl SqlConn,
    app: &Id,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, SqlError> {
    let sql = "SELECT 1 FROM offers WHERE app_id = ?1 AND next_at > ?2 AND publish_at > ?2 AND publish_at <= ?3 LIMIT 1";
    Ok(conn.run(sql, &params![app, now, until])?.exist())
}

/// The owner's releases that have a next step or a publication time, in each channel. With `app`, only those of
/// this application.
pub(crate) fn under_way(conn: &impl SqlConn, owner: &Id, app: Option<&Id>) -> Result<Vec<Release>, SqlError> {
    let sql = select(
        "r.app_id IN (SELECT id FROM apps WHERE owner_id = ?1 AND (?2 IS NULL OR id = ?2)) \
          AND r.next_at IS NOT NULL",
    );
    conn.run(&sql, &params![owner, app])?.all(release)
}

/// A release in a channel where its state changes with time.
pub(crate) struct ChangingOffer {
    pub(crate) id: Id,
    /// The id of the channel. Empty if the owner uses no channels.
    pub(crate) channel: String,
    pub(crate) rollout: Course,
    /// When it is published, if that is still to come.
    pub(crate) publish_at: Option<Timestamp>,
}

/// The releases of an application that have a next step or a publication time.
pub(crate) fn changing(
    conn: &impl SqlConn,
    app: &Id,
    now: Timestamp,
) -> Result<Vec<ChangingOffer>, SqlError> {
    let sql = format!(
        "SELECT r.id, r.channel_id, {} FROM offers r WHERE r.app_id = ?1 AND r.next_at IS NOT NULL",
        offered::columns()
    );
    conn.run(&sql, &params![app])?.all(|row| {
        let OfferState { rollout, publish_at, .. } = OfferState::read(row, now)?;
        Ok(ChangingOffer { id: row.get("id")?, channel: row.get("channel_id")?, rollout, publish_at })
    })
}

/// Inserts a new release. A version that the application already has is an [`SqlError::Constraint`].
/// `created_at` is when it was first published, here or elsewhere.
pub fn insert(
    conn: &Change<'_, impl SqlConn>,
    owner: &Id,
    release: &Release,
    created_at: Timestamp,
    now: Timestamp,
) -> Result<(), SqlError> {
    let release = &release_freezes::hold(conn, release, now)?;
    let [rollout_bp, rollout_state, rollout_plan] = courses::values(&release.rollout, now)?;
    conn.execute(
        "INSERT INTO releases (id, owner_id, app_id, version, version_key, channel_id, published, critical, intermediate, \
          rollout_seed, changelog, created_at, updated_at, offered_at, revision, rollout_bp, rollout_state, \
          rollout_plan, next_at, publish_at, guard, round_at, let_in, cures, planned_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)",
        &params![
            &release.id,
            owner,
            &release.app_id,
            &release.version,
            release.version.sort_key(),
            id_or_empty(release.channel_id.as_ref()),
            release.flags.published,
            release.flags.critical,
            release.flags.intermediate,
            &release.rollout.seed,
            &release.changelog,
            created_at,
            now,
            release.offered_at,
            release.revision,
            rollout_bp,
            rollout_state,
            rollout_plan,
            release.due(),
            release.publish_at,
            release.guard.as_ref().map(to_json).transpose()?,
            release.round_at,
            to_json(&release.admitted_groups)?,
            to_json(&release.cures)?,
            release.planned_at,
        ],
    )
}

/// Updates the time of a release's last change.
pub fn touch(conn: &Change<'_, impl SqlConn>, id: &Id, now: Timestamp) -> Result<(), SqlError> {
    conn.execute("UPDATE releases SET updated_at = ?2 WHERE id = ?1", &params![id, now])
}

/// Writes the fields of a release that people or the passage of time change, with the freezes that hold it.
/// The release must have been read in the same transaction, so that no change is lost.
pub fn update(conn: &Change<'_, impl SqlConn>, release: &Release, now: Timestamp) -> Result<(), SqlError> {
    if release.is_promoted {
        return promotions::update(conn, release, now);
    }
    let release = &release_freezes::hold(conn, release, now)?;
    let [rollout_bp, rollout_state, rollout_plan] = courses::values(&release.rollout, now)?;
    let withdrawal = release.withdrawal.as_ref();
    conn.execute(
        "UPDATE releases SET published = ?2, critical = ?3, intermediate = ?4, changelog = ?5, updated_at = ?6, \
          offered_at = ?7, revision = ?8, rollout_bp = ?9, rollout_state = ?10, rollout_plan = ?11, \
          next_at = ?12, publish_at = ?13, withdrawn_at = ?14, withdraw_reason = ?15, guard = ?16, round_at = ?17, let_in = ?18, \
          cures = ?19, planned_at = ?20 \
         WHERE id = ?1",
        &params![
            &release.id,
            release.flags.published,
            release.flags.critical,
            release.flags.intermediate,
            &release.changelog,
            now,
            release.offered_at,
            release.revision,
            rollout_bp,
            rollout_state,
            rollout_plan,
            release.due(),
            release.publish_at,
            withdrawal.map(|withdrawal| withdrawal.at),
            withdrawal.map(|withdrawal| withdrawal.reason.as_str()),
            release.guard.as_ref().map(to_json).transpose()?,
            release.round_at,
            to_json(&release.admitted_groups)?,
            to_json(&release.cures)?,
            release.planned_at,
        ],
    )
}

/// Deletes a release that has no artifacts left.
pub fn delete(conn: &Change<'_, impl SqlConn>, id: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM releases WHERE id = ?1", &params![id])
}
