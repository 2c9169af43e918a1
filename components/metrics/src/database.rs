//! Figures from the database: a handful of statements, regardless of its size.

use std::collections::HashMap;

use spindrift_core::{Day, Id, Timestamp};
use spindrift_db::maintenance::{self, LastRun};
use spindrift_db::metrics::{self, Grouping, OwnedApp, RoleEnd, StateCount};
use spindrift_service::{Failure, Ports};
use spindrift_web::ApiError;

use crate::exposition::{Exposition, number, seconds, sums};
use crate::metric::{
    APP_DEVICES_TODAY, APP_RELEASES, APP_REPORT_GROUPS, APP_ROLE_EXPIRES, APPS, BUCKET_OF_ANOTHER_DATABASE,
    DEVICES_TODAY, MAINTENANCE_AGE, Metric, PROJECTIONS_BEHIND, RELEASES, REPORT_GROUPS, ROLE_EXPIRES,
    UPLOADS,
};
use crate::offers::OfferMetrics;

/// Maximum number of applications that have metrics of their own. With more of them there are only sums,
/// since every one would cost Prometheus a dozen series.
const MAX_APPS: u32 = 200;

/// The numbers of the whole service.
pub(crate) struct ServiceTotals {
    /// The applications that have metrics of their own. Empty if there are too many.
    apps: Vec<OwnedApp>,
    app_count: u64,
    releases: Vec<StateCount>,
    devices: Vec<StateCount>,
    groups: Vec<StateCount>,
    uploads: Vec<StateCount>,
    projections_behind: u64,
    offers: OfferMetrics,
    ends: Vec<RoleEnd>,
    last_run: LastRun,
}

pub(crate) fn read<P: Ports>(ports: &P) -> Result<ServiceTotals, Failure> {
    let now = ports.now();
    let conn = spindrift_db::open(ports, now)?;
    let app_count = metrics::app_count(&conn)?;
    let grouping = if app_count > u64::from(MAX_APPS) { Grouping::Together } else { Grouping::ByApp };
    Ok(ServiceTotals {
        apps: if grouping == Grouping::ByApp { metrics::apps(&conn, MAX_APPS)? } else { Vec::new() },
        app_count,
        releases: metrics::releases(&conn, grouping)?,
        devices: metrics::devices(&conn, grouping, Day::of(now))?,
        groups: metrics::report_groups(&conn, grouping)?,
        uploads: metrics::uploads(&conn)?,
        projections_behind: metrics::projections_behind(&conn)?,
        offers: OfferMetrics::read(&conn, grouping == Grouping::ByApp, now)?,
        ends: metrics::role_ends(&conn, grouping)?,
        last_run: maintenance::last_run(&conn)?,
    })
}

impl ServiceTotals {
    pub(crate) fn expose(&self, to: &mut Exposition, now: Timestamp) -> Result<(), ApiError> {
        to.set(&APPS, &[], number(self.app_count))?;
        self.states(to, &RELEASES, &APP_RELEASES, &["published", "draft"], &self.releases)?;
        self.states(to, &DEVICES_TODAY, &APP_DEVICES_TODAY, &["latest", "outdated"], &self.devices)?;
        self.states(to, &REPORT_GROUPS, &APP_REPORT_GROUPS, &["open", "resolved", "muted"], &self.groups)?;
        sums(to, &UPLOADS, &["incoming", "staged", "recorded"], &self.uploads)?;
        to.set(&PROJECTIONS_BEHIND, &[], number(self.projections_behind))?;
        to.set(&MAINTENANCE_AGE, &[], seconds(now, self.last_run.due_since))?;
        let is_foreign = self.last_run.foreign_bucket_since.is_some();
        to.set(&BUCKET_OF_ANOTHER_DATABASE, &[], f64::from(u8::from(is_foreign)))?;
        self.offers.expose(to, now)?;
        self.expose_ends(to, now)
    }

    /// The sums, and the numbers of each application.
    fn states(
        &self,
        to: &mut Exposition,
        sum: &Metric,
        of_app: &Metric,
        states: &[&str],
        counts: &[StateCount],
    ) -> Result<(), ApiError> {
        sums(to, sum, states, counts)?;
        let by_app: HashMap<(&Id, &str), u64> = counts
            .iter()
            .filter_map(|count| Some(((count.app_id.as_ref()?, count.state.as_str()), count.count)))
            .collect();
        for app in &self.apps {
            for state in states {
                let count = by_app.get(&(&app.id, *state)).copied().unwrap_or(0);
                to.set(of_app, &[app.owner.as_str(), app.name.as_str(), state], number(count))?;
            }
        }
        Ok(())
    }

    fn expose_ends(&self, to: &mut Exposition, now: Timestamp) -> Result<(), ApiError> {
        let mut first: HashMap<&str, Timestamp> = HashMap::new();
        let apps: HashMap<&Id, &OwnedApp> = self.apps.iter().map(|app| (&app.id, app)).collect();
        for RoleEnd { app_id, role, expires_at } in &self.ends {
            let end = first.entry(role).or_insert(*expires_at);
            *end = (*end).min(*expires_at);
            if let Some(app) = app_id.as_ref().and_then(|id| apps.get(id)) {
                let labels = [app.owner.as_str(), app.name.as_str(), role];
                to.set(&APP_ROLE_EXPIRES, &labels, seconds(*expires_at, now))?;
            }
        }
        first.into_iter().try_for_each(|(role, end)| to.set(&ROLE_EXPIRES, &[role], seconds(end, now)))
    }
}
