//! `/webhooks`: addresses that are notified of audit log entries (`docs/webhooks.md`).

use http::StatusCode;
use serde_json::{Value, json};
use spindrift_api::{
    ErrorCode, MessageBody, WebhookCreateBody, WebhookEntry, WebhookUpdateBody, WebhooksBody,
};
use spindrift_auth::WebhookSecret;
use spindrift_core::audit::AuditKind;
use spindrift_core::webhook::{
    MAX_WEBHOOKS, WebhookKinds, WebhookOrigins, default_webhook_name, webhook_name,
};
use spindrift_core::{AppName, Id, Timestamp};
use spindrift_db::webhooks::{self, Webhook};
use spindrift_db::{Audit, SqlConn, audit};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json, query_id};
use spindrift_service::requests::principal::Principal;
use spindrift_service::webhooks::{origins, send_test};
use spindrift_service::{Failure, Ports};
use spindrift_settings::JWT_SECRET;
use spindrift_web::{ApiError, Reason, Request, Response, parse_parameter, required};

pub(crate) async fn create<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    let allowed = allowed(ports)?;
    let WebhookCreateBody { url, name, kinds, app, halt_links } = request.read_json(MAX_JSON_BYTES).await?;
    let url = address(required(url, "url")?, &allowed)?;
    let name = name.map_or_else(|| Ok(default_webhook_name(&url)), |name| self::name(&name))?;
    let kinds = WebhookKinds::parse(kinds.ok_or_else(|| ApiError::missing("kinds"))?);
    let kinds = kinds.map_err(|error| ApiError::bad_request(error.to_string()))?;
    let app: Option<AppName> = app.map(|name| parse_parameter("app", &name)).transpose()?;
    let app = app.map(|name| session.named_app(&name)).transpose()?;
    let id = ports.new_id();
    let secret = secret(ports, &id)?;
    let webhook = session.edit(|conn| {
        let present = webhooks::of_owner(conn, session.owner_id())?.len() as u64;
        if present >= MAX_WEBHOOKS {
            return Err(
                ApiError::Conflict(format!("there are at most {MAX_WEBHOOKS} webhooks").into()).into()
            );
        }
        // The webhook begins with the next entry: this entry is about the webhook itself.
        let delivered_seq = audit::head(conn, session.owner_id())?.seq + 1;
        let webhook = Webhook {
            id: id.clone(),
            owner_id: session.owner_id().clone(),
            app_id: app.as_ref().map(|app| app.id.clone()),
            app: app.as_ref().map(|app| app.name.clone()),
            name: name.clone(),
            url: url.clone(),
            kinds: kinds.clone(),
            delivered_seq,
            halt_links_from: halt_links.unwrap_or_default().then_some(delivered_seq + 1),
            failing_since: None,
            last_failure: None,
            next_try: None,
            off_at: None,
            created_at: session.now,
        };
        webhooks::insert(conn, &webhook)?;
        let entry = noted(&session.principal, AuditKind::WebhookCreate, &webhook).adding(fields(&webhook));
        Ok::<_, Failure>((webhook, entry.into()))
    })?;
    private_json(StatusCode::CREATED, &WebhookEntry { secret: Some(secret.expose()), ..entry(webhook) })
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, request)?;
    let origins = allowed(ports)?.texts().map(str::to_owned).collect();
    let webhooks = webhooks::of_owner(&session.conn, session.owner_id())?;
    private_json(
        StatusCode::OK,
        &WebhooksBody { webhooks: webhooks.into_iter().map(entry).collect(), origins },
    )
}

pub(crate) async fn update<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    allowed(ports)?;
    let WebhookUpdateBody { name, halt_links } = request.read_json(MAX_JSON_BYTES).await?;
    let name = name.map(|name| self::name(&name)).transpose()?;
    let id = id_in_path(&request);
    let webhook = session.edit(|conn| {
        let old = present(conn, &session.principal, &id)?;
        // This change adds the next entry. Links that were revoked before stay revoked.
        let next = audit::head(conn, session.owner_id())?.seq + 1;
        let halt_links_from = match halt_links {
            None => old.halt_links_from,
            Some(false) => None,
            Some(true) => Some(old.halt_links_from.unwrap_or(next)),
        };
        let name = name.clone().unwrap_or_else(|| old.name.clone());
        webhooks::update(conn, session.owner_id(), &id, &name, halt_links_from)?;
        let new = Webhook { name, halt_links_from, ..old.clone() };
        let entry = noted(&session.principal, AuditKind::WebhookUpdate, &new);
        Ok::<_, Failure>((new.clone(), Audit::of_change(entry, fields(&old), fields(&new))))
    })?;
    private_json(StatusCode::OK, &entry(webhook))
}

pub(crate) fn delete<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, request)?;
    allowed(ports)?;
    let webhook = present(&session.conn, &session.principal, &query_id(request)?)?;
    session.edit(|conn| {
        if !webhooks::delete(conn, session.owner_id(), &webhook.id)? {
            return Err(ApiError::not_found("webhook").into());
        }
        let entry = noted(&session.principal, AuditKind::WebhookDelete, &webhook).removing(fields(&webhook));
        Ok::<_, Failure>(((), entry.into()))
    })?;
    private_json(StatusCode::OK, &MessageBody { message: "Webhook deleted".into() })
}

pub(crate) async fn test<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, request)?;
    allowed(ports)?;
    let webhook = present(&session.conn, &session.principal, &id_in_path(request))?;
    send_test(ports, &webhook).await?;
    private_json(StatusCode::OK, &MessageBody { message: "The receiver took the message".into() })
}

/// The origins that webhooks may have. 403 if there is none.
fn allowed(ports: &impl Ports) -> Result<WebhookOrigins, Failure> {
    let origins = origins(ports)?;
    if origins.is_empty() {
        let text = "webhooks are off: the setting webhook_origin names no origin";
        return Err(ApiError::Forbidden(Reason::new(ErrorCode::WebhooksOff, text)).into());
    }
    Ok(origins)
}

fn address(url: String, origins: &WebhookOrigins) -> Result<String, ApiError> {
    if !origins.have(&url) {
        let origins: Vec<&str> = origins.texts().collect();
        let origins = origins.join(" or ");
        return Err(ApiError::bad_request(format!("invalid url: it must be an address below {origins}")));
    }
    Ok(url)
}

fn name(text: &str) -> Result<String, ApiError> {
    webhook_name(text).map_err(|error| ApiError::bad_request(format!("invalid name: {error}")))
}

fn id_in_path(request: &Request) -> Id {
    Id::from_text(request.path().split('/').nth(2).unwrap_or_default())
}

fn secret(ports: &impl Ports, id: &Id) -> Result<WebhookSecret, Failure> {
    let secret = WebhookSecret::derive(&JWT_SECRET.read(ports)?, id);
    Ok(secret.ok_or_else(|| JWT_SECRET.missing())?)
}

/// The owner's webhook. 404 if there is none.
fn present(conn: &impl SqlConn, admin: &Principal, id: &Id) -> Result<Webhook, Failure> {
    let webhook = webhooks::by_id(conn, &admin.owner_id, id)?;
    Ok(webhook.ok_or_else(|| ApiError::not_found("webhook"))?)
}

/// The audit entry of a change. It has the name and not the address, which may contain the receiver's
/// secret.
fn noted(admin: &Principal, kind: AuditKind, webhook: &Webhook) -> spindrift_core::audit::AuditEntry {
    let entry = admin.entry(kind).of_object(&webhook.id, webhook.name.as_str());
    match webhook.app_id.as_ref().zip(webhook.app.as_ref()) {
        Some((id, name)) => entry.of_app(id, name),
        None => entry,
    }
}

fn fields(webhook: &Webhook) -> Value {
    json!({
        "name": webhook.name,
        "kinds": webhook.kinds.as_list(),
        "halt_links": webhook.halt_links_from.is_some(),
    })
}

fn entry(webhook: Webhook) -> WebhookEntry {
    WebhookEntry {
        id: webhook.id,
        name: webhook.name,
        url: webhook.url,
        kinds: webhook.kinds.as_list().to_vec(),
        app: webhook.app.map(Into::into).unwrap_or_default(),
        halt_links: webhook.halt_links_from.is_some(),
        delivered_seq: webhook.delivered_seq,
        failing_since: webhook.failing_since.map(Timestamp::to_rfc3339),
        last_failure: webhook.last_failure,
        next_try: webhook.next_try.map(Timestamp::to_rfc3339),
        off_at: webhook.off_at.map(Timestamp::to_rfc3339),
        created_at: webhook.created_at.to_rfc3339(),
        secret: None,
    }
}
