//! The public keys of an OpenID issuer ([RFC 7517](https://www.rfc-editor.org/rfc/rfc7517)).

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jwt_simple::Error;
use jwt_simple::algorithms::{
    ECDSAP256PublicKeyLike as _, ES256PublicKey, RS256PublicKey, RSAPublicKeyLike as _,
};
use jwt_simple::claims::JWTClaims;
use jwt_simple::common::VerificationOptions;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Most keys of an issuer that are read. Issuers have two to ten.
const MAX_KEYS: usize = 100;
/// Bytes of a coordinate of P-256.
const COORDINATE_BYTES: usize = 32;
/// Shortest and longest RSA modulus, in bytes: 2,048 to 8,192 bits.
const RSA_BYTES: std::ops::RangeInclusive<usize> = 256..=1024;
/// Longest exponent, in bytes. In practice it is 65,537.
const MAX_EXPONENT_BYTES: usize = 8;

/// The keys of an issuer.
#[derive(Clone)]
pub struct IdentityKeys(Vec<(String, KeyUse)>);

/// The text is not a set of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a JSON Web Key Set")]
pub struct InvalidKeys;

/// A key with the only algorithm that it verifies: the token's header does not choose it.
#[derive(Clone)]
pub(crate) enum KeyUse {
    Rs256(Box<RS256PublicKey>),
    Es256(ES256PublicKey),
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Key>,
}

/// A key as written. Keys of other kinds have other fields.
#[derive(Deserialize)]
struct Key {
    kty: Option<String>,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    n: Option<String>,
    e: Option<String>,
    crv: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl IdentityKeys {
    /// Reads a key set. Keys of other kinds, for other uses, without an id or of other sizes are left out.
    pub fn parse(bytes: &[u8]) -> Result<Self, InvalidKeys> {
        let set: KeySet = serde_json::from_slice(bytes).map_err(|_| InvalidKeys)?;
        if set.keys.len() > MAX_KEYS {
            return Err(InvalidKeys);
        }
        let usable = |key: &Key| Some((key.kid.clone()?, KeyUse::of(key)?));
        Ok(Self(set.keys.iter().filter_map(usable).collect()))
    }

    /// Whether there is a key with this id.
    pub(crate) fn find(&self, id: &str) -> Option<&KeyUse> {
        self.0.iter().find(|(known, _)| known == id).map(|(_, key)| key)
    }
}

impl KeyUse {
    /// The algorithms that keys can have here.
    pub(crate) const ALGORITHMS: [&'static str; 2] = ["RS256", "ES256"];

    fn of(key: &Key) -> Option<Self> {
        let is_for = |algorithm: &str| key.alg.as_deref().is_none_or(|alg| alg == algorithm);
        if key.purpose.as_deref().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        match key.kty.as_deref()? {
            "RSA" if is_for("RS256") => {
                let (n, e) = (bytes(key.n.as_deref()?)?, bytes(key.e.as_deref()?)?);
                if !RSA_BYTES.contains(&n.len()) || !(1..=MAX_EXPONENT_BYTES).contains(&e.len()) {
                    return None;
                }
                RS256PublicKey::from_components(&n, &e).ok().map(Box::new).map(Self::Rs256)
            }
            "EC" if is_for("ES256") && key.crv.as_deref() == Some("P-256") => {
                let (x, y) = (bytes(key.x.as_deref()?)?, bytes(key.y.as_deref()?)?);
                if x.len() != COORDINATE_BYTES || y.len() != COORDINATE_BYTES {
                    return None;
                }
                // An uncompressed point: SEC 1, section 2.3.3.
                let point = [&[4], x.as_slice(), y.as_slice()].concat();
                ES256PublicKey::from_bytes(&point).ok().map(Self::Es256)
            }
            _ => None,
        }
    }

    pub(crate) fn verify<C: serde::Serialize + DeserializeOwned>(
        &self,
        token: &str,
        options: VerificationOptions,
    ) -> Result<JWTClaims<C>, Error> {
        match self {
            Self::Rs256(key) => key.verify_token(token, Some(options)),
            Self::Es256(key) => key.verify_token(token, Some(options)),
        }
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok()
}
