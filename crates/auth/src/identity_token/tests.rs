use jwt_simple::algorithms::{
    ECDSAP256KeyPairLike as _, ES256KeyPair, HS256Key, MACLike as _, RS256KeyPair, RSAKeyPairLike as _,
};
use jwt_simple::claims::JWTClaims;
use serde_json::json;

use super::*;

/// 2026-11-21T01:43:42Z.
const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);
const NOW_SECONDS: i64 = 1_795_225_422;
const US: &str = "https://updates.example.com";

fn base64(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

fn rsa_key() -> RS256KeyPair {
    RS256KeyPair::from_pem(include_str!("rsa_key.pem")).unwrap().with_key_id("rsa")
}

fn rsa_jwk(id: &str) -> Value {
    let parts = rsa_key().public_key().to_components();
    json!({ "kty": "RSA", "kid": id, "alg": "RS256", "use": "sig", "n": base64(&parts.n), "e": base64(&parts.e) })
}

fn ec_jwk(key: &ES256KeyPair) -> Value {
    // The point is at the end.
    let der = key.public_key().to_der().unwrap();
    let (x, y) = der[der.len() - 64..].split_at(32);
    json!({ "kty": "EC", "kid": "ec", "crv": "P-256", "x": base64(x), "y": base64(y) })
}

fn keys(all: &[Value]) -> IdentityKeys {
    IdentityKeys::parse(json!({ "keys": all }).to_string().as_bytes()).unwrap()
}

/// Claims that hold now, with some changed.
fn some_claims(change: &Value) -> JWTClaims<Value> {
    let mut all = json!({
        "iss": "https://issuer.example", "aud": US, "sub": "repo:acme/notes", "jti": "j1",
        "iat": NOW_SECONDS - 5, "nbf": NOW_SECONDS - 5, "exp": NOW_SECONDS + 300, "repository": "acme/notes",
    });
    for (name, value) in change.as_object().unwrap() {
        if value.is_null() {
            all.as_object_mut().unwrap().remove(name);
        } else {
            all[name] = value.clone();
        }
    }
    serde_json::from_value(all).unwrap()
}

fn verify(token: &str, keys: &IdentityKeys) -> Result<VerifiedIdentity, IdentityTokenError> {
    IdentityToken::parse(token)?.verify(keys, US, NOW)
}

#[test]
fn tokens_of_both_algorithms_are_accepted() {
    let ec = ES256KeyPair::generate().with_key_id("ec");
    let keys = keys(&[rsa_jwk("rsa"), ec_jwk(&ec)]);
    for token in [rsa_key().sign(some_claims(&json!({}))).unwrap(), ec.sign(some_claims(&json!({}))).unwrap()]
    {
        let found = verify(&token, &keys).unwrap();
        assert_eq!((found.id.as_str(), found.claims["sub"].as_str()), ("j1", Some("repo:acme/notes")));
        assert_eq!(found.over_at, NOW.plus_seconds(420));
    }
    let without_id = ec.sign(some_claims(&json!({ "jti": null }))).unwrap();
    assert_eq!(verify(&without_id, &keys).unwrap().id, without_id);
    assert!(verify(&ec.sign(some_claims(&json!({ "aud": [US] }))).unwrap(), &keys).is_ok());
}

#[test]
fn claims_that_do_not_hold_are_refused() {
    let ec = ES256KeyPair::generate().with_key_id("ec");
    let keys = keys(&[ec_jwk(&ec)]);
    let audience = |said: &str| IdentityTokenError::Audience { expected: US.into(), said: said.into() };
    for (change, expected) in [
        (json!({ "exp": NOW_SECONDS - 61 }), IdentityTokenError::Expired),
        (json!({ "nbf": NOW_SECONDS + 62 }), IdentityTokenError::NotYetValid),
        (json!({ "iat": NOW_SECONDS + 62 }), IdentityTokenError::NotYetValid),
        (json!({ "exp": NOW_SECONDS + 3600 }), IdentityTokenError::Lifetime),
        (json!({ "exp": null }), IdentityTokenError::Lifetime),
        (json!({ "iat": null }), IdentityTokenError::Lifetime),
        (json!({ "iat": NOW_SECONDS + 30, "exp": NOW_SECONDS + 20 }), IdentityTokenError::Lifetime),
        (json!({ "aud": "https://other.example" }), audience("\"https://other.example\"")),
        (json!({ "aud": null }), audience("missing")),
    ] {
        let token = ec.sign(some_claims(&change)).unwrap();
        assert_eq!(verify(&token, &keys).unwrap_err(), expected, "{change}");
    }
    let two = ec.sign(some_claims(&json!({ "aud": [US, "https://other.example"] }))).unwrap();
    assert!(matches!(verify(&two, &keys), Err(IdentityTokenError::Audience { .. })));
    // A minute of difference between the clocks is nothing.
    for change in
        [json!({ "iat": NOW_SECONDS - 100, "exp": NOW_SECONDS - 59 }), json!({ "nbf": NOW_SECONDS + 59 })]
    {
        assert!(verify(&ec.sign(some_claims(&change)).unwrap(), &keys).is_ok());
    }
}

#[test]
fn only_the_issuers_keys_count() {
    let (ec, other) =
        (ES256KeyPair::generate().with_key_id("ec"), ES256KeyPair::generate().with_key_id("ec"));
    let known = keys(&[rsa_jwk("rsa"), ec_jwk(&ec)]);
    let forged = other.sign(some_claims(&json!({}))).unwrap();
    assert_eq!(verify(&forged, &known), Err(IdentityTokenError::Signature));
    let unknown = other.with_key_id("new").sign(some_claims(&json!({}))).unwrap();
    assert_eq!(verify(&unknown, &known), Err(IdentityTokenError::UnknownKey("new".into())));
    // The key decides about the algorithm.
    let confused = ES256KeyPair::generate().with_key_id("rsa").sign(some_claims(&json!({}))).unwrap();
    assert_eq!(verify(&confused, &known), Err(IdentityTokenError::Signature));
    let signed = ec.sign(some_claims(&json!({}))).unwrap();
    let (head, signature) = signed.rsplit_once('.').unwrap();
    let (_, claims) = head.split_once('.').unwrap();
    let changed = base64(br#"{"alg":"ES256","kid":"rsa"}"#);
    assert_eq!(
        verify(&format!("{changed}.{claims}.{signature}"), &known),
        Err(IdentityTokenError::Signature)
    );
}

#[test]
fn other_algorithms_are_refused_at_once() {
    let public = rsa_key().public_key().to_pem().unwrap();
    let with_public_key = HS256Key::from_bytes(public.as_bytes()).with_key_id("rsa");
    let hs256 = with_public_key.authenticate(some_claims(&json!({}))).unwrap();
    let claims = hs256.split('.').nth(1).unwrap();
    let none = base64(br#"{"alg":"none","kid":"rsa"}"#);
    for token in [hs256.clone(), format!("{none}.{claims}."), format!("{none}.{claims}.AAAA")] {
        assert_eq!(verify(&token, &keys(&[rsa_jwk("rsa")])), Err(IdentityTokenError::Algorithm), "{token}");
    }
}

#[test]
fn texts_that_are_no_tokens_are_refused() {
    let head = base64(br#"{"alg":"ES256","kid":"ec"}"#);
    let without_id = base64(br#"{"alg":"ES256"}"#);
    let claims = base64(br#"{"iss":"https://issuer.example"}"#);
    for text in [
        String::new(),
        "a.b.c".into(),
        format!("{head}.{claims}"),
        format!("{head}.{claims}.AAAA.AAAA"),
        format!("{head}.{}.AAAA", base64(b"{}")),
        format!("{head}.{}.AAAA", base64(b"[]")),
        format!("{without_id}.{claims}.AAAA"),
    ] {
        assert_eq!(IdentityToken::parse(&text).unwrap_err(), IdentityTokenError::Malformed, "{text}");
    }
    let long = "a".repeat(MAX_IDENTITY_TOKEN_BYTES + 1);
    assert_eq!(IdentityToken::parse(&long).unwrap_err(), IdentityTokenError::TooLong);
    let shown = format!("{:?}", IdentityToken::parse(&format!("{head}.{claims}.AAAA")).unwrap());
    assert!(!shown.contains(&claims), "{shown}");
}

#[test]
fn unusable_keys_are_left_out() {
    let mut other_use = rsa_jwk("a");
    other_use["use"] = json!("enc");
    let mut other_algorithm = rsa_jwk("b");
    other_algorithm["alg"] = json!("RS512");
    let short = json!({ "kty": "RSA", "kid": "c", "n": base64(&[0x80; 128]), "e": "AQAB" });
    let off_curve =
        json!({ "kty": "EC", "kid": "d", "crv": "P-256", "x": base64(&[1; 32]), "y": base64(&[1; 32]) });
    let octets = json!({ "kty": "oct", "kid": "e", "k": "AAAA" });
    let all = keys(&[other_use, other_algorithm, short, off_curve, octets, json!({}), rsa_jwk("f")]);
    let found: Vec<&str> =
        ["a", "b", "c", "d", "e", "f"].into_iter().filter(|id| all.find(id).is_some()).collect();
    assert_eq!(found, ["f"]);
    for text in ["", "[]", "{}", r#"{"keys":{}}"#] {
        assert!(IdentityKeys::parse(text.as_bytes()).is_err(), "{text}");
    }
    let many = vec![json!({}); 101];
    assert!(IdentityKeys::parse(json!({ "keys": many }).to_string().as_bytes()).is_err());
}
