//! The metrics: their names, meanings and labels. `docs/metrics.md` has the same list.

/// A gauge, like all of them: the state of the stores at the moment of the call.
#[derive(Debug)]
pub(crate) struct Metric {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) labels: &'static [&'static str],
}

const fn metric(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Metric {
    Metric { name, help, labels }
}

pub(crate) const BUILD_INFO: Metric =
    metric("spindrift_build_info", &["version"], "Always 1; the label is the version of the service.");
pub(crate) const STORE_UP: Metric = metric(
    "spindrift_store_up",
    &["store"],
    "Whether the store answered this call. If the database did not, most metrics are missing.",
);
pub(crate) const APPS: Metric = metric("spindrift_apps", &[], "Applications.");
pub(crate) const RELEASES: Metric = metric("spindrift_releases", &["state"], "Releases.");
pub(crate) const DEVICES_TODAY: Metric = metric(
    "spindrift_devices_today",
    &["group"],
    "Devices counted since midnight in UTC: with nothing newer to install, or outdated.",
);
pub(crate) const REPORT_GROUPS: Metric =
    metric("spindrift_report_groups", &["status"], "Groups of failure reports.");
pub(crate) const UPLOADS: Metric = metric(
    "spindrift_uploads",
    &["state"],
    "Uploads that are not finished. Recorded ones are published and wait for their staged files to be deleted.",
);
pub(crate) const PROJECTIONS_BEHIND: Metric = metric(
    "spindrift_projections_behind",
    &[],
    "Folders of static answers that are not as the database has them.",
);
pub(crate) const MAINTENANCE_AGE: Metric = metric(
    "spindrift_maintenance_age_seconds",
    &[],
    "Seconds since maintenance last ended without a failure, or since the schema changed if it has not yet.",
);
pub(crate) const BUCKET_OF_ANOTHER_DATABASE: Metric = metric(
    "spindrift_bucket_of_another_database",
    &[],
    "1 if the private bucket belongs to another database, so that maintenance leaves abandoned uploads in it.",
);
pub(crate) const OFFERS: Metric = metric("spindrift_offers", &["state"], "Releases by how they are offered.");
pub(crate) const SHUTOFFS: Metric =
    metric("spindrift_shutoffs", &[], "Shut-offs: their clients are offered no updates.");
pub(crate) const TIMES_BEHIND: Metric = metric(
    "spindrift_times_behind",
    &[],
    "Steps and publications whose time has come, and that maintenance has not settled. Checks do not wait for it.",
);
pub(crate) const GUARD_AGE: Metric = metric(
    "spindrift_guard_age_seconds",
    &[],
    "Seconds since a guard run looked at each guarded release that is under way. Missing if there is none.",
);
pub(crate) const WEBHOOK_BEHIND: Metric = metric(
    "spindrift_webhook_behind_seconds",
    &[],
    "Seconds for which deliveries to a webhook have failed; 0 if none fails. One that is off counts until it is deleted.",
);
pub(crate) const APP_ROLLOUT_PERCENT: Metric = metric(
    "spindrift_app_rollout_percent",
    &["owner", "app", "channel"],
    "Percentage of devices that are offered the release of a channel that is under way. Missing if none is.",
);
pub(crate) const APP_HEALTH: Metric = metric(
    "spindrift_app_health",
    &["owner", "app", "channel"],
    "Health of the release of a channel that is under way: 1 healthy, 0 unknown, -1 unhealthy. Missing if none is.",
);
pub(crate) const ROLE_EXPIRES: Metric = metric(
    "spindrift_repository_first_expiry_seconds",
    &["role"],
    "Seconds until the first signed metadata of the role ends, among all repositories; negative: it has ended.",
);
pub(crate) const APP_RELEASES: Metric =
    metric("spindrift_app_releases", &["owner", "app", "state"], "Releases of an application.");
pub(crate) const APP_DEVICES_TODAY: Metric = metric(
    "spindrift_app_devices_today",
    &["owner", "app", "group"],
    "Devices of an application counted since midnight in UTC.",
);
pub(crate) const APP_REPORT_GROUPS: Metric = metric(
    "spindrift_app_report_groups",
    &["owner", "app", "status"],
    "Groups of failure reports of an application.",
);
pub(crate) const APP_ROLE_EXPIRES: Metric = metric(
    "spindrift_app_repository_expiry_seconds",
    &["owner", "app", "role"],
    "Seconds until signed metadata of an application ends; negative: it has ended.",
);
