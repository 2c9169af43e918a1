//! Passkeys: credentials of [Web Authentication](https://www.w3.org/TR/webauthn-3/), verified by `webauthn_rp`.
//!
//! That library makes the random bytes of a challenge, and reads the clock to see whether it has expired.

mod relying_party;

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use spindrift_core::{Id, PasskeyKey};
use webauthn_rp::bin::{Decode as _, Encode as _};
use webauthn_rp::request::register::UserHandle;
use webauthn_rp::response::register::{CompressedPubKey, DynamicState, StaticState};
use webauthn_rp::{AuthenticatedCredential, DiscoverableAuthentication};

pub use self::relying_party::RelyingParty;

/// Longest answer of a browser, in bytes. Answers about keys with RSA have about 2,000.
pub const MAX_PASSKEY_ANSWER_BYTES: usize = 16 * 1024;

/// Bytes of the name by which an authenticator knows a user.
const HANDLE_BYTES: usize = 32;

type PublicKey = CompressedPubKey<[u8; 32], [u8; 32], [u8; 48], Vec<u8>>;

/// Why a passkey is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasskeyError {
    /// Browsers have no passkeys for this address.
    #[error("passkeys need an api_url with a host name, and https unless it is localhost, unlike {0}")]
    UnusableAddress(String),
    /// This service did not ask, or not for this, or more than five minutes ago.
    #[error("the challenge is over: load the page again")]
    NoChallenge,
    /// Not what a browser sends, or it proves nothing. The text says what is wrong.
    #[error("the passkey was not accepted: {0}")]
    Invalid(String),
    /// The authenticator counts its signatures, and has counted backwards: there is a copy of it.
    #[error("the passkey was not accepted: its counter went back, so there may be a copy of it")]
    Copied,
    /// A stored key cannot be read. For the log.
    #[error("the stored passkey is damaged")]
    Damaged,
}

impl PasskeyError {
    fn invalid(error: &impl fmt::Display) -> Self {
        Self::Invalid(error.to_string())
    }
}

/// A question for the browser.
pub struct PasskeyQuestion {
    /// The argument `publicKey` of `navigator.credentials.create` or `get`, as JSON.
    pub options: Box<RawValue>,
    /// The state that verifies the answer.
    pub state: Vec<u8>,
}

/// The answer of a browser that was asked for a passkey, not verified yet.
pub struct PasskeyAnswer(DiscoverableAuthentication<HANDLE_BYTES>);

impl PasskeyAnswer {
    /// Reads the JSON of a [`PublicKeyCredential`](https://www.w3.org/TR/webauthn-3/#iface-pkcredential).
    pub fn parse(json: &[u8]) -> Result<Self, PasskeyError> {
        if json.len() > MAX_PASSKEY_ANSWER_BYTES {
            return Err(PasskeyError::Invalid("it is too long".to_owned()));
        }
        DiscoverableAuthentication::from_json_relaxed(json)
            .map(Self)
            .map_err(|error| PasskeyError::invalid(&error))
    }

    /// The credential that it says it is, by which the stored key is found.
    pub fn credential_id(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.raw_id().as_ref())
    }
}

/// The name by which authenticators know a user. It says nothing about the user.
fn handle_of(user: &Id) -> UserHandle<HANDLE_BYTES> {
    let digest: [u8; HANDLE_BYTES] = Sha256::digest(format!("spindrift user {user}")).into();
    match UserHandle::decode(digest) {
        Ok(handle) => handle,
    }
}

fn decode(text: &str) -> Result<Vec<u8>, PasskeyError> {
    URL_SAFE_NO_PAD.decode(text).map_err(|_| PasskeyError::Damaged)
}

/// A stored key, with the bytes that the library's form of it borrows.
struct KnownCredential {
    id: Vec<u8>,
    handle: UserHandle<HANDLE_BYTES>,
    key: StaticState<PublicKey>,
    state: DynamicState,
}

impl KnownCredential {
    fn load(user: &Id, stored: &PasskeyKey) -> Result<Self, PasskeyError> {
        let key = StaticState::decode(&decode(&stored.public_key)?).map_err(|_| PasskeyError::Damaged)?;
        let state = decode(&stored.state)?.try_into().map_err(|_| PasskeyError::Damaged)?;
        let state = DynamicState::decode(state).map_err(|_| PasskeyError::Damaged)?;
        Ok(Self { id: decode(&stored.credential_id)?, handle: handle_of(user), key, state })
    }

    fn borrow(&self) -> Result<AuthenticatedCredential<'_, '_, HANDLE_BYTES, PublicKey>, PasskeyError> {
        let id = webauthn_rp::response::CredentialId::decode(self.id.as_slice())
            .map_err(|_| PasskeyError::Damaged)?;
        AuthenticatedCredential::new(id, &self.handle, self.key.clone(), self.state)
            .map_err(|_| PasskeyError::Damaged)
    }
}

fn encode_state(state: DynamicState) -> String {
    match state.encode() {
        Ok(bytes) => URL_SAFE_NO_PAD.encode(bytes),
    }
}
