//! The session of a request with a login.

use spindrift_core::audit::{AuditEntry, AuditKind};
use spindrift_core::{Action, App, AppName, Id, LoginProof, Target, Timestamp, UserName};
use spindrift_db::changes::{self, Change, Committed, Subject};
use spindrift_db::edits::Edit;
use spindrift_db::{Audit, SqlFailure, apps};
use spindrift_settings::FRESH_LOGIN_TTL;
use spindrift_storage::Storage;
use spindrift_web::{Query, Request};

use crate::changes::{edit, refresh};
use crate::objects::storage;
use crate::records::known_names;
use crate::requests::principal::{
    Principal, authenticate, authenticate_before_passkey, authenticate_to_stop, authenticate_user,
};
use crate::{Ports, ServiceError, log};

/// A request whose caller is known: the platform, the connection of the request, the caller, and the time at
/// which the request began.
///
/// A handler of such a request begins with a session and passes it to the functions that act for the caller.
/// A function that needs only a part takes that part: rules about permissions take the [`Principal`], reads
/// take the connection, and decisions take the time. Requests of installed copies have no login and no
/// session, and neither has maintenance.
///
/// The session's connection reads. Changes go through [`commit`](Self::commit) and [`edit`](Self::edit),
/// whose closures get a connection of their own: statements that need an entry in the audit log accept only
/// that one.
///
/// Decisions use `now`, so that all of them see the same time. Work that follows a slow step, such as
/// receiving files, copying objects or signing, reads the clock again. So does each transaction, because its
/// entry in the audit log has the time of the change.
///
/// ```ignore
/// pub(crate) async fn rename<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
///     let session = Session::enter(ports, &request)?;
///     let RenameBody { id, name } = request.read_json(MAX_JSON_BYTES).await?;
///     session.require(Action::Edit(Resource::App), Some(&id))?;
///     session
///         .commit(Subject::App(&id), |conn| {
///             apps::rename(conn, &id, &name, session.now)?;
///             Ok::<_, Failure>(((), session.entry(AuditKind::AppUpdate).of_app(&id, &name).into()))
///         })
///         .await?;
///     private_json(StatusCode::OK, &ResultBody::updated(CatalogKind::App))
/// }
/// ```
pub struct Session<'p, P: Ports> {
    pub ports: &'p P,
    pub conn: P::Conn,
    pub principal: Principal,
    /// When the request began.
    pub now: Timestamp,
}

impl<'p, P: Ports> Session<'p, P> {
    /// Authenticates a person. Fails for a CI token.
    pub fn enter(ports: &'p P, request: &Request) -> Result<Self, ServiceError> {
        Self::begin(ports, request, authenticate_user)
    }

    /// Like [`enter`](Self::enter), also for a CI token. Its rights determine the actions that it may
    /// perform.
    pub fn enter_with_token(ports: &'p P, request: &Request) -> Result<Self, ServiceError> {
        Self::begin(ports, request, authenticate)
    }

    /// Like [`enter`](Self::enter), for calls that only admins may make: a team user is refused before the
    /// rest of the request is read.
    pub fn enter_as_admin(ports: &'p P, request: &Request) -> Result<Self, ServiceError> {
        let session = Self::enter(ports, request)?;
        session.require(Action::Administer, None)?;
        Ok(session)
    }

    /// Like [`enter_with_token`](Self::enter_with_token), for calls that can stop a release, and those that find
    /// it. People who lack a passkey that the owner demands enter too: [`require`](Self::require) then lets them do
    /// nothing else.
    pub fn enter_to_stop(ports: &'p P, request: &Request) -> Result<Self, ServiceError> {
        Self::begin(ports, request, authenticate_to_stop)
    }

    /// Like [`enter`](Self::enter), also for people who lack a passkey that the owner demands.
    pub fn enter_before_passkey(ports: &'p P, request: &Request) -> Result<Self, ServiceError> {
        Self::begin(ports, request, authenticate_before_passkey)
    }

    fn begin(
        ports: &'p P,
        request: &Request,
        authenticate: impl FnOnce(&P, &P::Conn, &Request) -> Result<Principal, ServiceError>,
    ) -> Result<Self, ServiceError> {
        let now = ports.now();
        let conn = spindrift_db::open(ports, now)?;
        let principal = authenticate(ports, &conn, request)?;
        Ok(Self { ports, conn, principal, now })
    }

    /// The owner whose data the caller acts on.
    pub const fn owner_id(&self) -> &Id {
        &self.principal.owner_id
    }

    pub const fn owner(&self) -> &UserName {
        &self.principal.owner
    }

    /// Whether the action is allowed; see [`spindrift_core::Actor::may`].
    pub fn may(&self, action: Action, id: Option<&Id>) -> bool {
        self.principal.actor.may(action, id)
    }

    /// See [`Principal::require`].
    pub fn require(&self, action: Action, id: Option<&Id>) -> Result<(), ServiceError> {
        self.principal.require(action, id)
    }

    /// Fails unless the caller has proved a short time ago who they are. Call it before what cannot be taken back
    /// or lets others in; stops never ask.
    pub fn require_fresh_login(&self) -> Result<(), ServiceError> {
        self.require_proof(LoginProof::is_fresh)
    }

    /// Like [`require_fresh_login`](Self::require_fresh_login), also of users without a passkey.
    pub fn require_recent_login(&self) -> Result<(), ServiceError> {
        self.require_proof(LoginProof::is_recent)
    }

    fn require_proof(&self, holds: fn(LoginProof, Timestamp, i64) -> bool) -> Result<(), ServiceError> {
        let seconds = i64::try_from(FRESH_LOGIN_TTL.read(self.ports)?.as_secs()).unwrap_or(i64::MAX);
        if holds(self.principal.proof, self.now, seconds) {
            Ok(())
        } else {
            Err(ServiceError::FreshLoginRequired)
        }
    }

    /// See [`Principal::require_in`].
    pub fn require_in(&self, action: Action, app: &Id, places: &[Target]) -> Result<(), ServiceError> {
        self.principal.require_in(action, app, places)
    }

    /// See [`Principal::entry`].
    pub fn entry(&self, kind: AuditKind) -> AuditEntry {
        self.principal.entry(kind)
    }

    /// The owner's application of this name. Fails if there is none, or if the caller may not see it.
    pub fn named_app(&self, name: &AppName) -> Result<App, ServiceError> {
        let app = apps::by_name(&self.conn, self.owner_id(), name)?;
        let app = app.ok_or(ServiceError::UnknownName("application"))?;
        self.principal.require_visible(&app.id, "application")?;
        Ok(app)
    }

    /// The owner's application that the query parameter `app` names. Fails if the parameter is missing, if
    /// there is no such application, or if the caller may not see it.
    pub fn query_app(&self, query: &Query) -> Result<App, ServiceError> {
        self.named_app(&query.required("app")?)
    }

    /// The object storage. Fails if one of its settings is invalid.
    pub fn storage(&self) -> Result<Storage<'p, P>, ServiceError> {
        storage(self.ports)
    }

    /// Runs `work` in a transaction, and makes the next check see the change.
    pub async fn commit<T, E: SqlFailure + From<ServiceError>>(
        &self,
        subject: Subject<'_>,
        work: impl FnMut(&Change<'_, P::Conn>) -> Result<(T, Audit), E>,
    ) -> Result<T, E> {
        let (ports, conn) = (self.ports, &self.conn);
        let Committed { value, stale, added } =
            changes::commit(conn, self.owner_id(), subject, ports.now(), work)?;
        log::change(added.as_ref());
        if matches!(subject, Subject::App(_) | Subject::Owner(_)) {
            known_names::forget(ports, self.owner());
        }
        refresh(ports, conn, self.owner(), &stale).await?;
        Ok(value)
    }

    /// Runs `work` in a transaction that changes data of the owner on which no update check depends.
    pub fn edit<T, E: SqlFailure>(
        &self,
        work: impl FnMut(&Edit<'_, P::Conn>) -> Result<(T, Audit), E>,
    ) -> Result<T, E> {
        edit(self.ports, &self.conn, self.owner_id(), work)
    }
}
