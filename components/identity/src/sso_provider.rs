//! The provider for single sign-on that the settings name.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Request, StatusCode, header};
use serde::Deserialize;
use spindrift_auth::{IdentityKeys, IdentityToken, IdentityTokenError, SignIn};
use spindrift_service::deadline::Deadline;
use spindrift_service::{Failure, Ports, settings};
use spindrift_settings::{
    SSO_CLIENT_ID, SSO_CLIENT_SECRET, SSO_ISSUER, SSO_ISSUER_PATH, SSO_KEYS_ORIGIN, SSO_NAME,
    SSO_TOKENS_ORIGIN,
};
use spindrift_storage::{HttpSend as _, collect_while};
use spindrift_web::{ApiError, ErrorCode, Reason};
use url::Url;
use url::form_urlencoded::Serializer;

use crate::issuer_keys::{MAX_BYTES, discovery_of, keys_of};
use crate::issuers::{Issuers, NONE};
use crate::refusal;

/// How long the provider may take for an exchange, in seconds.
const EXCHANGE_SECONDS: i64 = 5;
/// How long each of connecting, the first byte and the next bytes may take.
const TIME_OUT: Duration = Duration::from_secs(3);

/// A provider, and the service's name there.
pub(crate) struct SsoProvider {
    pub(crate) issuer: String,
    pub(crate) client_id: String,
    /// Empty: the provider asks for none.
    client_secret: String,
    keys_origin: String,
    tokens_origin: String,
    /// Its name for people.
    pub(crate) name: String,
    /// The console's page to which it leads back.
    redirect_uri: String,
}

/// An answer of the token endpoint
/// ([OpenID Connect Core §3.1.3.3](https://openid.net/specs/openid-connect-core-1_0.html#TokenResponse)).
#[derive(Deserialize)]
struct TokenResponse {
    id_token: String,
}

impl SsoProvider {
    /// `None`: the settings name no provider.
    pub(crate) fn read(ports: &impl Ports) -> Result<Option<Self>, Failure> {
        let origin = |text: String| text.trim_end_matches('/').to_owned();
        let (issuer, client_id) = (origin(SSO_ISSUER.read(ports)?), SSO_CLIENT_ID.read(ports)?);
        let path = SSO_ISSUER_PATH.read(ports)?;
        let provider = Self {
            client_secret: SSO_CLIENT_SECRET.read(ports)?,
            keys_origin: origin(SSO_KEYS_ORIGIN.read(ports)?),
            tokens_origin: origin(SSO_TOKENS_ORIGIN.read(ports)?),
            name: SSO_NAME.read(ports)?,
            redirect_uri: format!("{}/console/sso", settings::api_url(ports)?),
            issuer: format!("{issuer}{path}"),
            client_id,
        };
        Ok((!issuer.ends_with(NONE) && !provider.client_id.is_empty()).then_some(provider))
    }

    /// Like [`read`](Self::read). 409 if the settings name no provider.
    pub(crate) fn require(ports: &impl Ports) -> Result<Self, Failure> {
        let off = || ApiError::Conflict("the service has no provider for single sign-on".into());
        Ok(Self::read(ports)?.ok_or_else(off)?)
    }

    /// The page on which a person signs in.
    pub(crate) async fn address(&self, ports: &impl Ports, sign_in: &SignIn) -> Result<String, Failure> {
        let endpoint = discovery_of(ports, &self.issuer).await?.authorization_endpoint;
        let is_for_browsers = |url: &Url| matches!(url.scheme(), "https" | "http");
        let endpoint = endpoint.and_then(|text| Url::parse(&text).ok()).filter(is_for_browsers);
        let missing = || refusal::unavailable(&self.issuer, "it names no page to sign in on");
        let mut address = endpoint.ok_or_else(missing)?;
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.client_id)
            .append_pair("redirect_uri", &self.redirect_uri)
            .append_pair("scope", "openid email")
            .extend_pairs(sign_in.parameters());
        Ok(address.into())
    }

    /// The ID token for a code. 401 if the provider does not accept the code, and 503 if it does not answer.
    pub(crate) async fn exchange(
        &self,
        ports: &impl Ports,
        code: &str,
        sign_in: &SignIn,
    ) -> Result<IdentityToken, Failure> {
        let unavailable = |reason: &str| refusal::unavailable(&self.issuer, reason);
        let endpoint = discovery_of(ports, &self.issuer).await?.token_endpoint;
        let endpoint = endpoint.and_then(|text| Url::parse(&text).ok());
        let endpoint = endpoint.ok_or_else(|| unavailable("it names no place to exchange codes"))?;
        let origin = endpoint.origin();
        let is_own = Url::parse(&self.issuer).is_ok_and(|issuer| issuer.origin() == origin);
        if !is_own && origin.ascii_serialization() != self.tokens_origin {
            let text = format!("its tokens are at {}, which no setting names", origin.ascii_serialization());
            return Err(unavailable(&text).into());
        }
        let until = ports.now().plus_seconds(EXCHANGE_SECONDS);
        let request = self.token_request(&endpoint, code, sign_in.verifier());
        let request = request.map_err(|error| ApiError::Internal { internal: error.to_string() })?;
        let answer = Deadline { ports, until }.send(request, TIME_OUT).await;
        let answer = answer.map_err(|error| unavailable(&error.to_string()))?;
        let status = answer.status();
        if status.is_client_error() {
            return Err(failed("the provider did not accept the sign-in: begin again").into());
        }
        if status != StatusCode::OK {
            return Err(unavailable(&format!("it answered {}", status.as_u16())).into());
        }
        let body = collect_while(answer.into_body(), MAX_BYTES, || ports.now() < until).await;
        let body = body.map_err(|error| unavailable(&error.to_string()))?;
        let answer: TokenResponse =
            serde_json::from_slice(&body).map_err(|_| unavailable("its answer has no ID token"))?;
        Ok(IdentityToken::parse(&answer.id_token).map_err(|error| failed(&error.to_string()))?)
    }

    fn token_request(
        &self,
        endpoint: &Url,
        code: &str,
        verifier: &str,
    ) -> Result<Request<Bytes>, http::Error> {
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", &self.redirect_uri)
            .append_pair("code_verifier", verifier);
        let mut request = Request::post(endpoint.as_str())
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::USER_AGENT, "Spindrift");
        if self.client_secret.is_empty() {
            form.append_pair("client_id", &self.client_id);
        } else {
            // RFC 6749 §2.3.1 has both parts encoded as in a form.
            let encoded =
                |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
            let pair = format!("{}:{}", encoded(&self.client_id), encoded(&self.client_secret));
            request = request.header(header::AUTHORIZATION, format!("Basic {}", STANDARD.encode(pair)));
        }
        request.body(form.finish().into())
    }

    /// The keys with which the provider signs tokens.
    pub(crate) async fn keys(
        &self,
        ports: &impl Ports,
        token: &IdentityToken,
    ) -> Result<IdentityKeys, Failure> {
        let issuers = Issuers::read(ports)?.with_sso(&self.issuer, self.keys_origin.clone());
        let is_known = |keys: &IdentityKeys| {
            let result = token.verify(keys, &self.client_id, ports.now());
            !matches!(result, Err(IdentityTokenError::UnknownKey(_)))
        };
        keys_of(ports, &issuers, &self.issuer, is_known).await
    }
}

/// 401: the sign-in proves nothing. The text is for people.
pub(crate) fn failed(text: &str) -> ApiError {
    ApiError::Unauthorized(Reason::new(ErrorCode::SsoFailed, text.to_owned()))
}
