//! `GET /telemetry`.

use http::StatusCode;
use spindrift_api::{
    ArchCount, ChannelCount, DailyStats, DownloadCount, PlatformCount, TelemetryBody, TelemetrySummary,
    TelemetryVersions, VersionCount,
};
use spindrift_core::{Action, Day, Id, Resource, UserName};
use spindrift_db::apps::{self, AppFilter};
use spindrift_db::downloads;
use spindrift_db::telemetry::{self, ClientFigures, DayCount, Selection};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::telemetry::gathered_sightings;
use spindrift_service::{Failure, Ports};
use spindrift_web::{Request, Response};

use crate::request::FiguresRequest;

pub(crate) fn figures<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let filter = FiguresRequest::parse(&request.query()?, Day::of(session.now))?;
    gathered_sightings::count(ports, &session.conn);
    let selection = select(&session, filter)?;
    let days = telemetry::daily(&session.conn, &selection)?;
    let clients = telemetry::clients(&session.conn, &selection)?;
    let known = telemetry::known_versions(&session.conn, session.owner_id(), &selection.apps)?;
    let downloads = downloads::counts(&session.conn, &selection.apps, (selection.first, selection.last))?;
    private_json(
        StatusCode::OK,
        &TelemetryBody {
            downloads: download_counts(downloads),
            ..render(session.owner(), &days, clients, known)
        },
    )
}

/// Selects the applications in the filter that the caller may see. Unknown and forbidden ones are left out.
fn select(session: &Session<'_, impl Ports>, filter: FiguresRequest) -> Result<Selection, Failure> {
    let apps: Vec<Id> = apps::of_owner(&session.conn, session.owner_id(), &AppFilter::BRIEF)?
        .into_iter()
        .filter(|app| filter.apps.as_ref().is_none_or(|names| names.contains(&app.name)))
        .filter(|app| session.may(Action::View(Resource::App), Some(&app.id)))
        .map(|app| app.id)
        .collect();
    Ok(Selection {
        first: filter.first,
        last: filter.last,
        apps,
        channels: filter.channels,
        platforms: filter.platforms,
        archs: filter.archs,
    })
}

fn render(
    owner: &UserName,
    days: &[DayCount],
    clients: ClientFigures,
    known_versions: Vec<String>,
) -> TelemetryBody {
    TelemetryBody {
        date: days.last().map(|day| day.day.to_string()).unwrap_or_default(),
        date_range: days.iter().map(|day| day.day.to_string()).collect(),
        admin: owner.to_string(),
        summary: TelemetrySummary {
            total_requests: days.iter().map(|day| day.requests).sum(),
            unique_clients: clients.total,
            clients_using_latest_version: clients.latest,
            clients_outdated: clients.total.saturating_sub(clients.latest),
            total_active_apps: clients.apps,
        },
        versions: TelemetryVersions {
            used_versions_count: clients.version_count,
            known_versions,
            usage: entries(clients.versions, |version, client_count| VersionCount { version, client_count }),
        },
        platforms: entries(clients.platforms, |platform, client_count| PlatformCount {
            platform,
            client_count,
        }),
        architectures: entries(clients.archs, |arch, client_count| ArchCount { arch, client_count }),
        channels: entries(clients.channels, |channel, client_count| ChannelCount { channel, client_count }),
        daily_stats: days.iter().map(daily).collect(),
        downloads: Vec::new(),
    }
}

fn download_counts(downloads: Vec<(String, String, u64)>) -> Vec<DownloadCount> {
    let count = |(version, way, count)| DownloadCount { version, way, count };
    downloads.into_iter().map(count).collect()
}

fn entries<T>(counted: Vec<telemetry::ValueCount>, entry: impl Fn(String, u64) -> T) -> Vec<T> {
    counted.into_iter().map(|(value, count)| entry(value, count)).collect()
}

fn daily(day: &DayCount) -> DailyStats {
    DailyStats {
        date: day.day.to_string(),
        total_requests: day.requests,
        unique_clients: day.clients,
        clients_using_latest_version: day.latest,
        clients_outdated: day.clients.saturating_sub(day.latest),
    }
}
