//! JWTs as made with or without the secret.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::digest::Digest;
use sha2::{Sha256, Sha512};
use spindrift_core::Timestamp;

/// The secret that test worlds sign with.
pub(crate) const SECRET: &str = spindrift_tests::JWT_SECRET;

/// Claims of a user who has never ended the logins, which end so many seconds from now.
pub(crate) fn claims(username: &str, seconds: i64) -> Value {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    json!({ "username": username, "epoch": 0, "exp": now.cast_signed() + seconds })
}

/// A point in time, for clocks.
pub(crate) fn time(rfc3339: &str) -> Timestamp {
    let time: jiff::Timestamp = rfc3339.parse().unwrap();
    Timestamp::from_millis(time.as_millisecond())
}

fn message(algorithm: &str, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", part(&json!({ "alg": algorithm, "typ": "JWT" })), part(claims))
}

/// Signed as the service does it.
pub(crate) fn hs256(claims: &Value, secret: &str) -> String {
    let message = message("HS256", claims);
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(hmac::<Sha256>(64, secret, &message)))
}

/// Signed with the right secret by another algorithm.
pub(crate) fn hs512(claims: &Value, secret: &str) -> String {
    let message = message("HS512", claims);
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(hmac::<Sha512>(128, secret, &message)))
}

/// Not signed at all.
pub(crate) fn unsigned(claims: &Value) -> String {
    format!("{}.", message("none", claims))
}

/// [HMAC](https://www.rfc-editor.org/rfc/rfc2104) with a key that is not longer than a block.
fn hmac<D: Digest>(block: usize, key: &str, message: &str) -> Vec<u8> {
    let pad = |byte: u8| {
        let mut padded = key.as_bytes().to_vec();
        padded.resize(block, 0);
        padded.iter().map(|b| b ^ byte).collect::<Vec<u8>>()
    };
    let inner = D::new().chain_update(pad(0x36)).chain_update(message).finalize();
    D::new().chain_update(pad(0x5c)).chain_update(inner).finalize().to_vec()
}
