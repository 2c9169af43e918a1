//! Team users, managed by their admin.

use http::StatusCode;
use spindrift_api::{MessageBody, UserBody, UserEntry, UsersBody, role_name};
use spindrift_auth::PasswordHash;
use spindrift_core::audit::AuditKind;
use spindrift_core::{EmailAddress, Id, Permissions, TeamMembership, Timestamp, User, UserName};
use spindrift_db::users::{self, TeamUser, UserChange};
use spindrift_db::{Audit, SqlConn};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, ErrorCode, Request, Response, parse_parameter, required};

use crate::allowed::require_all;
use crate::audited;
use crate::credentials::{hash, parse_name, parse_new_password, parse_password, require_free_name};
use crate::new_permissions::NewPermissions;
use crate::target::read_id;

fn not_found() -> Failure {
    ApiError::not_found("user").into()
}

fn message(message: &'static str) -> Result<Response, Failure> {
    private_json(StatusCode::OK, &MessageBody { message: message.into() })
}

pub(crate) async fn create<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    session.require_fresh_login()?;
    let body: UserBody = request.read_json(MAX_JSON_BYTES).await?;
    let name = parse_name(body.username)?;
    let email = body.email.map(|text| parse_parameter::<EmailAddress>("email", &text)).transpose()?;
    // Somebody with an e-mail address can sign in without a password.
    let password = if email.is_some() {
        parse_new_password(body.password)?
    } else {
        Some(parse_password(body.password)?)
    };
    let new = NewPermissions::parse(body.role, body.permissions)?;
    let hash = password.map(|password| hash(ports, &password)).transpose()?;
    let hash = hash.as_ref().map_or("", PasswordHash::expose);
    let (id, now) = (ports.new_id(), session.now);
    session.edit(|conn| {
        let permissions = new.of_new(conn, session.owner_id())?;
        let team = TeamMembership {
            owner_id: session.owner_id().clone(),
            owner: session.owner().clone(),
            permissions: permissions.clone(),
        };
        let user = User { id: id.clone(), name: name.clone(), team: Some(team) };
        require_all(conn, session.owner_id(), &permissions)?;
        require_free_name(conn, &user.name, None)?;
        users::insert(conn, &user, hash, now)?;
        if let Some(email) = &email {
            if users::by_email(conn, email)?.is_some() {
                let text = "a user with this e-mail address already exists";
                return Err(ApiError::conflict(ErrorCode::AlreadyExists, text).into());
            }
            users::set_email(conn, &user.id, email)?;
        }
        let entry = session.entry(AuditKind::UserCreate).of_object(&user.id, user.name.as_str());
        Ok::<_, Failure>(((), entry.adding(audited::user(&user.name, Some(&permissions))).into()))
    })?;
    message("User created")
}

pub(crate) async fn update<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    session.require_fresh_login()?;
    let body: UserBody = request.read_json(MAX_JSON_BYTES).await?;
    let id = Id::from_text(required(body.id, "id")?);
    let name = body.username.map(|name| parse_name(Some(name))).transpose()?;
    let password = parse_new_password(body.password)?;
    let new = NewPermissions::parse(body.role, body.permissions)?;
    require_member(&session.conn, session.owner_id(), &id)?;
    let password_hash = password.map(|password| hash(ports, &password)).transpose()?;
    let password_hash = password_hash.map(|hash| hash.expose().to_owned());
    let mut change =
        UserChange { name, end_logins: password_hash.is_some(), password_hash, permissions: None };
    let now = session.now;
    session.edit(|conn| {
        let (old_name, before) = require_member(conn, session.owner_id(), &id)?;
        change.permissions = new.over(conn, session.owner_id(), &before)?;
        if let Some(permissions) = &change.permissions {
            require_all(conn, session.owner_id(), permissions)?;
            change.end_logins |= !permissions.cover(&before);
        }
        if let Some(name) = &change.name {
            require_free_name(conn, name, Some(&id))?;
        }
        users::update(conn, &id, &change, now)?;
        let name = change.name.as_ref().unwrap_or(&old_name);
        let permissions = change.permissions.as_ref().unwrap_or(&before);
        let has_new_password = change.password_hash.is_some();
        let after = audited::changed_user(name, Some(permissions), has_new_password, change.end_logins);
        let entry = session.entry(AuditKind::UserUpdate).of_object(&id, name.as_str());
        Ok::<_, Failure>(((), Audit::of_change(entry, audited::user(&old_name, Some(&before)), after)))
    })?;
    message("User updated")
}

/// The name and the permissions of the admin's team user with this id. 404 if there is none; the admin is not
/// a team user.
fn require_member(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<(UserName, Permissions), Failure> {
    let user = users::by_id(conn, id)?.ok_or_else(not_found)?.user;
    let team = user.team.filter(|team| team.owner_id == *owner).ok_or_else(not_found)?;
    Ok((user.name, team.permissions))
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, request)?;
    let team = users::team(&session.conn, session.owner_id())?.into_iter().map(entry).collect();
    let password_login_off = users::is_password_login_off(&session.conn, session.owner_id())?;
    private_json(StatusCode::OK, &UsersBody { users: team, password_login_off })
}

fn entry(user: TeamUser) -> UserEntry {
    UserEntry {
        id: user.id,
        username: user.name.into(),
        role: role_name(&user.permissions),
        permissions: user.permissions.into(),
        email: user.email,
        has_sso: user.has_sso,
        has_passkey: user.has_passkey,
        last_seen_at: user.last_seen_at.map(Timestamp::to_rfc3339),
        created_at: user.created_at.to_rfc3339(),
        updated_at: user.updated_at.to_rfc3339(),
    }
}

pub(crate) async fn delete<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    session.require_fresh_login()?;
    let id = read_id(request).await?;
    session.edit(|conn| {
        let (name, permissions) = require_member(conn, session.owner_id(), &id)?;
        users::delete(conn, session.owner_id(), &id)?;
        let entry = session.entry(AuditKind::UserDelete).of_object(&id, name.as_str());
        Ok::<_, Failure>(((), entry.removing(audited::user(&name, Some(&permissions))).into()))
    })?;
    message("User deleted")
}
