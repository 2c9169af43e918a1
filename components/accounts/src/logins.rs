//! Sign-up, login, current user, and logging out everywhere.

use http::StatusCode;
use spindrift_api::{
    LoginAnswer, LoginBody, MessageBody, SignupAnswer, SignupBody, SignupState, WhoamiBody, role_name,
};
use spindrift_auth::constant_time_eq;
use spindrift_core::audit::{AuditKind, AuditOrigin};
use spindrift_core::{Actor, User};
use spindrift_db::users;
use spindrift_service::changes::edit;
use spindrift_service::rate_limits::OnCounterFailure;
use spindrift_service::records::known_names;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::requests::principal::{Principal, actor_of};
use spindrift_service::requests::{LoginAttempt, Session, by_password, issue_login};
use spindrift_service::{Failure, Ports, ServiceError, passkeys, settings};
use spindrift_settings::API_KEY;
use spindrift_web::{ApiError, ErrorCode, Reason, Request, Response, required};

use crate::credentials::{hash, parse_name, parse_password, require_free_name};

/// Whether an admin exists: the first visitor of a new service is shown how to create one. The
/// answer reveals nothing else.
pub(crate) fn ask_signup<P: Ports>(ports: &P) -> Result<Response, Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    private_json(StatusCode::OK, &SignupState { has_admin: users::has_admin(&conn)? })
}

pub(crate) async fn signup<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    // Without the key nobody could log in to the new account.
    settings::jwt_key(ports)?;
    let body: SignupBody = request.read_json(MAX_JSON_BYTES).await?;
    let api_key = API_KEY.read(ports)?;
    let username = body.username.as_deref().unwrap_or_default();
    let attempt = LoginAttempt::begin(ports, &request, username, OnCounterFailure::Refuse)?;
    if !constant_time_eq(body.api_key.as_deref().unwrap_or_default(), &api_key) {
        return Err(ApiError::Unauthorized(Reason::new(ErrorCode::WrongApiKey, "wrong api key")).into());
    }
    attempt.take_back(ports);
    let name = parse_name(body.username)?;
    let hash = hash(ports, &parse_password(body.password)?)?;
    let (conn, now) = (spindrift_db::open(ports, ports.now())?, ports.now());
    let user = User { id: ports.new_id(), name, team: None };
    let origin = AuditOrigin { actor: actor_of(&user), request_id: Some(request.context().id()) };
    edit(ports, &conn, &user.id, |conn| {
        require_free_name(conn, &user.name, None)?;
        users::insert(conn, &user, hash.expose(), now)?;
        let entry = origin.entry(AuditKind::AdminCreate).of_object(&user.id, user.name.as_str());
        Ok::<_, Failure>(((), entry.into()))
    })?;
    known_names::forget_owners(ports);
    private_json(StatusCode::OK, &SignupAnswer { result: "Successfully created admin user.".into() })
}

/// Someone with a passkey needs it too: the refusal has the question for it.
pub(crate) async fn login<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    // Without the key there is no login.
    settings::jwt_key(ports)?;
    let body: LoginBody = request.read_json(MAX_JSON_BYTES).await?;
    let username = required(body.username, "username")?;
    let password = required(body.password, "password")?;
    let attempt = LoginAttempt::begin(ports, &request, &username, OnCounterFailure::Admit)?;
    let user = match by_password(ports, (&username, &password)) {
        Ok(Some(user)) => user,
        Ok(None) => {
            let why = Reason::new(ErrorCode::WrongCredentials, "invalid username or password");
            return Err(ApiError::Unauthorized(why).into());
        }
        Err(failure) => {
            attempt.take_back(ports);
            return Err(failure.into());
        }
    };
    if user.is_password_login_off {
        attempt.take_back(ports);
        let why = Reason::new(ErrorCode::PasswordLoginOff, "your team logs in with single sign-on");
        return Err(ApiError::Unauthorized(why).into());
    }
    if user.has_passkey {
        attempt.take_back(ports);
        let passkey = passkeys::second_factor(ports, &user.user.id)?.map(Box::new);
        return Err(ApiError::SecondFactorRequired { passkey }.into());
    }
    attempt.succeeded(ports);
    let token = issue_login(ports, &spindrift_db::open(ports, ports.now())?, &user)?;
    private_json(StatusCode::OK, &LoginAnswer { token })
}

/// Ends all logins of the caller, including the one of this call.
pub(crate) fn logout_all<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let (id, name) = session.principal.person()?;
    session.edit(|conn| {
        users::end_logins(conn, id)?;
        let entry = session.entry(AuditKind::UserLogout).of_object(id, name.as_str());
        Ok::<_, Failure>(((), entry.into()))
    })?;
    private_json(StatusCode::OK, &MessageBody { message: "Logged out everywhere".into() })
}

pub(crate) fn whoami<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    private_json(StatusCode::OK, &describe(&Session::enter_before_passkey(ports, request)?.principal)?)
}

fn describe(principal: &Principal) -> Result<WhoamiBody, ServiceError> {
    let (id, name) = principal.person()?;
    let permissions = match &principal.actor {
        Actor::TeamUser(permissions) => Some(permissions),
        Actor::Admin | Actor::CiToken { .. } => None,
    };
    Ok(WhoamiBody {
        id: id.clone(),
        username: name.to_string(),
        is_admin: principal.is_admin(),
        owner: permissions.map(|_| principal.owner.to_string()),
        role: permissions.map(role_name),
        permissions: permissions.map(|permissions| permissions.clone().into()),
        has_sso: principal.has_sso,
        has_passkey: principal.proof.has_passkey,
        needs_passkey: principal.proof.lacks_passkey(),
    })
}

#[cfg(test)]
mod tests {
    use spindrift_api::PermissionsBody;
    use spindrift_core::{Id, LoginProof, Permissions, Starter};

    use super::*;

    fn principal(actor: Actor) -> Principal {
        Principal {
            owner_id: Id::from_text("1"),
            owner: "boss".parse().unwrap(),
            actor,
            identity: Starter::User(Id::from_text("2")),
            user_name: Some("me".parse().unwrap()),
            epoch: 0,
            credential: None,
            proof: LoginProof::OF_TOKEN,
            has_sso: false,
            built_by: None,
            origin: AuditOrigin::maintenance(),
        }
    }

    #[test]
    fn only_team_users_have_an_owner() {
        let admin = describe(&principal(Actor::Admin)).unwrap();
        assert_eq!((admin.is_admin, admin.owner, admin.permissions), (true, None, None));
        let member = describe(&principal(Actor::TeamUser(Permissions::default()))).unwrap();
        assert_eq!(member.username, "me");
        assert_eq!(
            (member.is_admin, member.owner.as_deref(), member.permissions),
            (false, Some("boss"), Some(PermissionsBody::default()))
        );
    }
}
