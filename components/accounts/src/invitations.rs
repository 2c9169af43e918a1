//! Invitations to the team: an admin makes a link, with which one person joins once.

use http::StatusCode;
use spindrift_api::{
    InvitationAcceptBody, InvitationAcceptedBody, InvitationCreateBody, InvitationCreatedBody,
    InvitationEntry, InvitationsBody, MessageBody, OwnInvitationBody, role_name,
};
use spindrift_auth::InvitationSecret;
use spindrift_core::audit::{AuditKind, AuditOrigin};
use spindrift_core::{Invitation, InvitationOver, TeamMembership, Timestamp, User, UserName};
use spindrift_db::{SqlConn, invitations, users};
use spindrift_service::changes::edit;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::requests::principal::actor_of;
use spindrift_service::{Failure, Ports, ServiceError, settings};
use spindrift_settings::API_URL;
use spindrift_web::{ApiError, ErrorCode, Reason, Request, Response};

use crate::allowed::require_all;
use crate::audited;
use crate::credentials::{hash, parse_name, parse_password, require_free_name};
use crate::new_permissions::NewPermissions;
use crate::target::read_id;

fn not_found() -> Failure {
    ApiError::not_found("invitation").into()
}

fn over(why: InvitationOver) -> Failure {
    ApiError::Gone(Reason::new(ErrorCode::InvitationOver, why.to_string())).into()
}

pub(crate) async fn create<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    session.require_fresh_login()?;
    let api_url = API_URL.read(ports)?;
    let body: InvitationCreateBody = request.read_json(MAX_JSON_BYTES).await?;
    // Forms send an empty name.
    let name = body.username.filter(|name| !name.is_empty());
    let name = name.map(|name| parse_name(Some(name))).transpose()?;
    let new = NewPermissions::parse(body.role, body.permissions)?;
    let secret = InvitationSecret::generate(ports.random_bytes());
    let (id, now) = (ports.new_id(), session.now);
    let invitation = session.edit(|conn| {
        let permissions = new.of_new(conn, session.owner_id())?;
        require_all(conn, session.owner_id(), &permissions)?;
        if let Some(name) = &name {
            require_free_name(conn, name, None)?;
        }
        let invitation = Invitation {
            id: id.clone(),
            owner_id: session.owner_id().clone(),
            owner: session.owner().clone(),
            name: name.clone(),
            permissions,
            created_at: now,
            expires_at: Invitation::expiry(now),
            accepted_at: None,
            revoked_at: None,
        };
        invitations::insert(conn, &invitation, &secret.digest())?;
        let entry = session.entry(AuditKind::InvitationCreate).of_object(&id, object(&invitation));
        Ok::<_, Failure>((invitation.clone(), entry.adding(audited::invitation(&invitation)).into()))
    })?;
    let link = format!("{}/console/invitation?secret={}", api_url.trim_end_matches('/'), secret.expose());
    let body = InvitationCreatedBody { link, secret: secret.expose().to_owned(), entry: entry(invitation) };
    private_json(StatusCode::CREATED, &body)
}

/// How the audit log calls an invitation.
fn object(invitation: &Invitation) -> &str {
    invitation.name.as_ref().map_or("for anyone with the link", UserName::as_str)
}

fn entry(invitation: Invitation) -> InvitationEntry {
    InvitationEntry {
        id: invitation.id,
        username: invitation.name.map(String::from),
        role: role_name(&invitation.permissions),
        permissions: invitation.permissions.into(),
        created_at: invitation.created_at.to_rfc3339(),
        expires_at: invitation.expires_at.to_rfc3339(),
    }
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, request)?;
    let open = invitations::open(&session.conn, session.owner_id(), session.now)?;
    private_json(StatusCode::OK, &InvitationsBody { invitations: open.into_iter().map(entry).collect() })
}

pub(crate) async fn revoke<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    let id = read_id(request).await?;
    session.edit(|conn| {
        let invitation = invitations::by_id(conn, session.owner_id(), &id)?.ok_or_else(not_found)?;
        invitation.require_open(session.now).map_err(over)?;
        invitations::revoke(conn, &id, session.now)?;
        let entry = session.entry(AuditKind::InvitationRevoke).of_object(&id, object(&invitation));
        Ok::<_, Failure>(((), entry.removing(audited::invitation(&invitation)).into()))
    })?;
    private_json(StatusCode::OK, &MessageBody { message: "Invitation revoked".into() })
}

/// The invitation whose secret is the credential of the request.
fn of_request(request: &Request) -> Result<InvitationSecret, ServiceError> {
    Ok(InvitationSecret::from_header(request.header("authorization"))?)
}

fn load(conn: &impl SqlConn, secret: &InvitationSecret, now: Timestamp) -> Result<Invitation, Failure> {
    let found = invitations::by_digest(conn, &secret.digest())?.ok_or_else(not_found)?;
    found.require_open(now).map_err(over)?;
    Ok(found)
}

/// Shows an invitation to the holder of its link. Changes nothing.
pub(crate) fn show<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let secret = of_request(request)?;
    let now = ports.now();
    let invitation = load(&spindrift_db::open(ports, now)?, &secret, now)?;
    let body = OwnInvitationBody {
        owner: invitation.owner.into(),
        username: invitation.name.map(String::from),
        role: role_name(&invitation.permissions),
        expires_at: invitation.expires_at.to_rfc3339(),
    };
    private_json(StatusCode::OK, &body)
}

pub(crate) async fn accept<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    // Without the key nobody could log in to the new account.
    settings::jwt_key(ports)?;
    let secret = of_request(&request)?;
    let body: InvitationAcceptBody = request.read_json(MAX_JSON_BYTES).await?;
    let (conn, now) = (spindrift_db::open(ports, ports.now())?, ports.now());
    // Before the password is hashed, which takes time.
    let name = name(&load(&conn, &secret, now)?, body.username)?;
    let hash = hash(ports, &parse_password(body.password)?)?;
    let id = ports.new_id();
    let request_id = request.context().id();
    let owner_id = load(&conn, &secret, now)?.owner_id;
    edit(ports, &conn, &owner_id, |conn| {
        // Again: another request may have used it meanwhile.
        let invitation = load(conn, &secret, now)?;
        require_free_name(conn, &name, None)?;
        let team = TeamMembership {
            owner_id: invitation.owner_id.clone(),
            owner: invitation.owner.clone(),
            permissions: invitation.permissions.clone(),
        };
        let user = User { id: id.clone(), name: name.clone(), team: Some(team) };
        users::insert(conn, &user, hash.expose(), now)?;
        invitations::accept(conn, &invitation.id, now)?;
        let origin = AuditOrigin { actor: actor_of(&user), request_id: Some(request_id.clone()) };
        let entry = origin.entry(AuditKind::InvitationAccept).of_object(&user.id, name.as_str());
        Ok::<_, Failure>(((), entry.adding(audited::user(&name, Some(&invitation.permissions))).into()))
    })?;
    private_json(StatusCode::OK, &InvitationAcceptedBody { username: name.into() })
}

/// The name of the new user: that of the invitation, or else the chosen one.
fn name(invitation: &Invitation, chosen: Option<String>) -> Result<UserName, ApiError> {
    let chosen = chosen.filter(|name| !name.is_empty());
    match (&invitation.name, chosen) {
        (Some(name), Some(chosen)) if chosen != name.as_str() => {
            Err(ApiError::invalid("username", "the name that the invitation sets", Some(&chosen)))
        }
        (Some(name), _) => Ok(name.clone()),
        (None, chosen) => parse_name(chosen),
    }
}
