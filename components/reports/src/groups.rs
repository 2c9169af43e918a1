//! `GET /reports/groups`, `PATCH` and `DELETE /reports/groups/{hash}`.

use std::str::FromStr;

use http::StatusCode;
use spindrift_api::{
    GroupDeletedBody, GroupEntry, GroupPatchBody, GroupStats, GroupUpdatedBody, GroupsBody,
    ReportedApplication, ReportedEvent, ReportedSystem,
};
use spindrift_core::audit::AuditKind;
use spindrift_core::{
    Action, Day, FailureReport, GroupHash, Id, InvalidReport, InvalidValue, Resource, TextRule, checked_note,
    checked_tags,
};
use spindrift_db::report_groups::{self, GroupChange, ReportGroup};
use spindrift_db::{Audit, SqlConn};
use spindrift_service::objects::report_blobs;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::requests::principal::Principal;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, PageQuery, Request, Response};

use crate::audited;
use crate::filter::parse_filter;

/// Default number of groups per page.
const DEFAULT_LIMIT: u32 = 20;

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let query = request.query()?;
    let page = PageQuery::parse(&query, DEFAULT_LIMIT)?;
    let filter = parse_filter(&query, &session.principal.actor)?;
    let total = report_groups::count(&session.conn, session.owner_id(), &filter)?;
    let found = report_groups::page(&session.conn, session.owner_id(), &filter, page.limit, page.skip())?;
    let today = Day::of(session.now);
    let items = found.into_iter().map(|group| entry(group, today)).collect();
    private_json(StatusCode::OK, &GroupsBody { items, total, page: page.number, limit: page.limit })
}

pub(crate) async fn update<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let change = parse_change(request.read_json(MAX_JSON_BYTES).await?)?;
    let group = find(&session.conn, &session.principal, &request)?;
    session.require(Action::Triage, Some(&group.app_id))?;
    session.edit(|conn| {
        // Again: the group may have been changed meanwhile.
        let group = report_groups::by_hash(conn, session.owner_id(), &group.hash, Some(&group.app_id))?;
        let group = group.ok_or_else(unknown_group)?;
        report_groups::update(conn, &group.id, &change, session.now)?;
        let (before, after) = audited::changes(&group, &change);
        let entry = audited::of_group(&session.principal, AuditKind::ReportUpdate, &group);
        Ok::<_, Failure>(((), Audit::of_change(entry, before, after)))
    })?;
    let group_hash = group.hash.as_str().to_owned();
    private_json(StatusCode::OK, &GroupUpdatedBody { group_hash, updated: true })
}

pub(crate) async fn delete<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let group = find(&session.conn, &session.principal, request)?;
    session.require(Action::Delete(Resource::App), Some(&group.app_id))?;
    let deletion = session.edit(|conn| {
        let deletion = report_blobs::forget_group(ports, conn, &group.id)?;
        Ok::<_, Failure>((
            deletion,
            audited::of_group(&session.principal, AuditKind::ReportDelete, &group).into(),
        ))
    })?;
    if !deletion.is_empty() {
        deletion.delete(&session.conn, &session.storage()?).await?;
    }
    let group_hash = group.hash.as_str().to_owned();
    private_json(StatusCode::OK, &GroupDeletedBody { group_hash, deleted: true })
}

fn unknown_group() -> ApiError {
    ApiError::not_found("report group")
}

/// The group in the path, of the application `app_id` in the query if given. An invalid hash matches no
/// group.
pub(crate) fn find(
    conn: &impl SqlConn,
    principal: &Principal,
    request: &Request,
) -> Result<ReportGroup, Failure> {
    let hash: GroupHash =
        request.path().split('/').nth(3).and_then(|text| text.parse().ok()).ok_or_else(unknown_group)?;
    let app = request.query()?.get("app_id").map(Id::from_text);
    Ok(report_groups::by_hash(conn, &principal.owner_id, &hash, app.as_ref())?.ok_or_else(unknown_group)?)
}

fn parse_change(body: GroupPatchBody) -> Result<GroupChange, ApiError> {
    if body == GroupPatchBody::default() {
        return Err(ApiError::missing("status, tags or note"));
    }
    let refused = |error: InvalidReport| ApiError::bad_request(error.to_string());
    Ok(GroupChange {
        status: body.status.map(|text| field("status", &text)).transpose()?,
        tags: body.tags.map(|tags| checked_tags(tags).map_err(refused)).transpose()?,
        note: body.note.map(|text| checked_note(text).map_err(refused)).transpose()?,
    })
}

/// A value of a body; 400 with its rule if it breaks it.
pub(crate) fn field<T: FromStr + TextRule>(name: &'static str, text: &str) -> Result<T, ApiError> {
    text.parse().map_err(|_| InvalidValue::of_text(name, T::RULE, text).into())
}

/// The common fields of a group's reports, as in answers.
pub(crate) fn parts(report: &FailureReport) -> (ReportedApplication, ReportedSystem, ReportedEvent) {
    let application = ReportedApplication {
        name: report.app.to_string(),
        version: report.version.to_string(),
        channel: report.channel.to_string(),
    };
    let system = ReportedSystem { platform: report.platform.to_string(), arch: report.arch.to_string() };
    let event = ReportedEvent {
        event_type: report.event.as_str().to_owned(),
        reason: report.reason.as_str().to_owned(),
    };
    (application, system, event)
}

pub(crate) fn entry(group: ReportGroup, today: Day) -> GroupEntry {
    let trend = group.trend(today);
    let (application, system, event) = parts(&group.report);
    GroupEntry {
        id: group.id,
        group_hash: group.hash.as_str().to_owned(),
        app_id: group.app_id,
        application,
        system,
        event,
        stats: GroupStats {
            count: group.count,
            first_seen: group.first_seen.to_rfc3339(),
            last_seen: group.last_seen.to_rfc3339(),
            details_stored: group.details_stored,
            details_rejected: group.details_rejected,
        },
        trend,
        status: group.status.as_str().to_owned(),
        tags: group.tags,
        note: group.note,
        created_at: group.created_at.to_rfc3339(),
        updated_at: group.updated_at.to_rfc3339(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(json: &str) -> Result<GroupChange, String> {
        let body = serde_json::from_str(json).map_err(|error| error.to_string())?;
        parse_change(body).map_err(|error| error.to_string())
    }

    #[test]
    fn changes() {
        let good = change(r#"{"status":"muted","tags":["a","a"],"note":""}"#).unwrap();
        assert_eq!((good.tags, good.note), (Some(vec!["a".to_owned()]), Some(String::new())));
        for (json, error) in [
            ("{}", "missing status, tags or note"),
            (r#"{"count":1}"#, "missing status, tags or note"),
            (r#"{"status":"closed"}"#, "invalid status: open, resolved or muted, not \"closed\""),
            (
                r#"{"tags":[""]}"#,
                "invalid tags: each has 1 to 64 characters, on one line, without control characters and without \
                 characters that change the direction of text",
            ),
            (&format!(r#"{{"note":"{}"}}"#, "n".repeat(4001)), "invalid note: at most 4000 characters"),
        ] {
            assert_eq!(change(json).unwrap_err(), error, "{json}");
        }
        assert_eq!(change(r#"{"note":"n","count":1}"#).unwrap().note.as_deref(), Some("n"));
        assert_eq!(change(r#"{"count":1}"#).unwrap_err(), "missing status, tags or note");
    }
}
