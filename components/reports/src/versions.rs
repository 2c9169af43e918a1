//! `GET /reports/versions`.

use std::collections::HashMap;

use http::StatusCode;
use spindrift_api::{FailuresByVersionBody, VersionFailures};
use spindrift_core::Day;
use spindrift_db::report_versions::{self, VersionFailureCount};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports};
use spindrift_web::{Request, Response};

/// Maximum number of versions in an answer: those that failed last.
const MAX_VERSIONS: u32 = 100;

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let app = session.query_app(&request.query()?)?;
    let today = Day::of(session.now);
    let found = report_versions::of_app(&session.conn, session.owner_id(), &app.id, MAX_VERSIONS)?;
    let versions: Vec<&str> = found.iter().map(|count| count.version.as_str()).collect();
    let devices = report_versions::devices(&session.conn, &app.id, today.month(), &versions)?;
    private_json(StatusCode::OK, &render(found, &devices.into_iter().collect()))
}

fn render(mut found: Vec<VersionFailureCount>, devices: &HashMap<String, u64>) -> FailuresByVersionBody {
    found.sort_by_cached_key(|count| std::cmp::Reverse(count.version.sort_key()));
    let entry = |count: VersionFailureCount| VersionFailures {
        devices: devices.get(count.version.as_str()).copied().unwrap_or(0),
        version: count.version.to_string(),
        groups: count.groups,
        open_groups: count.open_groups,
        reports: count.reports,
    };
    FailuresByVersionBody { versions: found.into_iter().map(entry).collect() }
}
