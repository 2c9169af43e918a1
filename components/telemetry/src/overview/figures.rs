//! Figures of applications from the database. The number of statements does not depend on the number of
//! applications.

use std::collections::{HashMap, HashSet};

use spindrift_core::{App, Day, Id, UNSEEN_DAYS};
use spindrift_db::listings;
use spindrift_db::maintenance::{self, LastRun};
use spindrift_db::overview::{
    self, AppActivity, ChannelNewest, Daily, DeviceCount, OpenFailures, ReleaseCount,
};
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports};

use super::total;

/// Figures by application. Missing ones are zero.
pub(super) struct Figures {
    /// Of all applications.
    pub(super) releases: HashMap<Id, ReleaseCount>,
    pub(super) seen: HashMap<Id, AppActivity>,
    pub(super) open_failures: HashMap<Id, OpenFailures>,
    /// Of those that are shown.
    pub(super) newest: HashMap<Id, Vec<ChannelNewest>>,
    pub(super) daily: HashMap<Id, Daily>,
    pub(super) devices: HashMap<Id, DeviceCount>,
    /// Applications whose signed metadata lists the files that they offer.
    pub(super) signed: HashSet<Id>,
    pub(super) all_devices: u64,
    pub(super) last_run: LastRun,
}

impl Figures {
    /// Of all applications that the caller sees, and of those that are shown.
    pub(super) fn load(
        session: &Session<'_, impl Ports>,
        all: &[App],
        shown: &[&App],
    ) -> Result<Self, Failure> {
        let (conn, now) = (&session.conn, session.now);
        let today = Day::of(now);
        let month = today.month();
        let ids: Vec<&Id> = all.iter().map(|app| &app.id).collect();
        let demanding: Vec<&Id> = shown.iter().filter(|app| app.flags.tuf).map(|app| &app.id).collect();
        let shown: Vec<&Id> = shown.iter().map(|app| &app.id).collect();
        let devices = overview::devices(conn, &shown, month)?;
        let all_devices = if shown.len() == ids.len() {
            devices.iter().map(|count| count.devices).sum()
        } else {
            total::devices(session, || overview::all_devices(conn, &ids, month))?
        };
        let mut newest: HashMap<Id, Vec<ChannelNewest>> = HashMap::new();
        for release in overview::newest(conn, &shown, now)? {
            newest.entry(release.app_id.clone()).or_default().push(release);
        }
        let week_ago = today.minus(UNSEEN_DAYS - 1);
        Ok(Self {
            releases: by_app(overview::releases(conn, session.owner_id(), now)?, |count| &count.app_id),
            seen: by_app(overview::seen(conn, &ids, month, week_ago)?, |seen| &seen.app_id),
            open_failures: by_app(overview::open_failures(conn, &ids)?, |open| &open.app_id),
            newest,
            daily: overview::daily(conn, &shown, month)?.into_iter().collect(),
            devices: by_app(devices, |count| &count.app_id),
            signed: listings::signed_apps(conn, &demanding, now)?.into_iter().collect(),
            all_devices,
            last_run: maintenance::last_run(conn)?,
        })
    }
}

fn by_app<T>(found: Vec<T>, app: impl Fn(&T) -> &Id) -> HashMap<Id, T> {
    found.into_iter().map(|value| (app(&value).clone(), value)).collect()
}
