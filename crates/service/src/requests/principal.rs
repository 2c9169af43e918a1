//! Authentication: turns a credential into a principal that acts on one owner's data.

use spindrift_auth::{AuthError, CiToken, Credential, LoginClaims};
use spindrift_core::audit::{ActorType, AuditActor, AuditEntry, AuditKind, AuditOrigin};
use spindrift_core::{
    Action, Actor, BuiltBy, Id, LoginProof, Resource, Starter, Target, Token, TokenGrant, User, UserName,
    lacks,
};
use spindrift_db::users::UserWithPassword;
use spindrift_db::{SqlConn, logins, release_places, tokens, users};
use spindrift_web::Request;

use super::token_use;
use crate::{Ports, ServiceError, settings};

/// A caller with a valid credential.
#[derive(Debug, Clone)]
pub struct Principal {
    /// The owner whose data the caller acts on.
    pub owner_id: Id,
    pub owner: UserName,
    /// The caller's permissions on that data.
    pub actor: Actor,
    /// The user, token or publisher that the caller is.
    pub identity: Starter,
    /// The user name; `None` for a token.
    pub user_name: Option<UserName>,
    /// The epoch of the user's logins; 0 for a token.
    pub epoch: u64,
    /// The login of the request, or the token of a job; `None` for other tokens, and for a JWT that names no
    /// login.
    pub credential: Option<Id>,
    /// The proof that the login gives.
    pub proof: LoginProof,
    /// Whether the user signs in at the provider for single sign-on.
    pub has_sso: bool,
    /// Where the caller builds the files that it uploads. `None`: unknown, because it is not a publisher.
    pub built_by: Option<BuiltBy>,
    /// The caller and the request, for the audit log.
    pub origin: AuditOrigin,
}

impl Principal {
    /// Fails unless the action is allowed; see [`Actor::may`]. A person who lacks a passkey that the owner demands
    /// may only stop releases.
    pub fn require(&self, action: Action, id: Option<&Id>) -> Result<(), ServiceError> {
        if self.proof.lacks_passkey() && !action.is_of_stop() {
            return Err(ServiceError::PasskeyRequired);
        }
        if self.actor.may(action, id) {
            Ok(())
        } else {
            Err(ServiceError::Denied(lacks(&self.actor, action)))
        }
    }

    /// Fails unless the caller may see the application. To other callers, neither the application nor
    /// anything that belongs to it exists. `what` names the thing that is not found.
    pub fn require_visible(&self, app: &Id, what: &'static str) -> Result<(), ServiceError> {
        if self.actor.may(Action::View(Resource::App), Some(app)) {
            return Ok(());
        }
        Err(ServiceError::UnknownName(what))
    }

    /// Fails unless the action on the application is allowed and the caller may change something in each of
    /// these places; see [`Actor::works_in`].
    pub fn require_in(&self, action: Action, app: &Id, places: &[Target]) -> Result<(), ServiceError> {
        self.require(action, Some(app))?;
        if places.iter().all(|place| self.actor.works_in(action, app, place)) {
            Ok(())
        } else {
            let what = "your permissions do not include this channel, platform or architecture";
            Err(ServiceError::Denied(what.to_owned()))
        }
    }

    /// Fails unless the action on the application is allowed and the caller may change something everywhere
    /// that `target` covers. A part that `target` leaves out stands for all channels, platforms or
    /// architectures that the application uses.
    pub fn require_everywhere(
        &self,
        conn: &impl SqlConn,
        action: Action,
        app: &Id,
        target: &Target,
    ) -> Result<(), ServiceError> {
        let is_covered = |place: &Target| {
            (target.channel_id.is_none() || place.channel_id.is_none())
                && (target.platform_id.is_none() || place.platform_id.is_none())
                && (target.arch_id.is_none() || place.arch_id.is_none())
        };
        let mut places = release_places::of_app(conn, app)?;
        places.retain(is_covered);
        places.push(target.clone());
        self.require_in(action, app, &places)
    }

    /// An entry of the audit log, for a change that the caller makes.
    pub fn entry(&self, kind: AuditKind) -> AuditEntry {
        self.origin.entry(kind)
    }

    /// The caller with its current permissions, for work that may begin long after the call. Fails if its
    /// token was deleted, or if its logins were ended. A credential that has expired since the call is still
    /// accepted.
    pub fn as_of_now(&self, conn: &impl SqlConn) -> Result<Self, ServiceError> {
        let request_id = self.origin.request_id.clone();
        let now = match &self.identity {
            Starter::Token(id) => tokens::by_id(conn, id)?.map(|token| of_token(token, request_id)),
            Starter::Publisher(_) => {
                let token = self.credential.as_ref().map(|token| tokens::by_id(conn, token)).transpose()?;
                token.flatten().map(|token| of_token(token, request_id))
            }
            Starter::User(id) => users::by_id(conn, id)?
                .map(|found| of_user(found, self.proof, self.credential.clone(), request_id)),
        };
        if let (Some(login), Starter::User(id)) = (&self.credential, &self.identity)
            && !logins::exists(conn, id, login)?
        {
            return Err(AuthError::InvalidToken.into());
        }
        let is_same = |now: &Self| now.owner_id == self.owner_id && now.epoch == self.epoch;
        Ok(now.filter(is_same).ok_or(AuthError::InvalidToken)?)
    }

    /// Whether the caller is a CI token, of a job or made by a person.
    pub const fn is_token(&self) -> bool {
        matches!(self.identity, Starter::Token(_) | Starter::Publisher(_))
    }

    /// The id and the name of the person who calls. Fails for a token.
    pub fn person(&self) -> Result<(&Id, &UserName), ServiceError> {
        match (&self.identity, &self.user_name) {
            (Starter::User(id), Some(name)) => Ok((id, name)),
            _ => Err(ServiceError::NotForCiTokens),
        }
    }

    /// Whether the caller is the owner.
    pub fn is_admin(&self) -> bool {
        matches!(self.actor, Actor::Admin)
    }
}

/// The caller of `request`, by JWT or CI token. Fails without a valid credential. If `jwt_secret` cannot be
/// used, fails with any credential, so that a misconfigured deployment is noticed at once. Fails for a person who
/// lacks a passkey that the owner demands.
pub fn authenticate<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
) -> Result<Principal, ServiceError> {
    let principal = authenticate_to_stop(ports, conn, request)?;
    if principal.proof.lacks_passkey() {
        return Err(ServiceError::PasskeyRequired);
    }
    Ok(principal)
}

/// Like [`authenticate`], also for people who lack a passkey that the owner demands: a stop asks for nothing but a
/// login.
pub fn authenticate_to_stop<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
) -> Result<Principal, ServiceError> {
    let key = settings::jwt_key(ports)?;
    let credential = Credential::from_header(request.header("authorization"))?;
    let principal = match credential {
        Credential::CiToken(token) => by_token(ports, conn, request, &token)?,
        Credential::Jwt(jwt) => {
            let claims = key.verify(&jwt, ports.now())?;
            by_claims(ports, conn, request, &claims)?
        }
    };
    request.context().set_owner(&principal.owner);
    request.context().note_login();
    Ok(principal)
}

/// Like [`authenticate`], for calls by people only: a CI token is refused.
pub fn authenticate_user<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
) -> Result<Principal, ServiceError> {
    person(authenticate(ports, conn, request)?)
}

/// Like [`authenticate_user`], also for people who lack a passkey that the owner demands: for what they need to
/// add one.
pub fn authenticate_before_passkey<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
) -> Result<Principal, ServiceError> {
    person(authenticate_to_stop(ports, conn, request)?)
}

fn person(principal: Principal) -> Result<Principal, ServiceError> {
    match principal.identity {
        Starter::User(_) => Ok(principal),
        Starter::Token(_) | Starter::Publisher(_) => Err(ServiceError::NotForCiTokens),
    }
}

fn by_token<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
    token: &CiToken,
) -> Result<Principal, ServiceError> {
    let token = tokens::by_digest(conn, &token.digest())?.ok_or(AuthError::InvalidToken)?;
    let now = ports.now();
    if token.expires_at.is_some_and(|end| end <= now) {
        return Err(AuthError::Expired.into());
    }
    token_use::record_after(ports, request.context(), &token, now);
    Ok(of_token(token, Some(request.context().id())))
}

fn of_token(token: Token, request_id: Option<String>) -> Principal {
    let (owner_id, owner, allowed_apps) = (token.owner_id, token.owner, token.allowed_apps);
    let publisher = token.job.as_ref().and_then(|job| job.publishers.first().cloned());
    let (actor, identity, credential) = if let (Some(job), Some(publisher)) = (&token.job, publisher) {
        (actor_of_job(job.name.clone(), &publisher), Starter::Publisher(publisher), Some(token.id))
    } else {
        let id = Some(token.id.clone());
        let actor = AuditActor { actor_type: ActorType::Token, id, name: Some(token.name) };
        (actor, Starter::Token(token.id), None)
    };
    let (grants, built_by) = match token.job {
        Some(job) => (job.grants, Some(job.built_by)),
        None => (vec![TokenGrant::everywhere(token.may)], None),
    };
    Principal {
        origin: AuditOrigin { actor, request_id },
        owner_id,
        owner,
        actor: Actor::CiToken { allowed_apps, grants },
        identity,
        user_name: None,
        epoch: 0,
        credential,
        proof: LoginProof::OF_TOKEN,
        has_sso: false,
        built_by,
    }
}

fn by_claims<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
    claims: &LoginClaims,
) -> Result<Principal, ServiceError> {
    let found = match &claims.login {
        None => users::by_name(conn, &claims.username)?.map(|user| (user.proof(None), user)),
        Some(login) => match users::by_name_and_login(conn, &claims.username, login)? {
            Some((user, Some(login))) => {
                token_use::record_login_after(ports, request.context(), &login, ports.now());
                Some((user.proof(Some(&login)), user))
            }
            // The login has ended.
            Some((_, None)) | None => None,
        },
    };
    let (proof, user) = found
        .filter(|(_, found)| claims.epoch == found.epoch)
        // Since the token was issued, the user may have been renamed, and another user may have taken the
        // name.
        .filter(|(_, found)| claims.user_id.as_ref().is_none_or(|id| *id == found.user.id))
        .ok_or(AuthError::InvalidToken)?;
    Ok(of_user(user, proof, claims.login.clone(), Some(request.context().id())))
}

/// A job, for the audit log, with one of the publishers that it proved to be.
pub fn actor_of_job(name: String, publisher: &Id) -> AuditActor {
    AuditActor { actor_type: ActorType::Publisher, id: Some(publisher.clone()), name: Some(name) }
}

/// A person, for the audit log.
pub fn actor_of(user: &User) -> AuditActor {
    AuditActor {
        actor_type: ActorType::User,
        id: Some(user.id.clone()),
        name: Some(user.name.as_str().to_owned()),
    }
}

fn of_user(
    found: UserWithPassword,
    proof: LoginProof,
    login: Option<Id>,
    request_id: Option<String>,
) -> Principal {
    let (user, epoch, has_sso) = (found.user, found.epoch, found.has_sso);
    let origin = AuditOrigin { actor: actor_of(&user), request_id };
    let (owner_id, owner, actor) = match user.team {
        None => (user.id.clone(), user.name.clone(), Actor::Admin),
        Some(team) => (team.owner_id, team.owner, Actor::TeamUser(team.permissions)),
    };
    Principal {
        owner_id,
        owner,
        actor,
        identity: Starter::User(user.id),
        user_name: Some(user.name),
        epoch,
        credential: login,
        proof,
        has_sso,
        built_by: None,
        origin,
    }
}
