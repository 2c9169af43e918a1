//! `GET /telemetry/overview`.

mod figures;
mod now;
mod render;
mod signals;
mod total;
mod warnings;

use http::StatusCode;
use spindrift_core::{Action, App, Resource};
use spindrift_db::apps::{self, AppFilter};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::telemetry::gathered_sightings;
use spindrift_service::{Failure, Ports};
use spindrift_web::{PageQuery, Request, Response};

use self::figures::Figures;

/// Default number of applications per page.
const DEFAULT_LIMIT: u32 = 24;

pub(crate) fn overview<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let query = request.query()?;
    let page = PageQuery::parse(&query, DEFAULT_LIMIT)?;
    let search = query.get("search").map(str::to_lowercase);
    let name = query.get("app");
    gathered_sightings::count(ports, &session.conn);
    let apps: Vec<App> = apps::of_owner(&session.conn, session.owner_id(), &AppFilter::default())?
        .into_iter()
        .filter(|app| session.may(Action::View(Resource::App), Some(&app.id)))
        .collect();
    let (total, shown) = on_page(&apps, (name, search.as_deref()), page);
    let figures = Figures::load(&session, &apps, &shown)?;
    let mut under_way = now::under_way(&session, None)?;
    let warnings = warnings::find(&session, &apps, &figures, &under_way)?;
    if name.is_some() {
        // The list above may be full of releases of other applications.
        let asked: Vec<_> = shown.iter().map(|app| app.id.clone()).collect();
        under_way = now::under_way(&session, Some(&asked))?;
    }
    let now = now::body(&session, &under_way)?;
    let shown: Vec<_> =
        shown.into_iter().map(|app| render::app(&session, app, &figures)).collect::<Result<_, _>>()?;
    private_json(StatusCode::OK, &render::body(&apps, shown, &figures, (total, page), warnings, now))
}

/// The applications of the page, and the number on all pages. `name`: of a single application. `search`: a
/// part of the name, in lower case.
fn on_page<'a>(
    apps: &'a [App],
    (name, search): (Option<&str>, Option<&str>),
    page: PageQuery,
) -> (u64, Vec<&'a App>) {
    let found: Vec<&App> = apps
        .iter()
        .filter(|app| name.is_none_or(|name| app.name.as_str() == name))
        .filter(|app| search.is_none_or(|text| app.name.as_str().to_lowercase().contains(text)))
        .collect();
    let total = found.len() as u64;
    let skip = usize::try_from(page.skip()).unwrap_or(usize::MAX);
    let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
    (total, found.into_iter().skip(skip).take(limit).collect())
}
