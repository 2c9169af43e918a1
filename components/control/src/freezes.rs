//! `/freezes`: until a freeze ends, steps of rollouts and scheduled publications wait
//! (`docs/rollouts.md`).

use http::StatusCode;
use serde_json::{Value, json};
use spindrift_api::{FreezeCreateBody, FreezeEntry, FreezesBody, MessageBody};
use spindrift_core::audit::{AuditEntry, AuditKind};
use spindrift_core::{
    Action, App, AppName, Freeze, Id, InvalidValue, MAX_FREEZE_SECONDS, MAX_FREEZES, MAX_SCHEDULE_SECONDS,
    Scope, Target, TextRule as _, Timestamp,
};
use spindrift_db::SqlConn;
use spindrift_db::changes::{Change, Subject};
use spindrift_db::freezes::{self, StoredFreeze};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json, public_reason};
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{ApiError, Request, Response, parse_parameter, required};

/// Every place of an application.
const EVERYWHERE: Target = Target { channel_id: None, platform_id: None, arch_id: None };

pub(crate) async fn create<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let FreezeCreateBody { app, from, to, reason } = request.read_json(MAX_JSON_BYTES).await?;
    let now = session.now;
    let span = span(from, to, now)?;
    let reason = public_reason(reason)?;
    let app = app.map(|name| parse_parameter::<AppName>("app", &name)).transpose()?;
    let app = app.map(|name| session.named_app(&name)).transpose()?;
    require_roll(&session, app.as_ref().map(|app| &app.id))?;
    let freeze = StoredFreeze {
        id: ports.new_id(),
        app_id: app.as_ref().map(|app| app.id.clone()),
        app: app.map(|App { name, .. }| name),
        span,
        reason,
        created_by: session.principal.origin.actor.name.clone().unwrap_or_default(),
        created_at: now,
    };
    session
        .commit(subject(session.owner_id(), &freeze), |conn| {
            freezes::delete_ended(conn, session.owner_id(), now)?;
            let present = freezes::of_owner(conn, session.owner_id(), None, None, now)?;
            if present.len() as u64 >= MAX_FREEZES {
                let text = format!("an owner has at most {MAX_FREEZES} freezes that are not over");
                return Err(ApiError::Conflict(text.into()).into());
            }
            touch(conn, freezes::insert(conn, session.owner_id(), &freeze)?);
            let entry = of_app(session.entry(AuditKind::FreezeCreate), &freeze).adding(fields(&freeze));
            Ok::<_, Failure>(((), entry.with_reason(Some(freeze.reason.clone())).into()))
        })
        .await?;
    private_json(StatusCode::CREATED, &entry(freeze))
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let query = request.query()?;
    let app = query.get("app").map(|_| session.query_app(&query)).transpose()?;
    let (app, apps) = (app.as_ref().map(|app| &app.id), session.principal.actor.visible_apps());
    let found = freezes::of_owner(&session.conn, session.owner_id(), app, apps.as_deref(), session.now)?;
    private_json(StatusCode::OK, &FreezesBody { freezes: found.into_iter().map(entry).collect() })
}

pub(crate) async fn end<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let id = Id::from_text(request.path().split('/').nth(2).unwrap_or_default());
    let freeze = present(&session, &session.conn, &id)?;
    require_roll(&session, freeze.app_id.as_ref())?;
    session
        .commit(subject(session.owner_id(), &freeze), |conn| {
            let freeze = present(&session, conn, &id)?;
            touch(conn, freezes::delete(conn, session.owner_id(), &freeze, session.now)?);
            let entry = of_app(session.entry(AuditKind::FreezeEnd), &freeze);
            Ok::<_, Failure>(((), entry.removing(fields(&freeze)).into()))
        })
        .await?;
    private_json(StatusCode::OK, &MessageBody { message: "Freeze ended".into() })
}

/// The owner's freeze. 404 if it does not exist or is over, or if the caller may not see its application.
fn present(session: &Session<'_, impl Ports>, conn: &impl SqlConn, id: &Id) -> Result<StoredFreeze, Failure> {
    let freeze = freezes::by_id(conn, session.owner_id(), id, session.now)?;
    let freeze = freeze.ok_or_else(|| ApiError::not_found("freeze"))?;
    if let Some(app) = &freeze.app_id {
        session.principal.require_visible(app, "freeze")?;
    }
    Ok(freeze)
}

/// 403 unless the caller may let rollouts go on everywhere that a freeze holds them. `app`: its application,
/// or all of the owner's.
fn require_roll(session: &Session<'_, impl Ports>, app: Option<&Id>) -> Result<(), ServiceError> {
    match app {
        Some(app) => session.principal.require_everywhere(&session.conn, Action::Roll, app, &EVERYWHERE),
        None => session.require(Action::Administer, None),
    }
}

/// Reads the two times of a freeze. Steps and publications that have begun by now are not held.
fn span(from: Option<String>, to: Option<String>, now: Timestamp) -> Result<Freeze, ApiError> {
    let from = from.map(|text| time("from", &text)).transpose()?.unwrap_or(now);
    let to = time("to", &required(to, "to")?)?;
    if from > now.plus_seconds(MAX_SCHEDULE_SECONDS) {
        return Err(ApiError::bad_request("invalid from: at most 366 days ahead"));
    }
    let from = from.max(Timestamp::from_millis(now.as_millis().saturating_add(1)));
    if to <= from {
        return Err(ApiError::bad_request("invalid to: it is later than from and the present"));
    }
    if to > from.plus_seconds(MAX_FREEZE_SECONDS) {
        return Err(ApiError::bad_request("invalid to: at most 90 days after the beginning"));
    }
    Ok(Freeze { from, to })
}

fn time(name: &'static str, text: &str) -> Result<Timestamp, ApiError> {
    let invalid = |_| InvalidValue::of_text(name, Timestamp::RULE, text);
    Ok(text.parse().map_err(invalid)?)
}

fn subject<'a>(owner: &'a Id, freeze: &'a StoredFreeze) -> Subject<'a> {
    freeze.app_id.as_ref().map_or(Subject::Owner(owner), Subject::App)
}

/// Only the records of these applications change.
fn touch<C: SqlConn>(conn: &Change<'_, C>, apps: Vec<AppName>) {
    conn.touches_only(move |scope: &Scope| apps.contains(&scope.app));
}

fn of_app(entry: AuditEntry, freeze: &StoredFreeze) -> AuditEntry {
    match freeze.app_id.as_ref().zip(freeze.app.as_ref()) {
        Some((id, name)) => entry.of_app(id, name),
        None => entry,
    }
}

/// The fields of a freeze, for the audit log.
fn fields(freeze: &StoredFreeze) -> Value {
    let Freeze { from, to } = freeze.span;
    json!({ "app": freeze.app, "from": from.to_rfc3339(), "to": to.to_rfc3339(), "reason": freeze.reason })
}

fn entry(freeze: StoredFreeze) -> FreezeEntry {
    FreezeEntry {
        id: freeze.id,
        app: freeze.app.map(Into::into).unwrap_or_default(),
        from: freeze.span.from.to_rfc3339(),
        to: freeze.span.to.to_rfc3339(),
        reason: freeze.reason,
        created_by: freeze.created_by,
        created_at: freeze.created_at.to_rfc3339(),
    }
}
