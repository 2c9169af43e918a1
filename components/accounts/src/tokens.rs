//! CI tokens, managed by the admin who owns the applications.

use http::StatusCode;
use spindrift_api::{
    ListedTokenEntry, MessageBody, TokenCreateBody, TokenCreatedBody, TokenEntry, TokensBody,
};
use spindrift_auth::CiToken;
use spindrift_core::audit::AuditKind;
use spindrift_core::{Id, Timestamp, Token, TokenRight, check_plain};
use spindrift_db::{SqlConn, tokens};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, ErrorCode, Request, Response, required};

use crate::allowed::{require_apps, unique};
use crate::audited;
use crate::expiry;
use crate::target::read_id;

/// Longest name of a token, in characters.
const MAX_NAME_CHARS: usize = 128;

/// The request for a new token.
#[derive(Debug, PartialEq, Eq)]
struct NewToken {
    name: String,
    allowed_apps: Vec<Id>,
    may: Vec<TokenRight>,
    expires_at: Option<Timestamp>,
}

impl NewToken {
    fn parse(body: TokenCreateBody, now: Timestamp) -> Result<Self, ApiError> {
        let name = required(body.name, "name")?;
        if name.trim().is_empty() || name.chars().count() > MAX_NAME_CHARS {
            return Err(ApiError::bad_request(format!("invalid name: 1 to {MAX_NAME_CHARS} characters")));
        }
        check_plain(&name).map_err(|error| ApiError::bad_request(format!("invalid name: {error}")))?;
        let allowed_apps = body.allowed_apps.ok_or_else(|| ApiError::missing("allowed_apps"))?;
        if allowed_apps.is_empty() {
            return Err(ApiError::bad_request("invalid allowed_apps: name at least one application"));
        }
        let expires_at = body.expires_at.map(|text| expiry::parse(&text, now)).transpose()?;
        let may = TokenRight::parse_list(body.may)?;
        Ok(Self { name, allowed_apps: unique(allowed_apps), may, expires_at })
    }
}

pub(crate) async fn create<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    session.require_fresh_login()?;
    let now = session.now;
    let new = NewToken::parse(request.read_json(MAX_JSON_BYTES).await?, now)?;
    let secret = CiToken::generate(ports.random_bytes());
    let token = Token {
        id: ports.new_id(),
        owner_id: session.owner_id().clone(),
        owner: session.owner().clone(),
        name: new.name,
        prefix: secret.prefix().to_owned(),
        allowed_apps: new.allowed_apps,
        may: new.may,
        job: None,
        expires_at: new.expires_at,
        created_at: now,
        last_used_at: None,
    };
    session.edit(|conn| {
        require_apps(conn, &token.owner_id, &token.allowed_apps)?;
        require_free_name(conn, &token.owner_id, &token.name)?;
        tokens::insert(conn, &token, &secret.digest())?;
        let entry = session.entry(AuditKind::TokenCreate).of_object(&token.id, token.name.as_str());
        Ok::<_, Failure>(((), entry.adding(audited::token(&token)).into()))
    })?;
    let body = TokenCreatedBody { token: secret.expose().to_owned(), entry: entry(token) };
    private_json(StatusCode::CREATED, &body)
}

/// 409 if the admin has a token of this name: people revoke tokens by name. Call it under the write lock.
fn require_free_name(conn: &impl SqlConn, owner: &Id, name: &str) -> Result<(), Failure> {
    if !tokens::has_name(conn, owner, name)? {
        return Ok(());
    }
    let text = format!("there is a token {name:?} already: revoke it, or choose another name");
    Err(ApiError::conflict(ErrorCode::AlreadyExists, text).into())
}

fn entry(token: Token) -> TokenEntry {
    TokenEntry {
        id: token.id,
        name: token.name,
        token_prefix: token.prefix,
        allowed_apps: token.allowed_apps,
        may: token.may.iter().map(ToString::to_string).collect(),
        expires_at: token.expires_at.map(Timestamp::to_rfc3339),
        created_at: token.created_at.to_rfc3339(),
    }
}

fn listed(token: Token) -> ListedTokenEntry {
    ListedTokenEntry { last_used_at: token.last_used_at.map(Timestamp::to_rfc3339), entry: entry(token) }
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, request)?;
    let tokens = tokens::of_owner(&session.conn, session.owner_id())?.into_iter().map(listed).collect();
    private_json(StatusCode::OK, &TokensBody { tokens })
}

pub(crate) async fn delete<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    session.require_fresh_login()?;
    let id = read_id(request).await?;
    session.edit(|conn| {
        let token = tokens::by_id(conn, &id)?.filter(|token| token.owner_id == *session.owner_id());
        let token = token.ok_or_else(|| ApiError::not_found("token"))?;
        tokens::delete(conn, session.owner_id(), &id)?;
        let entry = session.entry(AuditKind::TokenDelete).of_object(&id, token.name.as_str());
        Ok::<_, Failure>(((), entry.removing(audited::token(&token)).into()))
    })?;
    private_json(StatusCode::OK, &MessageBody { message: "Token revoked".into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<NewToken, String> {
        let body = serde_json::from_str(json).map_err(|error| error.to_string())?;
        NewToken::parse(body, Timestamp::from_millis(0)).map_err(|error| error.to_string())
    }

    #[test]
    fn new_tokens() {
        let token = parse(r#"{"name":"ci","allowed_apps":["a","a"],"expires_at":null}"#).unwrap();
        assert_eq!((token.allowed_apps, token.expires_at), (vec![Id::from_text("a")], None));
        assert_eq!(token.may, [TokenRight::Upload]);
        let token = parse(r#"{"name":"ci","allowed_apps":["a"],"may":["roll","publish","roll"]}"#).unwrap();
        assert_eq!(token.may, [TokenRight::Publish, TokenRight::Roll]);
        for (json, error) in [
            (r#"{"allowed_apps":["a"]}"#, "missing name"),
            (r#"{"name":"","allowed_apps":["a"]}"#, "missing name"),
            (
                r#"{"name":"a\n","allowed_apps":["a"]}"#,
                "invalid name: it has the character U+000A; use one line, without control characters and without \
                 characters that change the direction of text",
            ),
            (r#"{"name":" ","allowed_apps":["a"]}"#, "invalid name: 1 to 128 characters"),
            (r#"{"name":"ci"}"#, "missing allowed_apps"),
            (r#"{"name":"ci","allowed_apps":[]}"#, "invalid allowed_apps: name at least one application"),
            (
                r#"{"name":"ci","allowed_apps":["a"],"may":["everything"]}"#,
                "invalid may: a list of upload, publish, stop, roll and guard, not [\"everything\"]",
            ),
            (
                r#"{"name":"ci","allowed_apps":["a"],"may":[]}"#,
                "invalid may: a list of upload, publish, stop, roll and guard, not []",
            ),
            (
                r#"{"name":"ci","allowed_apps":["a"],"expires_at":""}"#,
                "invalid expires_at parameter: a time like 2026-11-27T20:00:00Z, not \"\"",
            ),
        ] {
            assert_eq!(parse(json).unwrap_err(), error, "{json}");
        }
        assert!(
            parse(r#"{"name":"ci","allowed_apps":["a"],"scopes":[]}"#).is_ok(),
            "unknown keys are ignored"
        );
    }
}
