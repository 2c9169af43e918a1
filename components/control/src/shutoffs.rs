//! `/shutoffs`: while a shut-off is in force, the clients in its scope are offered nothing newer
//! than they have.

use http::StatusCode;
use serde_json::{Value, json};
use spindrift_api::{MessageBody, ShutoffCreateBody, ShutoffEntry, ShutoffsBody};
use spindrift_core::audit::AuditKind;
use spindrift_core::{
    Action, App, AppName, ChannelName, Id, MAX_SHUTOFFS, PlatformName, Scope, Target, Timestamp,
};
use spindrift_db::changes::{Change, Subject};
use spindrift_db::dimensions::{self, Kind};
use spindrift_db::shutoffs::{self, Shutoff, ShutoffPlace};
use spindrift_db::{Audit, SqlConn};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json, public_reason, query_id};
use spindrift_service::requests::principal::Principal;
use spindrift_service::{Failure, Ports, ServiceError, log, static_answers};
use spindrift_web::{ApiError, Request, Response, parse_parameter, required};

/// The scope of a shut-off, by names and ids.
struct ShutoffScope {
    place: ShutoffPlace,
    channel: Option<ChannelName>,
    platform: Option<PlatformName>,
}

pub(crate) async fn create<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_to_stop(ports, &request)?;
    let ShutoffCreateBody { app, channel, platform, reason } = request.read_json(MAX_JSON_BYTES).await?;
    let name: AppName = parse_parameter("app", &required(app, "app")?)?;
    let reason = public_reason(reason)?;
    let app = session.named_app(&name)?;
    let clients = ShutoffScope::find(&session, &app, channel, platform)?;
    session.principal.require_everywhere(&session.conn, Action::Stop, &app.id, &clients.target())?;
    let (status, shutoff) = match shutoffs::of_place(&session.conn, session.owner_id(), &clients.place)? {
        Some(shutoff) => (StatusCode::OK, shutoff),
        None => shut_off(&session, &app, &clients, &reason).await?,
    };
    // The change has already written them, unless the storage failed.
    if let Err(failure) = static_answers::write(ports, &session.conn, session.owner(), &app.name).await {
        log::warn("updates are shut off, but static answers remain", &failure);
        return Err(ApiError::Unfinished("shut off, but static answers remain; call again".into()).into());
    }
    private_json(status, &entry(shutoff))
}

async fn shut_off(
    session: &Session<'_, impl Ports>,
    app: &App,
    clients: &ShutoffScope,
    reason: &str,
) -> Result<(StatusCode, Shutoff), Failure> {
    let (id, now) = (session.ports.new_id(), session.now);
    session
        .commit(Subject::App(&app.id), |conn| {
            touch(conn, clients);
            // Another call may have been faster.
            if let Some(shutoff) = shutoffs::of_place(conn, session.owner_id(), &clients.place)? {
                return Ok(((StatusCode::OK, shutoff), Audit::Unchanged));
            }
            if shutoffs::count(conn, &app.id)? >= MAX_SHUTOFFS {
                let text = format!("an application has at most {MAX_SHUTOFFS} shut-offs");
                return Err(ApiError::Conflict(text.into()).into());
            }
            let by = session.principal.origin.actor.name.clone().unwrap_or_default();
            shutoffs::insert(conn, session.owner_id(), &id, &clients.place, (reason, &by), now)?;
            let shutoff = shutoffs::by_id(conn, session.owner_id(), &id)?;
            let shutoff = shutoff.ok_or_else(|| ApiError::not_found("shut-off"))?;
            let entry = session.entry(AuditKind::ShutoffCreate).of_app(&app.id, &app.name);
            let entry = entry.adding(fields(&shutoff)).with_reason(Some(reason.to_owned()));
            Ok::<_, Failure>(((StatusCode::CREATED, shutoff), entry.into()))
        })
        .await
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let query = request.query()?;
    let app = query.get("app").map(|_| session.query_app(&query)).transpose()?;
    let apps = session.principal.actor.visible_apps();
    let found = shutoffs::of_owner(
        &session.conn,
        session.owner_id(),
        app.as_ref().map(|app| &app.id),
        apps.as_deref(),
    )?;
    private_json(StatusCode::OK, &ShutoffsBody { shutoffs: found.into_iter().map(entry).collect() })
}

pub(crate) async fn lift<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let shutoff = present(&session.conn, &session.principal, &query_id(request)?)?;
    let target = Target {
        channel_id: shutoff.channel_id.clone(),
        platform_id: shutoff.platform_id.clone(),
        arch_id: None,
    };
    session.principal.require_everywhere(&session.conn, Action::Roll, &shutoff.app_id, &target)?;
    session
        .commit(Subject::App(&shutoff.app_id), |conn| {
            let shutoff = present(conn, &session.principal, &shutoff.id)?;
            shutoffs::delete(conn, &shutoff.id)?;
            let entry = session.entry(AuditKind::ShutoffDelete).of_app(&shutoff.app_id, &shutoff.app);
            Ok::<_, Failure>(((), entry.removing(fields(&shutoff)).into()))
        })
        .await?;
    private_json(StatusCode::OK, &MessageBody { message: "Shut-off lifted".into() })
}

/// The owner's shut-off. 404 if it does not exist, or the caller may not see its application.
fn present(conn: &impl SqlConn, principal: &Principal, id: &Id) -> Result<Shutoff, Failure> {
    let shutoff = shutoffs::by_id(conn, &principal.owner_id, id)?;
    let shutoff = shutoff.ok_or_else(|| ApiError::not_found("shut-off"))?;
    principal.require_visible(&shutoff.app_id, "shut-off")?;
    Ok(shutoff)
}

impl ShutoffScope {
    fn find(
        session: &Session<'_, impl Ports>,
        app: &App,
        channel: Option<String>,
        platform: Option<String>,
    ) -> Result<Self, Failure> {
        let channel = non_empty(channel).map(|name| parse_parameter("channel", &name)).transpose()?;
        let platform = non_empty(platform).map(|name| parse_parameter("platform", &name)).transpose()?;
        let id = |kind, name: Option<&str>| {
            let Some(name) = name else { return Ok(None) };
            dimensions::id_of_name(&session.conn, kind, session.owner_id(), name).map(Some)
        };
        let channel_id = id(Kind::Channel, channel.as_ref().map(ChannelName::as_str))?;
        let platform_id = id(Kind::Platform, platform.as_ref().map(PlatformName::as_str))?;
        let known = |id: Option<Option<Id>>, kind| match id {
            Some(None) => Err(ServiceError::UnknownName(kind)),
            id => Ok(id.flatten()),
        };
        let place = ShutoffPlace {
            app_id: app.id.clone(),
            channel_id: known(channel_id, "channel")?,
            platform_id: known(platform_id, "platform")?,
        };
        Ok(Self { place, channel, platform })
    }

    fn target(&self) -> Target {
        let ShutoffPlace { channel_id, platform_id, .. } = self.place.clone();
        Target { channel_id, platform_id, arch_id: None }
    }
}

/// An optional value. Empty means missing.
fn non_empty(value: Option<String>) -> Option<String> {
    value.filter(|text| !text.is_empty())
}

/// Only the records of these clients change.
fn touch<C: SqlConn>(conn: &Change<'_, C>, clients: &ShutoffScope) {
    let (channel, platform) = (clients.channel.clone(), clients.platform.clone());
    conn.touches_only(move |scope: &Scope| {
        (channel.is_none() || scope.channel == channel) && (platform.is_none() || scope.platform == platform)
    });
}

/// The fields of a shut-off, for the audit log.
fn fields(shutoff: &Shutoff) -> Value {
    json!({ "channel": shutoff.channel, "platform": shutoff.platform, "reason": shutoff.reason })
}

fn entry(shutoff: Shutoff) -> ShutoffEntry {
    ShutoffEntry {
        id: shutoff.id,
        app: shutoff.app.into(),
        channel: shutoff.channel.unwrap_or_default(),
        platform: shutoff.platform.unwrap_or_default(),
        reason: shutoff.reason,
        created_by: shutoff.created_by,
        created_at: Timestamp::to_rfc3339(shutoff.created_at),
    }
}
