//! How releases are offered, and what is overdue.

use std::collections::HashSet;

use spindrift_core::Timestamp;
use spindrift_core::health::Verdict;
use spindrift_db::metrics::{self, OverdueWork, StateCount};
use spindrift_db::under_way::{ReleaseUnderWay, UnderWayKind, UnderWayList, UnderWayOrder};
use spindrift_db::{SqlConn, SqlError};
use spindrift_web::ApiError;

use crate::exposition::{Exposition, number, seconds, sums};
use crate::metric::{
    APP_HEALTH, APP_ROLLOUT_PERCENT, GUARD_AGE, OFFERS, SHUTOFFS, TIMES_BEHIND, WEBHOOK_BEHIND,
};

/// Maximum number of channels of applications with metrics of their own.
const MAX_CHANNELS: usize = 1000;

const STATES: [&str; 8] =
    ["draft", "scheduled", "fixed", "running", "paused", "halted", "complete", "withdrawn"];

/// Figures about the offers of all releases.
pub(crate) struct OfferMetrics {
    states: Vec<StateCount>,
    behind: OverdueWork,
    /// For each channel, the release under way whose round began last.
    newest: Vec<ReleaseUnderWay>,
    /// The oldest of the last runs that checked each guarded release under way.
    guarded_since: Option<Timestamp>,
}

impl OfferMetrics {
    /// `by_app`: whether applications have metrics of their own.
    pub(crate) fn read(conn: &impl SqlConn, by_app: bool, now: Timestamp) -> Result<Self, SqlError> {
        let kind = if by_app { UnderWayKind::Any } else { UnderWayKind::Guarded };
        let list = UnderWayList { selection: None, order: UnderWayOrder::Newest, kind, now };
        let (mut channels, mut guarded_since) = (HashSet::new(), None);
        let newest = list.first(conn, usize::MAX, |found| {
            if found.release.guard.is_some() {
                let at = found.last_checked_at();
                guarded_since = Some(guarded_since.map_or(at, |since: Timestamp| since.min(at)));
            }
            let channel = (found.release.app_id.clone(), found.release.channel_id.clone());
            by_app && channels.len() < MAX_CHANNELS && channels.insert(channel)
        })?;
        let (states, behind) = (metrics::offers(conn, now)?, metrics::overdue_work(conn, now)?);
        Ok(Self { states, behind, newest, guarded_since })
    }

    pub(crate) fn expose(&self, to: &mut Exposition, now: Timestamp) -> Result<(), ApiError> {
        sums(to, &OFFERS, &STATES, &self.states)?;
        to.set(&SHUTOFFS, &[], number(self.behind.shutoffs))?;
        to.set(&TIMES_BEHIND, &[], number(self.behind.times))?;
        let webhook_since = self.behind.webhook_since;
        to.set(&WEBHOOK_BEHIND, &[], webhook_since.map_or(0.0, |since| seconds(now, since)))?;
        if let Some(since) = self.guarded_since {
            to.set(&GUARD_AGE, &[], seconds(now, since))?;
        }
        self.expose_apps(to, now)
    }

    fn expose_apps(&self, to: &mut Exposition, now: Timestamp) -> Result<(), ApiError> {
        for found in &self.newest {
            let channel = found.channel.as_ref().map_or("", |channel| channel.as_str());
            let labels = [found.owner.as_str(), found.app.as_str(), channel];
            let part = found.release.clone().as_of(now).rollout.basis_points(now);
            to.set(&APP_ROLLOUT_PERCENT, &labels, f64::from(part.get()) / 100.0)?;
            to.set(&APP_HEALTH, &labels, verdict(found, now))?;
        }
        Ok(())
    }
}

fn verdict(found: &ReleaseUnderWay, now: Timestamp) -> f64 {
    match found.present_health().map(|health| health.verdict_at(now)) {
        Some(Verdict::Healthy) => 1.0,
        Some(Verdict::Unhealthy) => -1.0,
        Some(Verdict::Unknown) | None => 0.0,
    }
}
