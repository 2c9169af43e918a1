//! Credentials in headers: login tokens, tokens for automation and downloads, report keys.

use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use spindrift_auth::{
    AuthError, CiToken, Credential, DownloadToken, JWT_LIFETIME_SECONDS, JwtKey, MAX_JWT_LENGTH, ReportKey,
    VISIBLE_PREFIX_LENGTH, bearer,
};
use spindrift_core::{Id, UserName};

use crate::text::of;
use crate::world::NOW;

const SECRET: &str = "a secret of at least thirty-two bytes";

/// A header is read or refused, a key in it is as written, and only a token that the service signed is a login.
pub fn tokens(data: &[u8]) -> bool {
    let key = JwtKey::new(SECRET).expect("a key");
    forged(&key, data);
    let is_login = signed(&key, data);
    let Some(text) = of(data) else { return is_login };
    assert!(key.verify(text, NOW).is_err() || is_signed(text), "{text}");
    keys::<CiToken>(text, "sdt_", CiToken::expose);
    keys::<DownloadToken>(text, "sdd_", DownloadToken::expose);
    keys::<ReportKey>(text, "rpk_", ReportKey::expose);
    header(text) || is_login
}

fn keys<K: FromStr>(text: &str, prefix: &str, expose: fn(&K) -> &str) {
    let Ok(key) = text.parse::<K>() else { return };
    assert_eq!(expose(&key), text);
    assert!(
        text.starts_with(prefix) && text.len() == prefix.len() + 64 && VISIBLE_PREFIX_LENGTH < text.len()
    );
}

fn header(text: &str) -> bool {
    let is_key = |header| ReportKey::from_header(Some(header)).is_ok();
    match bearer(Some(text)) {
        Ok(token) => {
            assert!(text.ends_with(token) || text.trim_end().ends_with(token));
            assert!(token.bytes().all(|b| b.is_ascii_graphic()), "{token}");
            match Credential::from_header(Some(text)).expect("a bearer token") {
                Credential::CiToken(key) => assert_eq!(key.expose(), token),
                Credential::Jwt(jwt) => assert!(jwt == token && !token.starts_with("rpk_") || !is_key(token)),
            }
            assert_eq!(is_key(text), token.parse::<ReportKey>().is_ok());
            let again = format!("bearer {token}");
            assert_eq!(
                bearer(Some(&again)),
                if token.is_empty() { Err(AuthError::BadFormat) } else { Ok(token) }
            );
        }
        Err(_) => assert!(Credential::from_header(Some(text)).is_err() && !is_key(text)),
    }
    bearer(Some(text)).is_ok()
}

/// A token of the service with one byte changed is not a token. The first bytes of `data` give the place and the new byte.
fn forged(key: &JwtKey, data: &[u8]) {
    let [place, other, ..] = *data else { return };
    let user: UserName = "ada".parse().expect("a name");
    let token =
        key.issue(&Id::from_text("id"), &user, 3, Some(&Id::from_text("login")), NOW).expect("a token");
    let claims = key.verify(&token, NOW).expect("a token of the service");
    assert_eq!((claims.username, claims.epoch), (user, 3));
    assert_eq!(key.verify(&token, NOW.plus_seconds(JWT_LIFETIME_SECONDS)), Err(AuthError::Expired));
    let mut bytes = token.into_bytes();
    let place = usize::from(place) * bytes.len() / 256;
    if let Some(byte) = bytes.get_mut(place).filter(|byte| **byte != other) {
        *byte = other;
        let changed = String::from_utf8_lossy(&bytes);
        assert!(key.verify(&changed, NOW).is_err(), "{changed}");
    }
}

/// Claims that the service would not write, with a good signature: they are read or refused.
fn signed(key: &JwtKey, data: &[u8]) -> bool {
    let token = sign(data);
    let claims = key.verify(&token, NOW);
    if let Ok(claims) = &claims {
        assert!(token.len() <= MAX_JWT_LENGTH && claims.expires_at > NOW);
        assert!(claims.username.as_str().parse::<UserName>().is_ok());
    }
    claims.is_ok()
}

fn sign(claims: &[u8]) -> String {
    let header = URL_SAFE_NO_PAD.encode(br#"{"alg":"HS256","typ":"JWT"}"#);
    let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
    mac.update(signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

/// Whether the text has a signature of the key, as kept inputs may.
fn is_signed(text: &str) -> bool {
    let Some((signed, signature)) = text.rsplit_once('.') else { return false };
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
    mac.update(signed.as_bytes());
    signature == URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
}
