//! `GET /telemetry/adoption`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use http::StatusCode;
use spindrift_api::{AdoptionBody, AdoptionVersion};
use spindrift_core::{Day, Version};
use spindrift_db::adoption::{self, VersionDay};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::telemetry::gathered_sightings;
use spindrift_service::{Failure, Ports};
use spindrift_web::{Request, Response};

use crate::days;

/// Maximum number of versions that are named: as many as a chart can tell apart.
const MOST_VERSIONS: u32 = 8;

pub(crate) fn adoption<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let query = request.query()?;
    let days = days::parse_or(&query, Day::MONTH, Day::of(session.now))?;
    let app = session.query_app(&query)?;
    gathered_sightings::count(ports, &session.conn);
    let found = adoption::by_day(&session.conn, &app.id, days, MOST_VERSIONS)?;
    private_json(StatusCode::OK, &render(&days.all(), found))
}

fn render(days: &[Day], found: Vec<VersionDay>) -> AdoptionBody {
    let mut other = vec![0; days.len()];
    let mut versions: BTreeMap<Reverse<String>, (Version, Vec<u64>)> = BTreeMap::new();
    for VersionDay { day, version, devices } in found {
        let Some(at) = days.iter().position(|known| *known == day) else { continue };
        let clients = match version {
            None => &mut other,
            Some(version) => {
                let key = Reverse(version.sort_key());
                &mut versions.entry(key).or_insert_with(|| (version, vec![0; days.len()])).1
            }
        };
        if let Some(count) = clients.get_mut(at) {
            *count += devices;
        }
    }
    let version =
        |(version, clients): (Version, Vec<u64>)| AdoptionVersion { version: version.to_string(), clients };
    AdoptionBody {
        days: days.iter().map(Day::to_string).collect(),
        versions: versions.into_values().map(version).collect(),
        other,
    }
}
