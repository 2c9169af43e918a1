//! An authenticator that holds passkeys ([WebAuthn](https://www.w3.org/TR/webauthn-3/)), with the browser around it.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer as _;
use rsa::pkcs1v15::SigningKey as RsaKey;
use rsa::pkcs8::DecodePrivateKey as _;
use rsa::signature::{SignatureEncoding as _, Signer as _};
use rsa::traits::PublicKeyParts as _;
use rsa::{RsaPrivateKey, sha2};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A signature algorithm of passkeys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasskeyAlgorithm {
    Es256,
    EdDsa,
    Rs256,
}

impl PasskeyAlgorithm {
    pub const ALL: [Self; 3] = [Self::Es256, Self::EdDsa, Self::Rs256];
}

enum Key {
    Es256(p256::ecdsa::SigningKey),
    EdDsa(ed25519_compact::KeyPair),
    Rs256(Box<RsaPrivateKey>),
}

/// A passkey, and the browser that uses it. Tests change its fields to make answers that must be refused.
pub struct Authenticator {
    key: Key,
    credential_id: Vec<u8>,
    user_handle: Vec<u8>,
    /// The origin of the page that asks.
    pub origin: String,
    /// The host of the service.
    pub rp_id: String,
    /// The counter of signatures, which rises with each. 0: it does not count.
    pub count: u32,
    /// Whether the user is verified, by a fingerprint or a PIN.
    pub verifies_user: bool,
}

/// The user is there.
const PRESENT: u8 = 0x01;
/// The user is verified.
const VERIFIED: u8 = 0x04;
/// A new key follows.
const ATTESTED: u8 = 0x40;

fn base64(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

impl Authenticator {
    /// A new passkey in a browser that is at `origin`, such as `http://localhost:3000`.
    pub fn new(algorithm: PasskeyAlgorithm, origin: &str) -> Self {
        let mut credential_id = vec![0; 16];
        getrandom::fill(&mut credential_id).expect("random bytes");
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).expect("random bytes");
        let key = match algorithm {
            PasskeyAlgorithm::Es256 => {
                Key::Es256(p256::ecdsa::SigningKey::from_slice(&seed).expect("a scalar"))
            }
            PasskeyAlgorithm::EdDsa => {
                Key::EdDsa(ed25519_compact::KeyPair::from_seed(ed25519_compact::Seed::new(seed)))
            }
            PasskeyAlgorithm::Rs256 => {
                let pem = include_str!("../../crates/auth/src/identity_token/rsa_key.pem");
                Key::Rs256(Box::new(RsaPrivateKey::from_pkcs8_pem(pem).expect("a key")))
            }
        };
        let host = url::Url::parse(origin).expect("an origin");
        Self {
            key,
            credential_id,
            user_handle: Vec::new(),
            origin: origin.to_owned(),
            rp_id: host.host_str().expect("a host").to_owned(),
            count: 0,
            verifies_user: true,
        }
    }

    /// The answer to the options of `navigator.credentials.create`. The authenticator remembers the user.
    pub fn create(&mut self, options: &Value) -> Value {
        self.user_handle = decode(&options["user"]["id"]);
        let client_data = self.client_data("webauthn.create", options);
        let mut data = self.data(ATTESTED);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.credential_id.len()).expect("a short id").to_be_bytes());
        data.extend(&self.credential_id);
        data.extend(self.cose_key());
        let attestation = cbor_map(&[
            (cbor_text("fmt"), cbor_text("none")),
            (cbor_text("attStmt"), cbor_map(&[])),
            (cbor_text("authData"), cbor_bytes(&data)),
        ]);
        self.answer(&json!({
            "clientDataJSON": base64(&client_data), "attestationObject": base64(&attestation), "transports": [],
        }))
    }

    /// The answer to the options of `navigator.credentials.get`.
    pub fn get(&mut self, options: &Value) -> Value {
        let client_data = self.client_data("webauthn.get", options);
        if self.count > 0 {
            self.count += 1;
        }
        let data = self.data(0);
        let signed = [data.as_slice(), &Sha256::digest(&client_data)].concat();
        self.answer(&json!({
            "clientDataJSON": base64(&client_data), "authenticatorData": base64(&data),
            "signature": base64(&self.sign(&signed)), "userHandle": base64(&self.user_handle),
        }))
    }

    fn answer(&self, response: &Value) -> Value {
        let id = base64(&self.credential_id);
        json!({
            "id": id, "rawId": id, "type": "public-key", "response": response,
            "clientExtensionResults": {}, "authenticatorAttachment": "platform",
        })
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let challenge = options["challenge"].as_str().expect("a challenge");
        let origin = &self.origin;
        format!(r#"{{"type":"{kind}","challenge":"{challenge}","origin":"{origin}","crossOrigin":false}}"#)
            .into_bytes()
    }

    /// The authenticator data up to a new key.
    fn data(&self, flags: u8) -> Vec<u8> {
        let verified = if self.verifies_user { VERIFIED } else { 0 };
        let mut data = Sha256::digest(&self.rp_id).to_vec();
        data.push(PRESENT | verified | flags);
        data.extend(self.count.to_be_bytes());
        data
    }

    fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        match &self.key {
            Key::Es256(key) => {
                let signature: p256::ecdsa::Signature = key.sign(bytes);
                signature.to_der().as_bytes().to_vec()
            }
            Key::EdDsa(pair) => pair.sk.sign(bytes, None).to_vec(),
            Key::Rs256(key) => RsaKey::<sha2::Sha256>::new((**key).clone()).sign(bytes).to_vec(),
        }
    }

    /// The public key as [COSE](https://www.rfc-editor.org/rfc/rfc9053) has it.
    fn cose_key(&self) -> Vec<u8> {
        let number = cbor_number;
        match &self.key {
            Key::Es256(key) => {
                let point = key.verifying_key().to_sec1_point(false);
                let (x, y) = (point.x().expect("x").to_vec(), point.y().expect("y").to_vec());
                cbor_map(&[
                    (number(1), number(2)),
                    (number(3), number(-7)),
                    (number(-1), number(1)),
                    (number(-2), cbor_bytes(&x)),
                    (number(-3), cbor_bytes(&y)),
                ])
            }
            Key::EdDsa(pair) => cbor_map(&[
                (number(1), number(1)),
                (number(3), number(-8)),
                (number(-1), number(6)),
                (number(-2), cbor_bytes(&*pair.pk)),
            ]),
            Key::Rs256(key) => cbor_map(&[
                (number(1), number(3)),
                (number(3), number(-257)),
                (number(-1), cbor_bytes(&key.n().to_bytes_be())),
                (number(-2), cbor_bytes(&key.e().to_bytes_be())),
            ]),
        }
    }
}

fn decode(text: &Value) -> Vec<u8> {
    BASE64_URL_SAFE_NO_PAD.decode(text.as_str().expect("a text")).expect("base64url")
}

/// The head of a CBOR item ([RFC 8949 §3](https://www.rfc-editor.org/rfc/rfc8949#section-3)).
fn cbor_head(kind: u8, value: usize) -> Vec<u8> {
    let kind = kind << 5;
    match value {
        0..=23 => vec![kind | u8::try_from(value).expect("small")],
        24..=255 => vec![kind | 0x18, u8::try_from(value).expect("small")],
        _ => {
            let [high, low] = u16::try_from(value).expect("small").to_be_bytes();
            vec![kind | 0x19, high, low]
        }
    }
}

fn cbor_number(value: i16) -> Vec<u8> {
    if value < 0 {
        cbor_head(1, usize::from((-1 - value).unsigned_abs()))
    } else {
        cbor_head(0, usize::from(value.unsigned_abs()))
    }
}

fn cbor_bytes(bytes: &[u8]) -> Vec<u8> {
    [cbor_head(2, bytes.len()), bytes.to_vec()].concat()
}

fn cbor_text(text: &str) -> Vec<u8> {
    [cbor_head(3, text.len()), text.as_bytes().to_vec()].concat()
}

fn cbor_map(pairs: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let items = pairs.iter().flat_map(|(key, value)| [key.clone(), value.clone()]);
    std::iter::once(cbor_head(5, pairs.len())).chain(items).collect::<Vec<_>>().concat()
}
