//! `GET` and `PATCH /reports/causes`.

use http::StatusCode;
use spindrift_api::{CauseEntry, CauseRef, CausesBody, CausesPatchBody, CausesUpdatedBody, ReportedEvent};
use spindrift_core::audit::AuditKind;
use spindrift_core::{Action, Actor, ArchName, ChannelName, Day, GroupStatus, Id, PlatformName, Target};
use spindrift_db::dimensions::{self, Kind};
use spindrift_db::report_causes::{self, CauseKey, CauseOrder, CauseSort, ReportCause};
use spindrift_db::report_groups::{GroupFilter, ReportGroup, TREND_DAYS};
use spindrift_db::{Audit, SqlConn};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, PageQuery, Query, Request, Response};

use crate::audited;
use crate::filter::parse_filter;
use crate::groups::{self, field};

/// Default number of causes per page.
const DEFAULT_LIMIT: u32 = 20;
/// Maximum number of groups listed for a cause. The list of groups has all of them.
const MAX_GROUPS: u32 = 20;
/// Maximum number of causes that one call changes: a page of them.
const MAX_CHANGED: usize = 100;

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let query = request.query()?;
    let page = PageQuery::parse(&query, DEFAULT_LIMIT)?;
    let (filter, order) = (parse_filter(&query, &session.principal.actor)?, order(&query)?);
    let owner = session.owner_id();
    let today = Day::of(session.now);
    let total = report_causes::count(&session.conn, owner, &filter)?;
    let found = report_causes::page(&session.conn, owner, &filter, order, page.limit, page.skip())?;
    let keys: Vec<&CauseKey> = found.iter().map(|cause| &cause.key).collect();
    let mut latest = report_causes::groups(&session.conn, owner, &filter, &keys, MAX_GROUPS)?;
    let mut trends = report_causes::trends(&session.conn, owner, &filter, &keys, today)?;
    let items = found
        .into_iter()
        .map(|cause| {
            let groups = latest.remove(&cause.key).unwrap_or_default();
            let trend = trends.remove(&cause.key).unwrap_or_else(|| vec![0; usize::from(TREND_DAYS)]);
            entry(cause, groups, trend, today)
        })
        .collect();
    private_json(StatusCode::OK, &CausesBody { items, total, page: page.number, limit: page.limit })
}

pub(crate) async fn update<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let (causes, status) = parse_change(request.read_json(MAX_JSON_BYTES).await?)?;
    // The permission for each application is checked below.
    let filter = parse_filter(&request.query()?, &Actor::Admin)?;
    let keys: Vec<&CauseKey> = causes.iter().collect();
    let apps = report_causes::apps(&session.conn, session.owner_id(), &filter, &keys)?;
    if apps.is_empty() {
        return Err(ApiError::not_found("report cause").into());
    }
    let owner = session.owner_id();
    let place = place(&session.conn, owner, &filter)?;
    for app in &apps {
        session.principal.require_everywhere(&session.conn, Action::Triage, app, &place)?;
    }
    let updated = session.edit(|conn| {
        let updated = report_causes::set_status(conn, owner, &filter, &keys, status, session.now)?;
        if updated == 0 {
            return Ok((updated, Audit::Unchanged));
        }
        let mut entry = session.entry(AuditKind::CauseUpdate).adding(audited::causes(&causes, status));
        if let [app] = apps.as_slice()
            && let Some(app) = spindrift_db::apps::by_id(conn, owner, app)?
        {
            entry = entry.of_app(&app.id, &app.name);
        }
        Ok::<_, Failure>((updated, entry.into()))
    })?;
    private_json(StatusCode::OK, &CausesUpdatedBody { updated })
}

/// The place that a filter names. A name that it leaves out, or that no longer exists, means all.
fn place(conn: &impl SqlConn, owner: &Id, filter: &GroupFilter) -> Result<Target, Failure> {
    let id = |kind, name: Option<&str>| match name {
        Some(name) => dimensions::id_of_name(conn, kind, owner, name),
        None => Ok(None),
    };
    Ok(Target {
        channel_id: id(Kind::Channel, filter.channel.as_ref().map(ChannelName::as_str))?,
        platform_id: id(Kind::Platform, filter.platform.as_ref().map(PlatformName::as_str))?,
        arch_id: id(Kind::Arch, filter.arch.as_ref().map(ArchName::as_str))?,
    })
}

fn parse_change(body: CausesPatchBody) -> Result<(Vec<CauseKey>, GroupStatus), ApiError> {
    let causes = body.causes.ok_or_else(|| ApiError::missing("causes"))?;
    let status = body.status.ok_or_else(|| ApiError::missing("status"))?;
    if causes.is_empty() || causes.len() > MAX_CHANGED {
        let (most, count) = (MAX_CHANGED, causes.len());
        return Err(ApiError::bad_request(format!("invalid causes: a list of 1 to {most}, not of {count}")));
    }
    let key = |cause: CauseRef| {
        Ok(CauseKey {
            app_id: Id::from_text(cause.app_id),
            event: field("type", &cause.event_type)?,
            reason: field("reason", &cause.reason)?,
        })
    };
    let causes = causes.into_iter().map(key).collect::<Result<_, ApiError>>()?;
    Ok((causes, field("status", &status)?))
}

/// The accepted values of `sort`.
const SORTS: &str = "last_seen, first_seen, reports, groups or reason";

/// `sort` and `order`; by default the cause with the latest report comes first.
fn order(query: &Query) -> Result<CauseOrder, ApiError> {
    let by = match query.get("sort") {
        None | Some("last_seen") => CauseSort::LastSeen,
        Some("first_seen") => CauseSort::FirstSeen,
        Some("reports") => CauseSort::Reports,
        Some("groups") => CauseSort::Groups,
        Some("reason") => CauseSort::Reason,
        Some(other) => return Err(ApiError::invalid("sort", SORTS, Some(other))),
    };
    let descending = match query.get("order") {
        None => by != CauseSort::Reason,
        Some("desc") => true,
        Some("asc") => false,
        Some(other) => return Err(ApiError::invalid("order", "asc or desc", Some(other))),
    };
    Ok(CauseOrder { by, descending })
}

fn entry(cause: ReportCause, latest: Vec<ReportGroup>, trend: Vec<u64>, today: Day) -> CauseEntry {
    CauseEntry {
        app_id: cause.key.app_id,
        app_name: cause.app.to_string(),
        event: ReportedEvent {
            event_type: cause.key.event.as_str().to_owned(),
            reason: cause.key.reason.as_str().to_owned(),
        },
        reports: cause.reports,
        groups: cause.groups,
        open_groups: cause.open_groups,
        resolved_groups: cause.resolved_groups,
        muted_groups: cause.groups.saturating_sub(cause.open_groups + cause.resolved_groups),
        first_seen: cause.first_seen.to_rfc3339(),
        last_seen: cause.last_seen.to_rfc3339(),
        trend,
        latest: latest.into_iter().map(|group| groups::entry(group, today)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(json: &str) -> Result<usize, String> {
        let body = serde_json::from_str(json).map_err(|error| error.to_string())?;
        parse_change(body).map(|(causes, _)| causes.len()).map_err(|error| error.to_string())
    }

    #[test]
    fn changes() {
        let cause = r#"{"app_id":"1","type":"crash","reason":"segv"}"#;
        let of = |causes: &str| format!(r#"{{"causes":[{causes}],"status":"resolved"}}"#);
        assert_eq!(change(&of(cause)), Ok(1));
        let many = [cause; MAX_CHANGED + 1].join(",");
        for (json, error) in [
            ("{}".to_owned(), "missing causes"),
            (r#"{"causes":[]}"#.to_owned(), "missing status"),
            (of(""), "invalid causes: a list of 1 to 100, not of 0"),
            (of(&many), "invalid causes: a list of 1 to 100, not of 101"),
            (
                of(&cause.replace("crash", "crush")),
                "invalid type: crash, startup_failure, update_failure, install_failure or rollback_failure, not \"crush\"",
            ),
            (
                of(&cause.replace("segv", "a b")),
                "invalid reason: 1 to 128 letters, digits, `.`, `_` or `-`, not \"a b\"",
            ),
            (
                of(cause).replace("resolved", "closed"),
                "invalid status: open, resolved or muted, not \"closed\"",
            ),
        ] {
            assert_eq!(change(&json), Err(error.to_owned()), "{json}");
        }
    }

    #[test]
    fn orders() {
        let order = |text: &str| order(&Query::parse(text).unwrap()).map_err(|error| error.to_string());
        let of = |by, descending| Ok(CauseOrder { by, descending });
        assert_eq!(order(""), of(CauseSort::LastSeen, true));
        assert_eq!(order("sort=reason"), of(CauseSort::Reason, false));
        assert_eq!(order("sort=reports&order=asc"), of(CauseSort::Reports, false));
        assert!(order("sort=app").unwrap_err().starts_with("invalid sort parameter: "));
        assert_eq!(order("order=down"), Err("invalid order parameter: asc or desc, not \"down\"".to_owned()));
    }
}
