//! Releases that are under way: those that guard runs examine.

use spindrift_core::health::{GuardedRelease, MAX_ROUND_DAYS, ReleaseHealth, Round, UNDER_WAY_DAYS, Verdict};
use spindrift_core::{AppName, ChannelName, Hold, Id, Release, Timestamp, UserName};

use crate::offered::{FOR_ALL, visible};
use crate::row::{Row, id_or_empty, to_json};
use crate::{SqlConn, SqlError, SqlValue, params, releases, watched};

/// A release that is under way.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleaseUnderWay {
    /// The owner of its application.
    pub owner_id: Id,
    pub owner: UserName,
    pub app: AppName,
    /// Whether the application accepts failure reports.
    pub reports: bool,
    /// The channel, if the owner uses channels.
    pub channel: Option<ChannelName>,
    /// The release as last written.
    pub release: Release,
    /// Its version, its round, and the clients that it is not for.
    pub subject: GuardedRelease,
    /// The findings of the last run, possibly in an earlier round.
    pub health: Option<ReleaseHealth>,
}

impl ReleaseUnderWay {
    /// The findings of the last run, if they belong to the present round.
    pub fn present_health(&self) -> Option<&ReleaseHealth> {
        self.health.as_ref().filter(|health| health.is_of(self.subject.round.since))
    }

    /// Whether the last run found it unhealthy.
    pub fn is_unhealthy(&self) -> bool {
        self.present_health().is_some_and(|health| health.verdict == Verdict::Unhealthy)
    }

    /// When a run last checked it, or else when its round began.
    pub fn last_checked_at(&self) -> Timestamp {
        self.present_health().map_or(self.subject.round.since, |health| health.at)
    }
}

/// The applications whose releases to select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppSelection<'a> {
    pub owner: &'a Id,
    /// Of these applications. `None`: of all of the owner's.
    pub apps: Option<&'a [Id]>,
}

/// The order of releases that are under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnderWayOrder {
    /// Releases that no run has checked for longest come first.
    LastChecked,
    /// Releases with the latest rounds come first.
    Newest,
}

/// Which of the releases that are under way to select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnderWayKind {
    Any,
    /// Releases with a guard.
    Guarded,
    /// Releases with a guard, releases that some devices do not get, and releases that the last run found
    /// unhealthy.
    Notable,
}

impl UnderWayKind {
    /// The value of `?6` in [`condition`].
    const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Guarded => "guarded",
            Self::Notable => "notable",
        }
    }
}

/// A selection of releases that are under way, in an order.
#[derive(Debug, Clone, Copy)]
pub struct UnderWayList<'a> {
    /// `None` selects the releases of all owners.
    pub selection: Option<AppSelection<'a>>,
    pub order: UnderWayOrder,
    pub kind: UnderWayKind,
    pub now: Timestamp,
}

/// Number of rows read at a time.
const PAGE: u32 = 200;

impl UnderWayList<'_> {
    /// The first `limit` releases that `wanted` accepts.
    pub fn first(
        self,
        conn: &impl SqlConn,
        limit: usize,
        mut wanted: impl FnMut(&ReleaseUnderWay) -> bool,
    ) -> Result<Vec<ReleaseUnderWay>, SqlError> {
        let mut found = Vec::new();
        for page in 0.. {
            let rows = self.page(conn, page * PAGE, PAGE)?;
            let is_last = rows.len() < PAGE as usize;
            for row in rows {
                let release = row?;
                if found.len() < limit && release.as_ref().is_some_and(&mut wanted) {
                    found.extend(release);
                }
            }
            if is_last || found.len() == limit {
                break;
            }
        }
        Ok(found)
    }

    /// At most `limit` releases after the first `skip`. `None` stands for a release that is no longer under
    /// way, because it is offered to everybody, which maintenance has not written yet. An `Err` in the list
    /// stands for a release that cannot be read.
    pub fn page(
        self,
        conn: &impl SqlConn,
        skip: u32,
        limit: u32,
    ) -> Result<Vec<Result<Option<ReleaseUnderWay>, SqlError>>, SqlError> {
        let order = match self.order {
            UnderWayOrder::LastChecked => {
                "iif(json_valid(r.health), coalesce(json_extract(r.health, '$.at'), 0), 0), r.id, r.channel_id"
            }
            UnderWayOrder::Newest => "r.round_at DESC, r.id, r.channel_id",
        };
        let sql = format!("{} WHERE {} ORDER BY {order} LIMIT ?7 OFFSET ?8", select(), condition());
        let mut params = self.params()?;
        params.extend([limit.into(), skip.into()]);
        conn.run(&sql, &params)?.all(|row| Ok(under_way_release(row, self.now)))
    }

    /// The number of releases, including those for which [`Self::page`] returns `None`.
    pub fn count(self, conn: &impl SqlConn) -> Result<u64, SqlError> {
        let sql = format!("SELECT count(*) AS count FROM offers r WHERE {}", condition());
        Ok(conn.run(&sql, &self.params()?)?.one(|row| row.get("count"))?.unwrap_or(0))
    }

    fn params(self) -> Result<Vec<SqlValue>, SqlError> {
        let ago = |days: i64| self.now.plus_seconds(-days * 24 * 60 * 60);
        let apps = self.selection.and_then(|selection| selection.apps).map(to_json).transpose()?;
        let owner = self.selection.map(|selection| selection.owner);
        let over = (ago(MAX_ROUND_DAYS), ago(UNDER_WAY_DAYS));
        Ok(Vec::from(params![over.0, self.now, owner, apps, over.1, self.kind.as_str()]))
    }
}

/// A release as one channel offers it, if it is under way.
pub fn of_release(
    conn: &impl SqlConn,
    release: &Release,
    now: Timestamp,
) -> Result<Option<ReleaseUnderWay>, SqlError> {
    let sql = format!("{} WHERE r.id = ?1 AND r.channel_id = ?2 AND {}", select(), visible("?3"));
    let channel = id_or_empty(release.channel_id.as_ref());
    Ok(conn.run(&sql, &params![&release.id, channel, now])?.one(|row| under_way_release(row, now))?.flatten())
}

/// The columns of offers `r` that [`under_way_release`] reads.
fn select() -> String {
    format!(
        "SELECT {}, r.owner_id, u.username AS owner, a.name AS app, a.reports, n.name AS channel, r.health, \
          {} AS unreached FROM offers r JOIN users u ON u.id = r.owner_id JOIN apps a ON a.id = r.app_id \
         LEFT JOIN channels n ON n.id = r.channel_id",
        releases::columns(),
        watched::UNREACHED,
    )
}

/// The condition of [`Round::is_under_way`] on the written state of an offer `r`.
fn condition() -> String {
    format!(
        "r.round_at > ?1 AND {} AND (?3 IS NULL OR r.owner_id = ?3) \
          AND (?4 IS NULL OR r.app_id IN (SELECT value FROM json_each(?4))) \
          AND NOT ({FOR_ALL} AND r.offered_at <= ?5) \
          AND (?6 = 'any' OR r.guard IS NOT NULL OR (?6 = 'notable' \
            AND (NOT {FOR_ALL} OR r.rollout_state = 'paused' \
              OR iif(json_valid(r.health), json_extract(r.health, '$.verdict') = 'unhealthy', false))))",
        visible("?2")
    )
}

/// `Ok(None)`: it has been offered to everybody for so long that no run checks it any more.
fn under_way_release(row: &Row<'_>, now: Timestamp) -> Result<Option<ReleaseUnderWay>, SqlError> {
    let release = releases::release(row)?;
    let present = release.clone().as_of(now);
    let (Some(since), Some(offered_at)) = (present.round_at, present.offered_at) else {
        return Ok(None);
    };
    let round = Round { release: release.id.clone(), since };
    if !round.is_under_way(
        offered_at,
        present.rollout.basis_points(now).is_all() && present.rollout.hold != Hold::Halted,
        now,
    ) {
        return Ok(None);
    }
    let subject = GuardedRelease {
        version: release.version.clone(),
        unreached: row.json("unreached")?,
        offered_at,
        round,
    };
    Ok(Some(ReleaseUnderWay {
        owner_id: row.get("owner_id")?,
        owner: row.get("owner")?,
        app: row.get("app")?,
        reports: row.get("reports")?,
        channel: row.get("channel")?,
        release,
        subject,
        health: row.optional_json("health")?,
    }))
}
