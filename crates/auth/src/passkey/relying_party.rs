//! The service as the party that people log in to.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::value::to_raw_value;
use spindrift_core::{Id, PasskeyKey, UserName};
use url::{Host, Url};
use webauthn_rp::Registration;
use webauthn_rp::bin::{Decode as _, Encode as _};
use webauthn_rp::request::auth::{
    AuthenticationVerificationOptions, DiscoverableAuthenticationServerState,
    DiscoverableCredentialRequestOptions,
};
use webauthn_rp::request::register::{
    CredProtect, PublicKeyCredentialCreationOptions, PublicKeyCredentialUserEntity, RegistrationServerState,
    RegistrationVerificationOptions, Username,
};
use webauthn_rp::request::{AsciiDomain, PublicKeyCredentialDescriptor, RpId};
use webauthn_rp::response::auth::error::AuthCeremonyErr;
use webauthn_rp::response::{AuthTransports, CredentialId};

use super::{
    HANDLE_BYTES, KnownCredential, PasskeyAnswer, PasskeyError, PasskeyQuestion, decode, encode_state,
    handle_of,
};
use crate::MAX_PASSKEY_ANSWER_BYTES;

/// The address of the console, to which passkeys belong.
pub struct RelyingParty {
    id: RpId,
    origin: String,
}

impl RelyingParty {
    /// From the public URL of the service. Browsers have no passkeys for addresses without a host name, and none
    /// without https except for `localhost`.
    pub fn of(api_url: &str) -> Result<Self, PasskeyError> {
        let unusable = || PasskeyError::UnusableAddress(api_url.to_owned());
        let url = Url::parse(api_url).map_err(|_| unusable())?;
        let Some(Host::Domain(domain)) = url.host() else { return Err(unusable()) };
        let is_local = domain == "localhost" || domain.ends_with(".localhost");
        if url.scheme() != "https" && !is_local {
            return Err(unusable());
        }
        let id = AsciiDomain::try_from(domain.to_owned()).map_err(|_| unusable())?;
        Ok(Self { id: RpId::Domain(id), origin: url.origin().ascii_serialization() })
    }

    /// Asks for a new passkey of a user, from an authenticator that has none of `known` yet.
    pub fn ask_for_new(
        &self,
        user: &Id,
        name: &UserName,
        known: &[PasskeyKey],
    ) -> Result<PasskeyQuestion, PasskeyError> {
        let handle = handle_of(user);
        let name = Username::try_from(name.as_str()).map_err(|error| PasskeyError::invalid(&error))?;
        let entity = PublicKeyCredentialUserEntity { name, id: &handle, display_name: None };
        let known = known.iter().map(descriptor).collect::<Result<_, _>>()?;
        let mut options = PublicKeyCredentialCreationOptions::passkey(&self.id, entity, known);
        // The library would demand a protection that many authenticators do not know: browsers then offer none of
        // them, and wait. Each use asks for the person's PIN or finger anyway.
        options.extensions.cred_protect = CredProtect::None;
        let (state, question) = options.start_ceremony().map_err(|error| PasskeyError::invalid(&error))?;
        Ok(PasskeyQuestion {
            options: to_raw_value(&question).map_err(|error| PasskeyError::invalid(&error))?,
            state: state.encode().map_err(|error| PasskeyError::invalid(&error))?,
        })
    }

    /// The new passkey in the browser's answer.
    pub fn accept_new(&self, state: &[u8], answer: &[u8]) -> Result<PasskeyKey, PasskeyError> {
        if answer.len() > MAX_PASSKEY_ANSWER_BYTES {
            return Err(PasskeyError::Invalid("it is too long".to_owned()));
        }
        let state: RegistrationServerState<HANDLE_BYTES> =
            RegistrationServerState::decode(state).map_err(|_| PasskeyError::NoChallenge)?;
        let answer =
            Registration::from_json_relaxed(answer).map_err(|error| PasskeyError::invalid(&error))?;
        let options = RegistrationVerificationOptions::<&str, &str> {
            allowed_origins: &[self.origin.as_str()],
            ..RegistrationVerificationOptions::default()
        };
        let passkey =
            state.verify(&self.id, &answer, &options).map_err(|error| PasskeyError::invalid(&error))?;
        let Ok(key) = passkey.static_state().encode();
        Ok(PasskeyKey {
            credential_id: URL_SAFE_NO_PAD.encode(passkey.id().as_ref()),
            public_key: URL_SAFE_NO_PAD.encode(key),
            state: encode_state(passkey.dynamic_state()),
        })
    }

    /// Asks for any passkey of this service.
    pub fn ask(&self) -> Result<PasskeyQuestion, PasskeyError> {
        let options = DiscoverableCredentialRequestOptions::passkey(&self.id);
        let (state, question) = options.start_ceremony().map_err(|error| PasskeyError::invalid(&error))?;
        Ok(PasskeyQuestion {
            options: to_raw_value(&question).map_err(|error| PasskeyError::invalid(&error))?,
            state: state.encode().map_err(|error| PasskeyError::invalid(&error))?,
        })
    }

    /// Checks that the answer is by this passkey of the user. Returns the passkey's new state.
    pub fn verify(
        &self,
        state: &[u8],
        answer: &PasskeyAnswer,
        (user, passkey): (&Id, &PasskeyKey),
    ) -> Result<String, PasskeyError> {
        let state =
            DiscoverableAuthenticationServerState::decode(state).map_err(|_| PasskeyError::NoChallenge)?;
        let known = KnownCredential::load(user, passkey)?;
        let mut credential = known.borrow()?;
        let options = AuthenticationVerificationOptions::<&str, &str> {
            allowed_origins: &[self.origin.as_str()],
            ..AuthenticationVerificationOptions::default()
        };
        state.verify(&self.id, &answer.0, &mut credential, &options).map_err(|error| match error {
            AuthCeremonyErr::SignatureCounter => PasskeyError::Copied,
            AuthCeremonyErr::Timeout => PasskeyError::NoChallenge,
            other => PasskeyError::invalid(&other),
        })?;
        Ok(encode_state(credential.dynamic_state()))
    }
}

fn descriptor(passkey: &PasskeyKey) -> Result<PublicKeyCredentialDescriptor<Vec<u8>>, PasskeyError> {
    let id = CredentialId::<Vec<u8>>::decode(decode(&passkey.credential_id)?)
        .map_err(|_| PasskeyError::Damaged)?;
    let transports = AuthTransports::decode(0).map_err(|_| PasskeyError::Damaged)?;
    Ok(PublicKeyCredentialDescriptor { id, transports })
}
