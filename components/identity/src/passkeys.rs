//! Passkeys of people: adding, listing and removing them, recovery codes, and the demand of an owner.

mod list;
mod login;
mod proof;
mod recovery;
mod registration;
mod requirement;
mod reset;

pub(crate) use self::list::{delete, list};
pub(crate) use self::login::{ask_for_login, log_in};
pub(crate) use self::proof::{ask_for_proof, prove};
pub(crate) use self::recovery::{new_codes, recover};
pub(crate) use self::registration::{ask_for_new, create};
pub(crate) use self::requirement::set_requirement;
pub use self::reset::reset_passkeys;

use serde_json::Value;
use spindrift_api::PasskeyAnswerBody;
use spindrift_auth::{ChallengePurpose, PasskeyAnswer, PasskeyError, SealedChallenge};
use spindrift_core::audit::{AuditKind, AuditOrigin};
use spindrift_core::{Id, Passkey};
use spindrift_db::users::UserWithPassword;
use spindrift_db::{SqlConn, SqlError, used_proofs, users};
use spindrift_service::changes::edit;
use spindrift_service::requests::principal::actor_of;
use spindrift_service::{Failure, Ports, ServiceError, passkeys};
use spindrift_web::{ApiError, Request, required};

/// Largest body: an answer of a browser, a challenge, and names.
const MAX_BODY_BYTES: usize = 32 * 1024;

/// The JSON of a browser's answer.
fn credential_json(credential: Option<Value>) -> Result<Vec<u8>, Failure> {
    let credential = credential.ok_or_else(|| ApiError::missing("credential"))?;
    Ok(serde_json::to_vec(&credential).map_err(|error| ApiError::Internal { internal: error.to_string() })?)
}

/// Checks the answer to a challenge, uses the challenge up, and returns the user who has answered. `only`: the user
/// whose passkey it must be, besides the one that the challenge names. An authenticator that has counted backwards
/// leaves an entry in the audit log.
fn verify<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
    (body, purpose, only): (PasskeyAnswerBody, ChallengePurpose, Option<&Id>),
) -> Result<UserWithPassword, Failure> {
    let challenge = passkeys::open(ports, &required(body.challenge, "challenge")?, purpose)?;
    let answer = PasskeyAnswer::parse(&credential_json(body.credential)?).map_err(ServiceError::from)?;
    let unknown = || ServiceError::from(PasskeyError::Invalid("this service does not know it".to_owned()));
    let found = spindrift_db::passkeys::by_credential(conn, &answer.credential_id())?.ok_or_else(unknown)?;
    if [challenge.user.as_ref(), only].into_iter().flatten().any(|user| *user != found.user_id) {
        let why = PasskeyError::Invalid("it belongs to another account".to_owned());
        return Err(ServiceError::from(why).into());
    }
    let user = users::by_id(conn, &found.user_id)?.ok_or_else(unknown)?;
    let state = challenge.state().map_err(ServiceError::from)?;
    let verified = passkeys::relying_party(ports)?.verify(&state, &answer, (&found.user_id, &found.key));
    let after = match verified {
        Ok(after) => after,
        Err(error) => {
            if error == PasskeyError::Copied {
                note_copy(ports, conn, request, (&user, &found))?;
            }
            return Err(ServiceError::from(error).into());
        }
    };
    use_up(conn, &challenge)?;
    let states = (found.key.state.as_str(), after.as_str());
    if !spindrift_db::passkeys::record_use(conn, &found.id, states, ports.now())? {
        // Another answer by the same passkey came first.
        return Err(ServiceError::from(PasskeyError::NoChallenge).into());
    }
    Ok(user)
}

/// Fails if the challenge was answered before.
fn use_up(conn: &impl SqlConn, challenge: &SealedChallenge) -> Result<(), Failure> {
    let over = || ServiceError::from(PasskeyError::NoChallenge);
    Ok(is_first_use(conn, challenge)?.then_some(()).ok_or_else(over)?)
}

/// Uses a challenge up. `Ok(false)`: it was answered before.
pub(crate) fn is_first_use(conn: &impl SqlConn, challenge: &SealedChallenge) -> Result<bool, SqlError> {
    used_proofs::use_once(conn, &challenge.digest(), challenge.expires_at())
}

fn note_copy<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
    (user, passkey): (&UserWithPassword, &Passkey),
) -> Result<(), Failure> {
    let origin = AuditOrigin { actor: actor_of(&user.user), request_id: Some(request.context().id()) };
    let owner = user.user.owner_id();
    edit(ports, conn, owner, |_| {
        let entry = origin.entry(AuditKind::PasskeyCopied).of_object(&passkey.id, passkey.name.as_str());
        Ok::<_, Failure>(((), entry.into()))
    })
}
