//! `GET /audit` and `GET /audit/head`.

use http::{HeaderValue, StatusCode, header};
use spindrift_api::{AuditBody, AuditHeadBody, AuditLine};
use spindrift_core::{Action, Id};
use spindrift_db::audit::{self, AuditFilter, AuditOrder, AuditRow};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports, ServiceError, audit_entries};
use spindrift_web::{ApiError, Query, Request, Response, response};

use crate::filter::{AuditFormat, AuditRequest};

const JSON_LINES: HeaderValue = HeaderValue::from_static("application/jsonl");

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let query = request.query()?;
    let app = query.get("app").map(|_| app(&session, &query)).transpose()?.flatten();
    let requested = AuditRequest::parse(&query, &session.principal.actor, app)?;
    if requested.format == AuditFormat::JsonLines {
        session.require(Action::Administer, None)?;
    }
    let rows =
        audit::page(&session.conn, session.owner_id(), &requested.filter, requested.order, requested.limit)?;
    match requested.format {
        AuditFormat::Json => page(&rows, requested.limit),
        AuditFormat::JsonLines => lines(rows),
    }
}

pub(crate) fn head<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, request)?;
    session.require_fresh_login()?;
    let head = audit::head(&session.conn, session.owner_id())?;
    private_json(StatusCode::OK, &AuditHeadBody { seq: head.seq, hash: head.hash.to_string() })
}

/// The application that now has the name in the query. `Ok(None)`: only an application that the
/// caller may see had this name before. 404 if the log does not contain it either.
fn app(session: &Session<'_, impl Ports>, query: &Query) -> Result<Option<Id>, Failure> {
    let unknown = match session.query_app(query) {
        Err(unknown @ ServiceError::UnknownName(_)) => unknown,
        known => return Ok(Some(known?.id)),
    };
    let apps = session.principal.actor.visible_apps();
    let filter = AuditFilter { app_name: query.optional("app")?, apps, ..AuditFilter::default() };
    let former = audit::page(&session.conn, session.owner_id(), &filter, AuditOrder::NewestFirst(None), 1)?;
    if former.is_empty() { Err(unknown.into()) } else { Ok(None) }
}

fn page(rows: &[AuditRow], limit: u32) -> Result<Response, Failure> {
    let is_full = rows.len() == limit as usize;
    let next = rows.last().map(|row| row.seq).filter(|_| is_full);
    let items = rows.iter().map(audit_entries::item).collect::<Result<_, _>>()?;
    private_json(StatusCode::OK, &AuditBody { items, next })
}

fn lines(rows: Vec<AuditRow>) -> Result<Response, Failure> {
    let mut lines = Vec::new();
    for AuditRow { entry, hash, .. } in rows {
        let line = AuditLine { hash: hash.to_string(), entry };
        serde_json::to_writer(&mut lines, &line)
            .map_err(|error| ApiError::Internal { internal: error.to_string() })?;
        lines.push(b'\n');
    }
    let mut response = response::respond(StatusCode::OK, JSON_LINES, lines);
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    Ok(response)
}
