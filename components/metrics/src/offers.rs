//! How releases are offered, and what is behind in that.

use std::collections::HashSet;

use spindrift_core::Timestamp;
use spindrift_core::health::Verdict;
use spindrift_db::health::{self, UnderWay, UnderWayOrder};
use spindrift_db::metrics::{self, Behind, StateCount};
use spindrift_db::{SqlConn, SqlError};
use spindrift_web::ApiError;

use crate::exposition::{Exposition, number, seconds, sums};
use crate::metric::{
    APP_HEALTH, APP_ROLLOUT_PERCENT, GUARD_AGE, OFFERS, SHUTOFFS, TIMES_BEHIND, WEBHOOK_BEHIND,
};

/// Most releases under way that are read: those whose round began last.
const MAX_UNDER_WAY: u32 = 1000;

const STATES: [&str; 8] =
    ["draft", "scheduled", "fixed", "running", "paused", "halted", "complete", "withdrawn"];

/// Figures about the offers of all releases.
pub(crate) struct Offers {
    states: Vec<StateCount>,
    behind: Behind,
    /// Those whose round began last first.
    under_way: Vec<UnderWay>,
}

impl Offers {
    pub(crate) fn read(conn: &impl SqlConn, now: Timestamp) -> Result<Self, SqlError> {
        Ok(Self {
            states: metrics::offers(conn, now)?,
            behind: metrics::behind(conn, now)?,
            under_way: health::under_way(conn, None, UnderWayOrder::Newest, now, MAX_UNDER_WAY)?,
        })
    }

    /// `by_app`: whether applications have metrics of their own.
    pub(crate) fn expose(&self, to: &mut Exposition, by_app: bool, now: Timestamp) -> Result<(), ApiError> {
        sums(to, &OFFERS, &STATES, &self.states)?;
        to.set(&SHUTOFFS, &[], number(self.behind.shutoffs))?;
        to.set(&TIMES_BEHIND, &[], number(self.behind.times))?;
        let webhook_since = self.behind.webhook_since;
        to.set(&WEBHOOK_BEHIND, &[], webhook_since.map_or(0.0, |since| seconds(now, since)))?;
        let guarded = self.under_way.iter().filter(|found| found.release.guard.is_some());
        if let Some(oldest) = guarded.map(UnderWay::looked_at).min() {
            to.set(&GUARD_AGE, &[], seconds(now, oldest))?;
        }
        if by_app { self.expose_apps(to, now) } else { Ok(()) }
    }

    /// Of each channel, the release whose round began last.
    fn expose_apps(&self, to: &mut Exposition, now: Timestamp) -> Result<(), ApiError> {
        let mut shown = HashSet::new();
        for found in &self.under_way {
            let channel = found.channel.as_ref().map_or("", |channel| channel.as_str());
            let labels = [found.owner.as_str(), found.app.as_str(), channel];
            if shown.insert(labels) {
                let percent =
                    f64::from(found.release.clone().as_of(now).rollout.basis_points(now).get()) / 100.0;
                to.set(&APP_ROLLOUT_PERCENT, &labels, percent)?;
                to.set(&APP_HEALTH, &labels, verdict(found, now))?;
            }
        }
        Ok(())
    }
}

fn verdict(found: &UnderWay, now: Timestamp) -> f64 {
    match found.present_health().map(|health| health.verdict_at(now)) {
        Some(Verdict::Healthy) => 1.0,
        Some(Verdict::Unhealthy) => -1.0,
        Some(Verdict::Unknown) | None => 0.0,
    }
}
