//! Questions for passkeys.

use spindrift_api::{PasskeyQuestionBody, RawJson};
use spindrift_auth::{ChallengePurpose, PasskeyError, PasskeyQuestion, RelyingParty, SealedChallenge};
use spindrift_core::{Id, Passkey, PasskeyKey, UserName};
use spindrift_settings::JWT_SECRET;

use crate::{Ports, ServiceError, settings};

/// The service as browsers know it. Fails if they have no passkeys for its address.
pub fn relying_party(ports: &impl Ports) -> Result<RelyingParty, ServiceError> {
    Ok(RelyingParty::of(&settings::api_url(ports)?)?)
}

/// Asks for a passkey of anyone, or only of `user`.
pub fn ask(
    ports: &impl Ports,
    purpose: ChallengePurpose,
    user: Option<&Id>,
) -> Result<PasskeyQuestionBody, ServiceError> {
    sealed(ports, relying_party(ports)?.ask()?, purpose, user)
}

/// Asks for a new passkey of a user who has `known` ones.
pub fn ask_for_new(
    ports: &impl Ports,
    (user, name): (&Id, &UserName),
    known: &[Passkey],
) -> Result<PasskeyQuestionBody, ServiceError> {
    let known: Vec<PasskeyKey> = known.iter().map(|passkey| passkey.key.clone()).collect();
    let question = relying_party(ports)?.ask_for_new(user, name, &known)?;
    sealed(ports, question, ChallengePurpose::Register, Some(user))
}

fn sealed(
    ports: &impl Ports,
    question: PasskeyQuestion,
    purpose: ChallengePurpose,
    user: Option<&Id>,
) -> Result<PasskeyQuestionBody, ServiceError> {
    let challenge = SealedChallenge::new(purpose, user.cloned(), &question.state, ports.now());
    let challenge = challenge.seal(&JWT_SECRET.read(ports)?)?;
    Ok(PasskeyQuestionBody { options: RawJson(question.options), challenge })
}

/// The challenge in a text that one of these functions made. Fails if it is over.
pub fn open(
    ports: &impl Ports,
    sealed: &str,
    purpose: ChallengePurpose,
) -> Result<SealedChallenge, ServiceError> {
    Ok(SealedChallenge::open(&JWT_SECRET.read(ports)?, sealed, purpose, ports.now())?)
}

/// The question for the passkey that a login needs after the password. `None`: browsers have no passkeys for the
/// service's address.
pub fn second_factor(ports: &impl Ports, user: &Id) -> Result<Option<PasskeyQuestionBody>, ServiceError> {
    match ask(ports, ChallengePurpose::Login, Some(user)) {
        Err(ServiceError::Passkey(PasskeyError::UnusableAddress(_))) => Ok(None),
        asked => asked.map(Some),
    }
}
