//! Challenges for passkeys and for single sign-on, which the service does not store: the caller brings them back with
//! the answer.

use base16ct::lower::encode_string as hex;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::Mac as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use spindrift_core::{Id, Timestamp};

use crate::derived_mac::derived_mac;
use crate::{AuthError, PasskeyError};

/// How long a challenge for a passkey can be answered, in seconds: as long as browsers are told.
const PASSKEY_SECONDS: i64 = 5 * 60;
/// How long somebody can take at the provider for single sign-on, in seconds.
const SIGN_IN_SECONDS: i64 = 10 * 60;
/// The purpose of the key that seals challenges.
const PURPOSE: &str = "spindrift challenge";
/// Longest sealed challenge, in bytes. Ours are about 400.
const MAX_BYTES: usize = 4096;

/// The answers that a challenge accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChallengePurpose {
    /// A new passkey of a user who is logged in.
    Register,
    /// A login.
    Login,
    /// A fresh proof by a user who is logged in.
    Proof,
    /// A login through the provider for single sign-on.
    SignIn,
    /// A link from the account of a user who is logged in to one at the provider.
    Bind,
}

impl ChallengePurpose {
    const fn seconds(self) -> i64 {
        match self {
            Self::Register | Self::Login | Self::Proof => PASSKEY_SECONDS,
            Self::SignIn | Self::Bind => SIGN_IN_SECONDS,
        }
    }
}

/// A challenge, with all that verifies the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedChallenge {
    pub purpose: ChallengePurpose,
    /// The only user who can answer. `None`: anyone.
    pub user: Option<Id>,
    /// The state of the question.
    state: String,
    /// In milliseconds since 1970.
    expires_at: i64,
}

impl SealedChallenge {
    pub fn new(purpose: ChallengePurpose, user: Option<Id>, state: &[u8], now: Timestamp) -> Self {
        let expires_at = now.plus_seconds(purpose.seconds()).as_millis();
        Self { purpose, user, state: URL_SAFE_NO_PAD.encode(state), expires_at }
    }

    /// The text for the caller: the challenge and a MAC of it, under a key of the service.
    pub fn seal(&self, service_secret: &str) -> Result<String, AuthError> {
        let json = serde_json::to_vec(self).map_err(|_| AuthError::Internal("write a challenge"))?;
        let text = URL_SAFE_NO_PAD.encode(json);
        let mac = derived_mac(service_secret, PURPOSE, &text).ok_or(AuthError::WeakSecret)?;
        Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())))
    }

    /// The challenge in a text that [`seal`](Self::seal) made, if it is for this purpose and not over.
    pub fn open(
        service_secret: &str,
        sealed: &str,
        purpose: ChallengePurpose,
        now: Timestamp,
    ) -> Result<Self, PasskeyError> {
        let opened = Self::unseal(service_secret, sealed).ok_or(PasskeyError::NoChallenge)?;
        if opened.purpose == purpose && now.as_millis() < opened.expires_at {
            Ok(opened)
        } else {
            Err(PasskeyError::NoChallenge)
        }
    }

    fn unseal(service_secret: &str, sealed: &str) -> Option<Self> {
        if sealed.len() > MAX_BYTES {
            return None;
        }
        let (text, mac) = sealed.split_once('.')?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
        derived_mac(service_secret, PURPOSE, text)?.verify_slice(&mac).ok()?;
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
    }

    /// The state of the question.
    pub fn state(&self) -> Result<Vec<u8>, PasskeyError> {
        URL_SAFE_NO_PAD.decode(&self.state).map_err(|_| PasskeyError::NoChallenge)
    }

    pub const fn expires_at(&self) -> Timestamp {
        Timestamp::from_millis(self.expires_at)
    }

    /// The name under which an answered challenge is remembered.
    pub fn digest(&self) -> String {
        hex(&Sha256::digest(&self.state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "a secret that is long enough for it";
    const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_750);

    fn sealed() -> (SealedChallenge, String) {
        let challenge =
            SealedChallenge::new(ChallengePurpose::Proof, Some(Id::from_text("1")), b"state", NOW);
        let sealed = challenge.seal(SECRET).unwrap();
        (challenge, sealed)
    }

    #[test]
    fn a_challenge_is_good_for_one_purpose_and_five_minutes() {
        let (challenge, sealed) = sealed();
        let open =
            |purpose, seconds| SealedChallenge::open(SECRET, &sealed, purpose, NOW.plus_seconds(seconds));
        assert_eq!(open(ChallengePurpose::Proof, 299), Ok(challenge.clone()));
        assert_eq!(challenge.state().unwrap(), b"state");
        for (purpose, seconds) in
            [(ChallengePurpose::Proof, 300), (ChallengePurpose::Login, 0), (ChallengePurpose::Register, 0)]
        {
            assert_eq!(open(purpose, seconds), Err(PasskeyError::NoChallenge), "{purpose:?} {seconds}");
        }
    }

    #[test]
    fn only_the_service_makes_challenges() {
        let (challenge, sealed) = sealed();
        let open = |secret, text: &str| SealedChallenge::open(secret, text, ChallengePurpose::Proof, NOW);
        assert_eq!(challenge.seal("short"), Err(AuthError::WeakSecret));
        let (text, mac) = sealed.split_once('.').unwrap();
        let other = URL_SAFE_NO_PAD.encode(serde_json::json!({ "purpose": "proof" }).to_string());
        for wrong in
            ["", ".", text, &format!("{text}."), &format!("{other}.{mac}"), &"x".repeat(MAX_BYTES + 1)]
        {
            assert_eq!(open(SECRET, wrong), Err(PasskeyError::NoChallenge), "{wrong}");
        }
        assert_eq!(open("another secret that is long enough", &sealed), Err(PasskeyError::NoChallenge));
    }
}
