//! The answer.

use spindrift_api::{NewestRelease, OverviewApp, OverviewBody, OverviewNow, OverviewWarning};
use spindrift_core::{App, ChannelName, Day, Timestamp};
use spindrift_db::overview::ChannelNewest;
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports, links};
use spindrift_web::PageQuery;

use super::figures::Figures;
use super::signals;

pub(super) fn body(
    all: &[App],
    apps: Vec<OverviewApp>,
    figures: &Figures,
    (total, page): (u64, PageQuery),
    warnings: Vec<OverviewWarning>,
    now: OverviewNow,
) -> OverviewBody {
    // The database counts releases of applications that a team user does not see, too.
    let releases = || all.iter().filter_map(|app| figures.releases.get(&app.id));
    OverviewBody {
        apps,
        total,
        page: page.number,
        limit: page.limit,
        maintenance: figures.last_run.ended_at.map(Timestamp::to_rfc3339),
        devices_today: figures.seen.values().map(|seen| seen.devices).sum(),
        devices: figures.all_devices,
        apps_total: all.len() as u64,
        releases_total: releases().map(|count| count.releases).sum(),
        drafts_total: releases().map(|count| count.drafts).sum(),
        open_groups_total: figures.open_failures.values().map(|open| open.groups).sum(),
        open_causes_total: figures.open_failures.values().map(|open| open.causes).sum(),
        warnings,
        now,
    }
}

pub(super) fn app(
    session: &Session<'_, impl Ports>,
    app: &App,
    figures: &Figures,
) -> Result<OverviewApp, Failure> {
    let releases = figures.releases.get(&app.id);
    let devices = figures.devices.get(&app.id);
    let daily = figures.daily.get(&app.id);
    let open = figures.open_failures.get(&app.id);
    let now = session.now;
    let today = Day::of(now);
    let on_day = |ago| daily.and_then(|daily| daily.get(&today.minus(ago).number())).copied().unwrap_or(0);
    Ok(OverviewApp {
        id: app.id.clone(),
        name: app.name.to_string(),
        logo: links::logo_url(session.ports, &app.logo_key)?,
        description: app.description.clone(),
        private: app.flags.private,
        tuf: app.flags.tuf,
        signed: figures.signed.contains(&app.id),
        reports: app.flags.reports,
        newest: figures
            .newest
            .get(&app.id)
            .into_iter()
            .flatten()
            .map(|release| newest(release, now))
            .collect(),
        drafts: releases.map_or(0, |count| count.drafts),
        releases: releases.map_or(0, |count| count.releases),
        devices_today: on_day(0),
        devices: devices.map_or(0, |count| count.devices),
        devices_on_newest: devices.map_or(0, |count| count.on_newest),
        daily: (0..Day::MONTH).rev().map(on_day).collect(),
        open_groups: open.map_or(0, |open| open.groups),
        open_causes: open.map_or(0, |open| open.causes),
        missing: signals::missing(session, app, figures)?,
    })
}

fn newest(release: &ChannelNewest, now: Timestamp) -> NewestRelease {
    let part = release.rollout.basis_points(now);
    NewestRelease {
        channel: release.channel.as_ref().map(ChannelName::to_string).unwrap_or_default(),
        version: release.version.to_string(),
        created_at: release.created_at.to_rfc3339(),
        rollout_percent: part.percent().into(),
        basis_points: part.get(),
        rollout_state: release.rollout.state(now).as_str().to_owned(),
    }
}
