//! `POST /tokens/exchange`: a job's identity token for a CI token.

use base16ct::lower::encode_string as hex;
use http::StatusCode;
use sha2::{Digest as _, Sha256};
use spindrift_api::{ExchangeBody, ExchangedBody};
use spindrift_auth::{CiToken, IdentityToken, IdentityTokenError, VerifiedIdentity};
use spindrift_core::audit::{AuditEntry, AuditKind, AuditOrigin};
use spindrift_core::{
    App, AppName, BuiltBy, Id, JobClaims, Publisher, PublisherRefusal, Timestamp, Token, TokenGrant,
    TokenRight, UserName, matching,
};
use spindrift_db::{SqlConn, apps, publishers, tokens, used_proofs, users};
use spindrift_service::changes::edit;
use spindrift_service::rate_limits::{OnCounterFailure, admit, failed_attempts};
use spindrift_service::requests::client_address;
use spindrift_service::requests::management::private_json;
use spindrift_service::requests::principal::actor_of_job;
use spindrift_service::{Failure, Ports, settings};
use spindrift_settings::{EXCHANGED_TOKEN_TTL, LOGIN_FAILURES_PER_ADDRESS};
use spindrift_web::{Request, RequestContext, Response, parse_parameter, required};

use crate::issuer_keys::keys_of;
use crate::issuers::Issuers;
use crate::publishers::channel_names;
use crate::refusal;

/// Largest body: twice the longest token.
const MAX_BODY_BYTES: usize = 32 * 1024;

pub(crate) async fn exchange<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let body: ExchangeBody = request.read_json(MAX_BODY_BYTES).await?;
    let owner: UserName = parse_parameter("owner", &required(body.owner, "owner")?)?;
    let app: AppName = parse_parameter("app", &required(body.app, "app")?)?;
    let token = required(body.token, "token")?;
    let limits = failed_attempts(client_address(ports, &request)?, LOGIN_FAILURES_PER_ADDRESS.read(ports)?);
    let attempt = admit(ports, &limits, ports.now(), OnCounterFailure::Admit)?;
    let exchanged = exchange_for(ports, request.context(), (&owner, &app), &token).await;
    // A store or an issuer that failed is not the job's fault.
    if !exchanged.as_ref().is_err_and(Failure::is_of_caller) {
        attempt.refund(ports);
    }
    private_json(StatusCode::OK, &exchanged?)
}

/// The outcome of the transaction of an exchange. A refusal because a name changed hands leaves an entry in the
/// log, so the transaction succeeds.
enum ExchangeOutcome {
    Exchanged(Box<Token>),
    Changed(PublisherRefusal),
}

async fn exchange_for<P: Ports>(
    ports: &P,
    context: &RequestContext,
    (owner, app): (&UserName, &AppName),
    token: &str,
) -> Result<ExchangedBody, Failure> {
    let issuers = Issuers::read(ports)?;
    let identity = IdentityToken::parse(token).map_err(|error| refusal::invalid(&error))?;
    let conn = spindrift_db::open(ports, ports.now())?;
    let Some((owner_id, app)) = find(&conn, owner, app)? else {
        return Err(refusal::refused(&PublisherRefusal::nobody()).into());
    };
    if publishers_of(&conn, &app.id, &issuers, &identity)?.is_empty() {
        return Err(refusal::refused(&PublisherRefusal::nobody()).into());
    }
    let verified = verify(ports, &issuers, &identity).await?;
    context.set_owner(owner);
    let claims = JobClaims::new(verified.claims.clone());
    let (secret, id) = (CiToken::generate(ports.random_bytes()), ports.new_id());
    let (now, ttl) = (ports.now(), EXCHANGED_TOKEN_TTL.read(ports)?);
    let expires_at = now.plus_seconds(i64::try_from(ttl.as_secs()).unwrap_or(i64::MAX));
    let outcome = edit(ports, &conn, &owner_id, |conn| {
        let all = publishers_of(conn, &app.id, &issuers, &identity)?;
        let found = match matching(&all, &claims) {
            Ok(found) => found,
            Err(refusal) => match &refusal {
                PublisherRefusal::Mismatch(_) => return Err(refusal::refused(&refusal).into()),
                PublisherRefusal::Changed { publisher, .. } => {
                    let job = BuiltBy::of(&publisher.conditions, &claims, identity.issuer()).job_name();
                    let entry = entry(context, AuditKind::PublisherChanged, (job, &publisher.id), &app)
                        .of_object(&publisher.id, publisher.conditions.name().as_str());
                    return Ok((ExchangeOutcome::Changed(refusal), entry.into()));
                }
            },
        };
        if !used_proofs::use_once(conn, &digest(identity.issuer(), &verified), verified.over_at)? {
            return Err(refusal::used().into());
        }
        let job = found.job(&claims, identity.issuer());
        let token = Token {
            id: id.clone(),
            owner_id: owner_id.clone(),
            owner: owner.clone(),
            name: format!("job {id}"),
            prefix: secret.prefix().to_owned(),
            allowed_apps: vec![app.id.clone()],
            may: TokenGrant::rights(&job.grants),
            job: Some(job.clone()),
            expires_at: Some(expires_at),
            created_at: now,
            last_used_at: None,
        };
        tokens::insert(conn, &token, &secret.digest())?;
        for one in found.iter() {
            publishers::record_exchange(conn, &one.publisher.id, &one.ids, now)?;
        }
        let by = (job.name, &found.first.publisher.id);
        let entry = entry(context, AuditKind::PublisherExchange, by, &app);
        Ok::<_, Failure>((ExchangeOutcome::Exchanged(Box::new(token)), entry.into()))
    })?;
    match outcome {
        ExchangeOutcome::Changed(changed) => Err(refusal::refused(&changed).into()),
        ExchangeOutcome::Exchanged(token) => body(&conn, &secret, *token),
    }
}

fn body(conn: &impl SqlConn, secret: &CiToken, token: Token) -> Result<ExchangedBody, Failure> {
    let (owner_id, expires_at) = (token.owner_id, token.expires_at);
    let job = token.job;
    let grants = job.as_ref().map(|job| job.grants.as_slice()).unwrap_or_default();
    // A token without a limit in one of its grants has none.
    let channels: Option<Vec<Id>> =
        grants.iter().map(|grant| grant.channels.clone()).collect::<Option<Vec<_>>>().map(|all| all.concat());
    Ok(ExchangedBody {
        token: secret.expose().to_owned(),
        expires_at: expires_at.map(Timestamp::to_rfc3339).unwrap_or_default(),
        may: token.may.iter().map(TokenRight::to_string).collect(),
        channels: channel_names(conn, &owner_id, channels.as_deref())?,
        job: job.map(|job| job.name).unwrap_or_default(),
    })
}

/// The owner and the application. `None`: one of them does not exist, which nobody without a publisher learns.
fn find(conn: &impl SqlConn, owner: &UserName, app: &AppName) -> Result<Option<(Id, App)>, Failure> {
    let Some(owner) = users::by_name(conn, owner)?.filter(|owner| owner.user.team.is_none()) else {
        return Ok(None);
    };
    let app = apps::by_name(conn, &owner.user.id, app)?;
    Ok(app.map(|app| (owner.user.id, app)))
}

/// The publishers that accept tokens of this issuer.
fn publishers_of(
    conn: &impl SqlConn,
    app: &Id,
    issuers: &Issuers,
    identity: &IdentityToken,
) -> Result<Vec<Publisher>, Failure> {
    let mut all = publishers::of_app(conn, app)?;
    all.retain(|publisher| issuers.of(&publisher.conditions) == Some(identity.issuer()));
    Ok(all)
}

/// The claims, if one of the issuer's keys has signed them. Keys that are new are asked for.
async fn verify<P: Ports>(
    ports: &P,
    issuers: &Issuers,
    identity: &IdentityToken,
) -> Result<VerifiedIdentity, Failure> {
    let audience = settings::api_url(ports)?;
    let is_known = |keys: &_| {
        let result = identity.verify(keys, &audience, ports.now());
        !matches!(result, Err(IdentityTokenError::UnknownKey(_)))
    };
    let keys = keys_of(ports, issuers, identity.issuer(), is_known).await?;
    Ok(identity.verify(&keys, &audience, ports.now()).map_err(|error| refusal::invalid(&error))?)
}

/// The name under which an identity token is remembered.
fn digest(issuer: &str, verified: &VerifiedIdentity) -> String {
    hex(&Sha256::digest(format!("{issuer}\n{}", verified.id)))
}

/// An entry of the log by the job that proved to be this publisher.
fn entry(
    context: &RequestContext,
    kind: AuditKind,
    (job, publisher): (String, &Id),
    app: &App,
) -> AuditEntry {
    let actor = actor_of_job(job, publisher);
    AuditOrigin { actor, request_id: Some(context.id()) }.entry(kind).of_app(&app.id, &app.name)
}
