//! Identity tokens of CI jobs, the keys of issuers, and the claims of jobs.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};
use spindrift_auth::{IdentityKeys, IdentityToken, IdentityTokenError, MAX_IDENTITY_TOKEN_BYTES};
use spindrift_core::{BuiltBy, Id, JobClaims, Publisher, Timestamp, TokenGrant, TokenRight, matching};

use crate::text::of;
use crate::world::NOW;

const AUDIENCE: &str = "https://updates.example.com";

/// A key of P-256 whose private part nobody has.
const KEYS: &str = r#"{"keys":[{"kty":"EC","kid":"k","crv":"P-256",
    "x":"axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY","y":"T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"}]}"#;

/// A token and a key set are read or refused, nobody forges a token, and only claims that fit get a job.
pub fn identities(data: &[u8]) -> bool {
    let keys = IdentityKeys::parse(KEYS.as_bytes()).expect("a key");
    forged(&keys, data);
    let has_keys = IdentityKeys::parse(data).is_ok();
    let is_job = serde_json::from_slice::<Map<String, Value>>(data).is_ok_and(job);
    let Some(text) = of(data) else { return has_keys || is_job };
    match IdentityToken::parse(text) {
        Ok(token) => {
            assert!(text.len() <= MAX_IDENTITY_TOKEN_BYTES && text.split('.').count() == 3, "{text}");
            assert!(token.verify(&keys, AUDIENCE, NOW).is_err(), "{text}");
            true
        }
        Err(error) => {
            let is_long = text.len() > MAX_IDENTITY_TOKEN_BYTES;
            assert_eq!(is_long, error == IdentityTokenError::TooLong, "{text}");
            has_keys || is_job
        }
    }
}

/// A token with these claims that the key has not signed.
fn forged(keys: &IdentityKeys, data: &[u8]) {
    let header = URL_SAFE_NO_PAD.encode(br#"{"alg":"ES256","kid":"k"}"#);
    let text = format!("{header}.{}.{}", URL_SAFE_NO_PAD.encode(data), URL_SAFE_NO_PAD.encode([7; 64]));
    let Ok(token) = IdentityToken::parse(&text) else { return };
    assert_eq!(token.verify(keys, AUDIENCE, NOW), Err(IdentityTokenError::Signature), "{text}");
}

/// Whether these claims get a job. The name and the links can be shown in any case.
fn job(claims: Map<String, Value>) -> bool {
    let claims = JobClaims::new(claims);
    let publishers = [
        json!({ "provider": "github", "repository": "acme/notes", "workflow": "release.yml", "ref": "refs/tags/v*" }),
        json!({ "provider": "gitlab", "project": "acme/notes", "environment": "production" }),
        json!({ "provider": "oidc", "issuer": "https://issuer.example", "subject": "acme" }),
    ]
    .map(publisher);
    for one in &publishers {
        let built = BuiltBy::of(&one.conditions, &claims, "https://issuer.example");
        let texts = [&built.commit, &built.ref_name, &built.workflow, &built.run, &built.url];
        for text in texts.into_iter().flatten() {
            assert!(!text.contains(['\n', '\r', '\0']) && text.chars().count() <= 600, "{text:?}");
        }
        assert!(!built.job_name().contains(['\n', '\r', '\0']), "{built:?}");
    }
    let Ok(found) = matching(&publishers, &claims) else { return false };
    let text = |name| claims.text(name).unwrap_or_default();
    for one in found.iter() {
        match one.publisher.conditions.provider() {
            "github" => {
                assert!(text("repository").eq_ignore_ascii_case("acme/notes"));
                assert!(
                    !text("event_name").starts_with("pull_request") && text("ref").starts_with("refs/tags/v")
                );
            }
            "gitlab" => assert!(text("project_path") == "acme/notes" && text("ref_protected") == "true"),
            _ => assert_eq!(text("sub"), "acme"),
        }
        assert_eq!(one.ids.difference(&one.ids), None);
    }
    true
}

fn publisher(conditions: Value) -> Publisher {
    Publisher {
        id: Id::from_text("1"),
        app_id: Id::from_text("2"),
        conditions: serde_json::from_value(conditions).expect("conditions"),
        grant: TokenGrant::everywhere(vec![TokenRight::Upload]),
        pinned: None,
        created_at: Timestamp::default(),
        last_used_at: None,
    }
}
