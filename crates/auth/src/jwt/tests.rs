use jwt_simple::algorithms::{HS384Key, HS512Key};
use jwt_simple::claims::Claims as Build;
use jwt_simple::reexports::ct_codecs::{Base64UrlSafeNoPadding, Decoder as _, Encoder as _};

use super::*;

const SECRET: &str = "0123456789abcdef0123456789abcdef";
/// 2026-11-21T01:43:42Z.
const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

fn key() -> JwtKey {
    JwtKey::new(SECRET).unwrap()
}

fn ada() -> UserName {
    "ada@x.example".parse().unwrap()
}

fn encode(text: &str) -> String {
    Base64UrlSafeNoPadding::encode_to_string(text).unwrap()
}

/// A token with these parts and a valid HS256 signature, for any header.
fn signed(header: &str, claims: &str) -> String {
    let text = format!("{}.{}", encode(header), encode(claims));
    let tag = Base64UrlSafeNoPadding::encode_to_string(key().0.authentication_tag(text.as_bytes())).unwrap();
    format!("{text}.{tag}")
}

fn with_claims(claims: &str) -> String {
    signed(r#"{"alg":"HS256","typ":"JWT"}"#, claims)
}

#[test]
fn a_token_is_valid_for_a_day() {
    let token = key().issue(&Id::from_text("u1"), &ada(), 3, Some(&Id::from_text("l1")), NOW).unwrap();
    let expires_at = NOW.plus_seconds(JWT_LIFETIME_SECONDS);
    let claims = LoginClaims {
        username: ada(),
        user_id: Some(Id::from_text("u1")),
        login: Some(Id::from_text("l1")),
        epoch: 3,
        expires_at,
    };
    for (seconds, expected) in [
        (-60, Ok(claims.clone())),
        (0, Ok(claims.clone())),
        (JWT_LIFETIME_SECONDS - 1, Ok(claims)),
        (JWT_LIFETIME_SECONDS, Err(AuthError::Expired)),
        (JWT_LIFETIME_SECONDS + 1, Err(AuthError::Expired)),
    ] {
        assert_eq!(key().verify(&token, NOW.plus_seconds(seconds)), expected, "{seconds}");
    }
}

#[test]
fn a_token_holds_six_claims() {
    let token = key().issue(&Id::from_text("u1"), &ada(), 3, Some(&Id::from_text("l1")), NOW).unwrap();
    let parts: Vec<_> = token.split('.').collect();
    let text =
        |part: &str| String::from_utf8(Base64UrlSafeNoPadding::decode_to_vec(part, None).unwrap()).unwrap();
    assert_eq!(text(parts[0]), r#"{"alg":"HS256","typ":"JWT"}"#);
    assert_eq!(
        text(parts[1]),
        r#"{"iat":1795225422,"exp":1795311822,"sub":"u1","jti":"l1","username":"ada@x.example","epoch":3}"#
    );
}

#[test]
fn other_algorithms_are_refused() {
    let claims = r#"{"username":"ada","exp":1795311822}"#;
    for alg in ["none", "None", "HS384", "HS512", "RS256", "ES256", "hs256", ""] {
        let header = format!(r#"{{"alg":"{alg}","typ":"JWT"}}"#);
        assert_eq!(key().verify(&signed(&header, claims), NOW), Err(AuthError::InvalidToken), "{alg}");
        let unsigned = format!("{}.{}.", encode(&header), encode(claims));
        assert_eq!(key().verify(&unsigned, NOW), Err(AuthError::InvalidToken), "{alg}, unsigned");
    }
    let build =
        || Build::with_custom_claims(PrivateClaims { username: ada(), epoch: 0 }, Duration::from_days(3_650));
    let tokens = [
        HS384Key::from_bytes(SECRET.as_bytes()).authenticate(build()).unwrap(),
        HS512Key::from_bytes(SECRET.as_bytes()).authenticate(build()).unwrap(),
    ];
    for token in tokens {
        assert_eq!(key().verify(&token, NOW), Err(AuthError::InvalidToken), "{token}");
    }
}

#[test]
fn forged_and_malformed_tokens_are_invalid() {
    let token = key().issue(&Id::from_text("u1"), &ada(), 3, Some(&Id::from_text("l1")), NOW).unwrap();
    let other = JwtKey::new(&"x".repeat(32))
        .unwrap()
        .issue(&Id::from_text("u1"), &ada(), 3, Some(&Id::from_text("l1")), NOW)
        .unwrap();
    let parts: Vec<_> = token.split('.').collect();
    let swapped = format!("{}.{}.{}", parts[0], encode(r#"{"username":"eve","exp":1795311822}"#), parts[2]);
    let cut = &token[..token.len() - 2];
    for bad in
        ["", ".", "..", "...", "a.b.c", &other, &swapped, cut, &format!("{token}.x"), &format!("{token}=")]
    {
        assert_eq!(key().verify(bad, NOW), Err(AuthError::InvalidToken), "{bad}");
    }
    // For a forged token, the error does not reveal whether it has expired.
    assert_eq!(
        key().verify(&other, NOW.plus_seconds(2 * JWT_LIFETIME_SECONDS)),
        Err(AuthError::InvalidToken)
    );
}

#[test]
fn claims_are_checked() {
    for (claims, expected) in [
        (r#"{"username":"ada","exp":1795225423,"epoch":0}"#, None),
        (r#"{"username":"ada","exp":1795225423,"epoch":0,"iat":9999999999,"role":"x"}"#, None),
        (r#"{"username":"ada","exp":1795225423}"#, Some(AuthError::InvalidToken)),
        (r#"{"username":"ada","exp":1795225423,"epoch":"1"}"#, Some(AuthError::InvalidToken)),
        (r#"{"username":"ada","exp":1795225423,"epoch":-1}"#, Some(AuthError::InvalidToken)),
        (r#"{"username":"ada","exp":1795225422,"epoch":0}"#, Some(AuthError::Expired)),
        (r#"{"username":"ada","exp":0,"epoch":0}"#, Some(AuthError::Expired)),
        (r#"{"username":"ada","epoch":0}"#, Some(AuthError::InvalidToken)),
        (r#"{"username":"ada","exp":null,"epoch":0}"#, Some(AuthError::InvalidToken)),
        (r#"{"username":"ada","exp":"1795225423","epoch":0}"#, Some(AuthError::InvalidToken)),
        (r#"{"username":"ada","exp":1795225423,"nbf":1795225423,"epoch":0}"#, Some(AuthError::InvalidToken)),
        (r#"{"username":"a/b","exp":1795225423,"epoch":0}"#, Some(AuthError::InvalidToken)),
        (r#"{"username":7,"exp":1795225423,"epoch":0}"#, Some(AuthError::InvalidToken)),
        (r#"{"exp":1795225423,"epoch":0}"#, Some(AuthError::InvalidToken)),
        ("[]", Some(AuthError::InvalidToken)),
    ] {
        assert_eq!(key().verify(&with_claims(claims), NOW).err(), expected, "{claims}");
    }
}

#[test]
fn the_length_is_limited() {
    let claims = |n| format!(r#"{{"username":"ada","exp":1795225423,"epoch":0,"x":"{}"}}"#, "x".repeat(n));
    assert!(key().verify(&with_claims(&claims(2000)), NOW).is_ok());
    assert_eq!(key().verify(&with_claims(&claims(MAX_JWT_LENGTH)), NOW), Err(AuthError::InvalidToken));
}

#[test]
fn weak_secrets_are_refused_and_none_is_shown() {
    assert_eq!(JwtKey::new(&SECRET[1..]).err(), Some(AuthError::WeakSecret));
    assert_eq!(format!("{:?}", key()), "JwtKey([redacted])");
}
