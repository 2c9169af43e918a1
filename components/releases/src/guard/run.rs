//! One run. It starts with the releases that no run has checked for longest, grouped by owner and
//! application.

use std::collections::HashSet;

use spindrift_api::GuardRunBody;
use spindrift_core::health::Verdict;
use spindrift_core::{Id, Timestamp};
use spindrift_db::SqlError;
use spindrift_db::health::{self, GuardLease};
use spindrift_db::under_way::{AppSelection, ReleaseUnderWay, UnderWayKind, UnderWayList, UnderWayOrder};
use spindrift_service::{Failure, Ports, log};

use super::assess::assess_app;
use super::caller::GuardCaller;

/// Maximum number of releases that one run checks. The next run starts with the others.
const MAX_RELEASES: u32 = 200;

/// A run. A release that fails does not end it.
pub(super) struct GuardRun<'a, P: Ports> {
    pub(super) ports: &'a P,
    pub(super) conn: &'a P::Conn,
    pub(super) caller: &'a GuardCaller,
    /// The holder of the leases.
    holder: &'a Id,
    /// When the leases expire.
    until: Timestamp,
    body: GuardRunBody,
    /// The releases read so far, each with its channel.
    seen: HashSet<(Id, Option<Id>)>,
    /// Number of rows that stay at the front of the order, because no findings were stored for them.
    stuck: u32,
}

impl<'a, P: Ports> GuardRun<'a, P> {
    pub(super) fn new(
        ports: &'a P,
        conn: &'a P::Conn,
        caller: &'a GuardCaller,
        holder: &'a Id,
        until: Timestamp,
    ) -> Self {
        let (body, seen) = (GuardRunBody::default(), HashSet::new());
        Self { ports, conn, caller, holder, until, body, seen, stuck: 0 }
    }

    pub(super) async fn check_all(mut self) -> Result<GuardRunBody, Failure> {
        let apps = self.caller.apps();
        let owner = self.caller.principal.as_ref().map(|principal| &principal.owner_id);
        let selection = owner.map(|owner| AppSelection { owner, apps: apps.as_deref() });
        let (order, now) = (UnderWayOrder::LastChecked, self.ports.now());
        let list = UnderWayList { selection, order, kind: UnderWayKind::Any, now };
        loop {
            let room = u64::from(MAX_RELEASES).saturating_sub(self.body.looked_at);
            let limit = u32::try_from(room).unwrap_or(MAX_RELEASES);
            let (page, stuck) = (list.page(self.conn, self.stuck, limit)?, self.stuck);
            let releases = self.unseen(page);
            if releases.is_empty() && self.stuck == stuck {
                break;
            }
            for of_owner in releases.chunk_by(|one, other| one.owner_id == other.owner_id) {
                self.check_owner(of_owner).await;
            }
        }
        let done = self.body.looked_at + u64::from(self.stuck);
        self.body.left = list.count(self.conn)?.saturating_sub(done);
        Ok(self.body)
    }

    /// The releases on a page that the run has not read yet, grouped by owner and application.
    fn unseen(&mut self, page: Vec<Result<Option<ReleaseUnderWay>, SqlError>>) -> Vec<ReleaseUnderWay> {
        let mut releases = Vec::new();
        for row in page {
            match row {
                Ok(Some(found)) => {
                    let offer = (found.release.id.clone(), found.release.channel_id.clone());
                    if self.seen.insert(offer) {
                        releases.push(found);
                    }
                }
                Ok(None) => self.stuck += 1,
                Err(error) => self.failed(1, "a release", &error),
            }
        }
        let key = |found: &ReleaseUnderWay| (found.owner_id.clone(), found.release.app_id.clone());
        releases.sort_by_cached_key(key);
        releases
    }

    /// The operator takes precedence: a run of the owner ends before its next application.
    async fn check_owner(&mut self, releases: &[ReleaseUnderWay]) {
        let Some(ReleaseUnderWay { owner_id, owner, .. }) = releases.first() else { return };
        let (conn, lease, holder) = (self.conn, GuardLease::Owner(owner_id), self.holder.as_str());
        let is_operator = self.caller.principal.is_none();
        if is_operator && let Err(error) = health::take_over(conn, lease, holder, self.until) {
            return self.failed(releases.len(), owner.as_str(), &error);
        }
        for of_app in releases.chunk_by(|one, other| one.release.app_id == other.release.app_id) {
            if self.until <= self.ports.now() {
                break;
            }
            match health::holds(conn, lease, holder) {
                Ok(true) => self.check_app(of_app).await,
                Ok(false) => break,
                Err(error) => self.failed(of_app.len(), owner.as_str(), &error),
            }
        }
        if is_operator && let Err(error) = health::end(conn, lease, holder) {
            log::warn("the lease of a guard run was not released", &error);
        }
    }

    async fn check_app(&mut self, releases: &[ReleaseUnderWay]) {
        let found = match assess_app(self.ports, self.conn, releases) {
            Ok(found) => found,
            Err(failure) => return self.failed(releases.len(), &name(releases), &failure),
        };
        for (release, health) in found {
            match self.act(release, &health).await {
                Ok(acted) => self.body.acted.extend(acted),
                Err(failure) => {
                    self.failed(1, &name(releases), &failure);
                    continue;
                }
            }
            self.body.looked_at += 1;
            match health.verdict {
                Verdict::Unhealthy => self.body.unhealthy += 1,
                Verdict::Unknown => self.body.unknown += 1,
                Verdict::Healthy => {}
            }
        }
    }

    /// `what` names the release or its application.
    fn failed(&mut self, releases: usize, what: &str, failure: &dyn std::fmt::Display) {
        log::warn(&format!("the guard run could not look at {what}"), failure);
        self.body.failed += releases as u64;
        self.stuck = self.stuck.saturating_add(u32::try_from(releases).unwrap_or(u32::MAX));
    }
}

/// The names of the owner and the application of some releases.
fn name(releases: &[ReleaseUnderWay]) -> String {
    releases.first().map(|found| format!("{}/{}", found.owner, found.app)).unwrap_or_default()
}
