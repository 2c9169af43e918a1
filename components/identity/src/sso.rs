//! Single sign-on: people log in at a provider of their organisation.

use http::StatusCode;
use spindrift_api::{
    MessageBody, SsoBeginBody, SsoBody, SsoFinishBody, SsoLoginAnswer, SsoQuestionBody, SsoRequirementBody,
};
use spindrift_auth::{ChallengePurpose, SealedChallenge, SignIn, SignInError};
use spindrift_core::audit::{AuditKind, AuditOrigin};
use spindrift_core::{EmailAddress, Id, SsoIdentity};
use spindrift_db::users::{self, UserWithPassword};
use spindrift_service::changes::edit;
use spindrift_service::rate_limits::{OnCounterFailure, admit, failed_attempts};
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::requests::principal::actor_of;
use spindrift_service::requests::{Session, client_address, issue_login};
use spindrift_service::{Failure, Ports, ServiceError, passkeys};
use spindrift_settings::{JWT_SECRET, LOGIN_FAILURES_PER_ADDRESS};
use spindrift_web::{ApiError, ErrorCode, Reason, Request, Response, required};

use crate::passkeys::is_first_use;
use crate::sso_provider::{SsoProvider, failed};

/// Longest path of the console that comes back, in bytes.
const MAX_THEN_BYTES: usize = 1024;

pub(crate) fn show<P: Ports>(ports: &P) -> Result<Response, Failure> {
    let name = SsoProvider::read(ports)?.map(|provider| provider.name);
    private_json(StatusCode::OK, &SsoBody { enabled: name.is_some(), name })
}

pub(crate) async fn begin<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let body: SsoBeginBody = request.read_json(MAX_JSON_BYTES).await?;
    let question = ask(ports, (ChallengePurpose::SignIn, None), body).await?;
    private_json(StatusCode::OK, &question)
}

/// Begins to link the caller's account to one at the provider.
pub(crate) async fn bind<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    session.require_fresh_login()?;
    let body: SsoBeginBody = request.read_json(MAX_JSON_BYTES).await?;
    let (user, _) = session.principal.person()?;
    private_json(StatusCode::OK, &ask(ports, (ChallengePurpose::Bind, Some(user.clone())), body).await?)
}

async fn ask<P: Ports>(
    ports: &P,
    (purpose, user): (ChallengePurpose, Option<Id>),
    body: SsoBeginBody,
) -> Result<SsoQuestionBody, Failure> {
    let provider = SsoProvider::require(ports)?;
    let then = body.then.filter(|path| path.len() <= MAX_THEN_BYTES);
    let sign_in = SignIn::new(&ports.random_bytes(), then);
    let address = provider.address(ports, &sign_in).await?;
    let state = serde_json::to_vec(&sign_in);
    let state = state.map_err(|error| ApiError::Internal { internal: error.to_string() })?;
    let challenge = SealedChallenge::new(purpose, user, &state, ports.now());
    let challenge = challenge.seal(&JWT_SECRET.read(ports)?).map_err(ServiceError::from)?;
    Ok(SsoQuestionBody { address, challenge })
}

/// Failures count against the address, as those of passwords do.
pub(crate) async fn finish<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let body: SsoFinishBody = request.read_json(MAX_JSON_BYTES).await?;
    let limits = failed_attempts(client_address(ports, &request)?, LOGIN_FAILURES_PER_ADDRESS.read(ports)?);
    let attempt = admit(ports, &limits, ports.now(), OnCounterFailure::Admit)?;
    let logged_in = log_in(ports, &request, body).await;
    if !logged_in.as_ref().is_err_and(Failure::is_of_caller) {
        attempt.refund(ports);
    }
    private_json(StatusCode::OK, &logged_in?)
}

async fn log_in<P: Ports>(
    ports: &P,
    request: &Request,
    body: SsoFinishBody,
) -> Result<SsoLoginAnswer, Failure> {
    let signed_in = SignedIn::read(ports, body, ChallengePurpose::SignIn).await?;
    let conn = spindrift_db::open(ports, ports.now())?;
    if !is_first_use(&conn, &signed_in.challenge)? {
        return Err(over().into());
    }
    let user = match users::by_sso(&conn, &signed_in.identity)? {
        Some(user) => user,
        None => bind_invited(ports, &conn, request, &signed_in)?,
    };
    let token = issue_login(ports, &conn, &user)?;
    Ok(SsoLoginAnswer { token, then: signed_in.then })
}

/// The answer of the provider to a sign-in.
struct SignedIn {
    challenge: SealedChallenge,
    identity: SsoIdentity,
    /// The address that the provider has verified.
    email: Option<EmailAddress>,
    then: Option<String>,
}

impl SignedIn {
    async fn read<P: Ports>(
        ports: &P,
        body: SsoFinishBody,
        purpose: ChallengePurpose,
    ) -> Result<Self, Failure> {
        let provider = SsoProvider::require(ports)?;
        let sealed = required(body.challenge, "challenge")?;
        let (code, state) = (required(body.code, "code")?, required(body.state, "state")?);
        let challenge = passkeys::open(ports, &sealed, purpose).map_err(|error| match error {
            ServiceError::Passkey(_) => over().into(),
            other => Failure::from(other),
        })?;
        let sign_in: SignIn =
            challenge.state().ok().and_then(|state| serde_json::from_slice(&state).ok()).ok_or_else(over)?;
        let refused = |error: SignInError| failed(&error.to_string());
        sign_in.accept(&state, body.iss.as_deref(), &provider.issuer).map_err(refused)?;
        let token = provider.exchange(ports, &code, &sign_in).await?;
        let keys = provider.keys(ports, &token).await?;
        let us = (provider.issuer.as_str(), provider.client_id.as_str());
        let (identity, email) = sign_in.person(&token, &keys, us, ports.now()).map_err(refused)?;
        Ok(Self { challenge, identity, email, then: sign_in.then })
    }
}

/// 401: the sign-in took too long, or was finished before.
fn over() -> ApiError {
    failed("this sign-in is over: begin again")
}

/// The user who was invited with this address and has not signed in before. From now on, only the account at the
/// provider counts, and not its address.
fn bind_invited<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
    signed_in: &SignedIn,
) -> Result<UserWithPassword, Failure> {
    let not_invited = |text: String| ApiError::Forbidden(Reason::new(ErrorCode::NotInvited, text));
    let Some(email) = &signed_in.email else {
        let text = "the provider has not verified an e-mail address of this account";
        return Err(not_invited(text.to_owned()).into());
    };
    let nobody = || not_invited(format!("nobody with the address {email} is invited"));
    let invited = |user: Option<UserWithPassword>| user.filter(|user| !user.has_sso).ok_or_else(nobody);
    let user = invited(users::by_email(conn, email)?)?;
    let owner = user.user.owner_id();
    let origin = AuditOrigin { actor: actor_of(&user.user), request_id: Some(request.context().id()) };
    edit(ports, conn, owner, |conn| {
        let user = invited(users::by_email(conn, email)?)?;
        users::bind_sso(conn, &user.user.id, &signed_in.identity)?;
        let entry = origin.entry(AuditKind::SsoBind).of_object(&user.user.id, user.user.name.as_str());
        Ok::<_, Failure>((user, entry.into()))
    })
}

/// Links the caller's account to the one at the provider that has signed in.
pub(crate) async fn finish_bind<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let body: SsoFinishBody = request.read_json(MAX_JSON_BYTES).await?;
    let (user, name) = session.principal.person()?;
    // A person who is logged in stays so: a refused link is a 403.
    let signed_in = SignedIn::read(ports, body, ChallengePurpose::Bind).await.map_err(as_refusal)?;
    if signed_in.challenge.user.as_ref() != Some(user) {
        return Err(as_refusal(over().into()));
    }
    session.edit(|conn| {
        if !is_first_use(conn, &signed_in.challenge)? {
            return Err(as_refusal(over().into()));
        }
        if users::by_sso(conn, &signed_in.identity)?.is_some() {
            let text = "somebody signs in with this account of the provider already";
            return Err(ApiError::conflict(ErrorCode::AlreadyExists, text).into());
        }
        users::bind_sso(conn, user, &signed_in.identity)?;
        let entry = session.entry(AuditKind::SsoBind).of_object(user, name.as_str());
        Ok::<_, Failure>(((), entry.into()))
    })?;
    private_json(StatusCode::OK, &MessageBody { message: "Linked".into() })
}

fn as_refusal(failure: Failure) -> Failure {
    match failure {
        Failure::Api(ApiError::Unauthorized(why)) => ApiError::Forbidden(why).into(),
        other => other,
    }
}

/// Sets whether the team may log in with passwords. The admin keeps a way in.
pub(crate) async fn set_requirement<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    session.require_fresh_login()?;
    let body: SsoRequirementBody = request.read_json(MAX_JSON_BYTES).await?;
    let is_allowed = body.password_login.ok_or_else(|| ApiError::missing("password_login"))?;
    if !is_allowed {
        SsoProvider::require(ports)?;
    }
    let (user, name) = session.principal.person()?;
    session.edit(|conn| {
        users::turn_password_login_off(conn, user, !is_allowed)?;
        let entry = session.entry(AuditKind::SsoRequirement).of_object(user, name.as_str());
        Ok::<_, Failure>(((), entry.adding(serde_json::json!({ "password_login": is_allowed })).into()))
    })?;
    let message =
        if is_allowed { "The team may log in with passwords" } else { "Passwords no longer log the team in" };
    private_json(StatusCode::OK, &MessageBody { message: message.into() })
}
