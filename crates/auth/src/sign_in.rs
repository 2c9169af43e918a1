//! Sign-ins at an OpenID provider: the authorization code flow
//! ([OpenID Connect Core §3.1](https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth)) with PKCE
//! ([RFC 7636](https://www.rfc-editor.org/rfc/rfc7636)).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use spindrift_core::{EmailAddress, SsoIdentity, Timestamp};

use crate::{IdentityKeys, IdentityToken, IdentityTokenError, constant_time_eq};

/// Longest name of an account at a provider, in bytes: OpenID Connect Core §2.
const MAX_SUBJECT_BYTES: usize = 255;
/// Random bytes of each of the three secrets.
const SECRET_BYTES: usize = 32;

/// Why a sign-in is refused. The texts are for people, and repeat nothing that the provider wrote.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignInError {
    #[error("the answer of the provider does not belong to this sign-in: begin again")]
    OtherSignIn,
    #[error("the answer is that of another provider")]
    OtherProvider,
    #[error("the token of the provider is not valid: {0}")]
    Token(#[from] IdentityTokenError),
    #[error("the token of the provider does not name the account")]
    NoSubject,
}

/// The secrets of a sign-in, which only the service and the browser that began it know.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignIn {
    state: String,
    nonce: String,
    verifier: String,
    /// A path of the console to go on with.
    pub then: Option<String>,
}

impl SignIn {
    /// A new one, from random bytes.
    pub fn new(random: &[u8; 3 * SECRET_BYTES], then: Option<String>) -> Self {
        let secret = |at: usize| URL_SAFE_NO_PAD.encode(&random[at * SECRET_BYTES..(at + 1) * SECRET_BYTES]);
        Self { state: secret(0), nonce: secret(1), verifier: secret(2), then }
    }

    /// The parameters of the request for authorization that are new for each sign-in.
    pub fn parameters(&self) -> [(&'static str, String); 4] {
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&self.verifier));
        [
            ("state", self.state.clone()),
            ("nonce", self.nonce.clone()),
            ("code_challenge", challenge),
            ("code_challenge_method", "S256".to_owned()),
        ]
    }

    /// The secret with which the code is exchanged.
    pub fn verifier(&self) -> &str {
        &self.verifier
    }

    /// Checks that the provider's redirect belongs to this sign-in. `iss`: the parameter, which not every provider
    /// sends ([RFC 9207](https://www.rfc-editor.org/rfc/rfc9207)).
    pub fn accept(&self, state: &str, iss: Option<&str>, issuer: &str) -> Result<(), SignInError> {
        if !constant_time_eq(state, &self.state) {
            return Err(SignInError::OtherSignIn);
        }
        match iss {
            Some(iss) if iss != issuer => Err(SignInError::OtherProvider),
            _ => Ok(()),
        }
    }

    /// The person in an ID token that the provider has signed for this sign-in.
    pub fn person(
        &self,
        token: &IdentityToken,
        keys: &IdentityKeys,
        (issuer, client_id): (&str, &str),
        now: Timestamp,
    ) -> Result<(SsoIdentity, Option<EmailAddress>), SignInError> {
        if token.issuer() != issuer {
            return Err(SignInError::OtherProvider);
        }
        let claims = token.verify_sign_in(keys, client_id, now)?;
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        if !text("nonce").is_some_and(|nonce| constant_time_eq(nonce, &self.nonce)) {
            return Err(SignInError::OtherSignIn);
        }
        let subject = text("sub").filter(|subject| (1..=MAX_SUBJECT_BYTES).contains(&subject.len()));
        let subject = subject.ok_or(SignInError::NoSubject)?.to_owned();
        Ok((SsoIdentity { issuer: issuer.to_owned(), subject }, verified_email(&claims)))
    }
}

/// The e-mail address, if the provider says that it has verified it.
fn verified_email(claims: &Map<String, Value>) -> Option<EmailAddress> {
    let is_verified = claims.get("email_verified").is_some_and(|said| said == true || said == "true");
    claims.get("email").and_then(Value::as_str).filter(|_| is_verified)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign_in() -> SignIn {
        SignIn::new(&[7; 96], Some("/console/".to_owned()))
    }

    #[test]
    fn only_the_own_answer_is_accepted() {
        let sign_in = sign_in();
        let [(_, state), ..] = sign_in.parameters();
        let issuer = "https://sso.example";
        for (sent, iss, expected) in [
            (state.as_str(), None, Ok(())),
            (&state, Some(issuer), Ok(())),
            (&state, Some("https://evil.example"), Err(SignInError::OtherProvider)),
            ("", None, Err(SignInError::OtherSignIn)),
            ("other", Some(issuer), Err(SignInError::OtherSignIn)),
        ] {
            assert_eq!(sign_in.accept(sent, iss, issuer), expected, "{sent} {iss:?}");
        }
    }

    /// The example of [RFC 7636](https://www.rfc-editor.org/rfc/rfc7636#appendix-B).
    #[test]
    fn the_challenge_is_a_digest_of_the_verifier() {
        let sign_in =
            SignIn { verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned(), ..sign_in() };
        let [_, _, (_, challenge), _] = sign_in.parameters();
        assert_eq!(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn only_a_verified_address_counts() {
        for (claims, expected) in [
            (r#"{"email":"Ada@Example.com","email_verified":true}"#, Some("ada@example.com")),
            (r#"{"email":"ada@example.com","email_verified":"true"}"#, Some("ada@example.com")),
            (r#"{"email":"ada@example.com","email_verified":false}"#, None),
            (r#"{"email":"ada@example.com"}"#, None),
            (r#"{"email":"ada","email_verified":true}"#, None),
            (r#"{"email_verified":true}"#, None),
        ] {
            let claims: Map<String, Value> = serde_json::from_str(claims).unwrap();
            assert_eq!(
                verified_email(&claims).map(|email| email.to_string()).as_deref(),
                expected,
                "{claims:?}"
            );
        }
    }
}
