//! Calls to the service, through the application's internal network:
//! `http://<component>.spin.internal`.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};
use serde::Serialize;
use serde::de::DeserializeOwned;
use spindrift_api::{ErrorBody, ErrorCode};

use crate::cookies::SessionToken;
use crate::{Address, ConsoleError, Host, Result, ServiceAnswer, multipart};

/// Time limit for the start of a call's answer.
const CALL_TIME: Duration = Duration::from_secs(30);
/// Time limit for completing an upload, which answers only after all files are copied and, with
/// signed metadata, read.
const COMPLETE_TIME: Duration = Duration::from_mins(10);

/// The component for each path, as in `spin.toml`. The longest matching prefix wins.
const COMPONENTS: &[(&str, &str)] = &[
    ("/admin/update", "accounts"),
    ("/app", "catalog"),
    ("/apps", "releases"),
    ("/arch", "catalog"),
    ("/artifact/delete", "releases"),
    ("/audit", "control"),
    ("/channel", "catalog"),
    ("/checkVersion", "check"),
    ("/device", "identity"),
    ("/device-groups", "control"),
    ("/download", "download"),
    ("/download-tokens", "download"),
    ("/explain", "control"),
    ("/freezes", "control"),
    ("/health", "health"),
    ("/invitations", "accounts"),
    ("/login", "accounts"),
    ("/logins", "accounts"),
    ("/logout", "accounts"),
    ("/passkeys", "identity"),
    ("/password", "accounts"),
    ("/platform", "catalog"),
    ("/publishers", "identity"),
    ("/releases", "releases"),
    ("/report-keys", "reports"),
    ("/reports", "reports"),
    ("/search", "catalog"),
    ("/shutoffs", "control"),
    ("/signup", "accounts"),
    ("/sso", "identity"),
    ("/telemetry", "telemetry"),
    ("/token", "accounts"),
    ("/tuf", "tuf"),
    ("/update", "feeds"),
    ("/upload", "upload"),
    ("/user", "accounts"),
    ("/users/list", "accounts"),
    ("/webhooks", "control"),
    ("/whoami", "accounts"),
];

/// The component for a path. `None`: the console does not call it.
fn component(path: &str) -> Option<&'static str> {
    let begins =
        |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let found = COMPONENTS.iter().filter(|(prefix, _)| begins(prefix)).max_by_key(|(prefix, _)| prefix.len());
    found.map(|(_, component)| *component)
}

/// Time limit for the start of the answer.
fn time_limit(path: &str) -> Duration {
    if path == "/upload/complete" { COMPLETE_TIME } else { CALL_TIME }
}

/// The service, called on behalf of one visitor.
#[derive(Clone)]
pub(crate) struct Service<'a> {
    host: &'a dyn Host,
    token: Option<SessionToken>,
    /// The visitor's address, by which the service limits failed logins.
    forwarded: Option<HeaderValue>,
}

impl<'a> Service<'a> {
    pub(crate) fn new(
        host: &'a dyn Host,
        token: Option<SessionToken>,
        forwarded: Option<HeaderValue>,
    ) -> Self {
        Self { host, token, forwarded }
    }

    /// Whether the visitor is logged in.
    pub(crate) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// The same service, with another token.
    pub(crate) fn with_token(&self, token: Option<SessionToken>) -> Self {
        Self { token, ..self.clone() }
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, address: &Address) -> Result<T> {
        self.send(Method::GET, address, None).await?.read()
    }

    pub(crate) async fn delete<T: DeserializeOwned>(&self, address: &Address) -> Result<T> {
        self.send(Method::DELETE, address, None).await?.read()
    }

    /// Sends a JSON body.
    pub(crate) async fn send_json<T: DeserializeOwned>(
        &self,
        method: Method,
        address: &Address,
        body: &impl Serialize,
    ) -> Result<T> {
        let body = serde_json::to_vec(body).map_err(ConsoleError::no_answer)?;
        self.send(method, address, Some((JSON, body.into()))).await?.read()
    }

    /// Sends a form with the field `data`, for calls that may accept files. URL encoding would
    /// triple the length of non-Latin text, and exceed their limits.
    pub(crate) async fn send_data<T: DeserializeOwned>(
        &self,
        address: &Address,
        data: &impl Serialize,
    ) -> Result<T> {
        let data = serde_json::to_string(data).map_err(ConsoleError::no_answer)?;
        let form = multipart::form(self.host, ("data", &data), None);
        self.send(Method::POST, address, Some(form)).await?.read()
    }

    /// Sends any body. Returns answers with a status below 400.
    pub(crate) async fn send(
        &self,
        method: Method,
        address: &Address,
        body: Option<(HeaderValue, Bytes)>,
    ) -> Result<ServiceAnswer> {
        let answer = self.ask(method, address, body, &[]).await?;
        if answer.status.is_client_error() || answer.status.is_server_error() {
            return Err(refusal(&answer));
        }
        Ok(answer)
    }

    /// Sends any body with further headers. Returns all answers.
    pub(crate) async fn ask(
        &self,
        method: Method,
        address: &Address,
        body: Option<(HeaderValue, Bytes)>,
        further: &[(header::HeaderName, HeaderValue)],
    ) -> Result<ServiceAnswer> {
        let path = address.as_str().split('?').next().unwrap_or_default();
        let component = component(path).ok_or(ConsoleError::NoPage)?;
        let mut request = http::Request::builder()
            .method(method)
            .uri(format!("http://{component}.spin.internal{address}"))
            .header(header::ACCEPT, JSON);
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", token.expose()));
        }
        if let Some(forwarded) = &self.forwarded {
            request = request.header("x-forwarded-for", forwarded);
        }
        for (name, value) in further {
            request = request.header(name, value);
        }
        let body = match body {
            Some((content_type, body)) => {
                request = request.header(header::CONTENT_TYPE, content_type);
                body
            }
            None => Bytes::new(),
        };
        let request = request.body(body).map_err(ConsoleError::no_answer)?;
        self.host.ask(request, time_limit(path)).await
    }
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The service's error.
fn refusal(answer: &ServiceAnswer) -> ConsoleError {
    let status = answer.status;
    let body: Option<ErrorBody> = serde_json::from_slice(&answer.body).ok();
    let code = body.as_ref().and_then(|body| body.code.clone());
    if status == StatusCode::UNAUTHORIZED && code.as_ref().is_none_or(is_login_over) {
        return ConsoleError::LoggedOut;
    }
    let Some(ErrorBody { error, passkey, request_id, .. }) = body else {
        return ConsoleError::refused(status, status.to_string());
    };
    match code {
        Some(ErrorCode::WouldCutOff) => ConsoleError::WouldCutOff(error),
        Some(ErrorCode::ReleaseChanged) => ConsoleError::ReleaseChanged,
        Some(ErrorCode::SecondFactorRequired) => ConsoleError::SecondFactorRequired(passkey.map(Box::new)),
        Some(ErrorCode::PasskeyRequired) => ConsoleError::PasskeyRequired,
        Some(ErrorCode::FreshLoginRequired) => ConsoleError::FreshLoginRequired,
        _ => ConsoleError::Refused { status, message: error, request_id },
    }
}

/// Whether a 401 with this code means that the login has ended. It does not where a password, a key, a passkey or
/// a sign-in at the provider was wrong or missing, or a password is not enough.
fn is_login_over(code: &ErrorCode) -> bool {
    !matches!(
        code,
        ErrorCode::WrongCredentials
            | ErrorCode::WrongApiKey
            | ErrorCode::SecondFactorRequired
            | ErrorCode::InvalidPasskey
            | ErrorCode::PasswordLoginOff
            | ErrorCode::SsoFailed
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_passkey_is_not_the_end_of_a_login() {
        let error = |status: StatusCode, body: serde_json::Value| {
            let body = Bytes::from(body.to_string());
            refusal(&ServiceAnswer { status, headers: http::HeaderMap::new(), body })
        };
        let of = |code: &str| serde_json::json!({ "error": "no", "code": code });
        let unauthorized = StatusCode::UNAUTHORIZED;
        for over in [of("unauthorized"), of("token_expired"), serde_json::json!("?")] {
            assert!(matches!(error(unauthorized, over), ConsoleError::LoggedOut));
        }
        for code in ["invalid_passkey", "wrong_credentials", "password_login_off", "sso_failed"] {
            assert!(error(unauthorized, of(code)).is_refusal(unauthorized), "{code}");
        }
        let mut second = of("second_factor_required");
        assert!(matches!(error(unauthorized, second.clone()), ConsoleError::SecondFactorRequired(None)));
        second["passkey"] = serde_json::json!({ "options": {}, "challenge": "c" });
        let second = error(unauthorized, second);
        assert!(matches!(second, ConsoleError::SecondFactorRequired(Some(asked)) if asked.challenge == "c"));
        let forbidden = |code| error(StatusCode::FORBIDDEN, of(code));
        assert!(matches!(forbidden("fresh_login_required"), ConsoleError::FreshLoginRequired));
        assert!(matches!(forbidden("passkey_required"), ConsoleError::PasskeyRequired));
    }

    /// The manifests determine which component answers a path.
    #[test]
    fn paths_go_where_the_manifest_sends_them() {
        let manifest: toml_edit::DocumentMut = include_str!("../../../spin.toml").parse().unwrap();
        let triggers = manifest["trigger"]["http"].as_array_of_tables().unwrap();
        let routes: Vec<(&str, &str)> = triggers
            .iter()
            .map(|trigger| (trigger["route"].as_str().unwrap(), trigger["component"].as_str().unwrap()))
            .collect();
        for (prefix, component) in COMPONENTS {
            let route =
                routes.iter().find(|(route, _)| route.strip_suffix("/...").unwrap_or(route) == *prefix);
            if *prefix != "/health" {
                assert_eq!(route.map(|(_, component)| component), Some(component), "{prefix}");
            }
        }
        assert_eq!(component("/apps/update"), Some("releases"));
        assert_eq!(component("/application"), None);
    }

    /// The manifest allows every call that the console makes.
    #[test]
    fn the_manifest_grants_every_call() {
        for manifest in [include_str!("../../../spin.toml"), include_str!("../../../deploy/fast/spin.toml")] {
            let manifest: toml_edit::DocumentMut = manifest.parse().unwrap();
            let granted = manifest["component"]["console"]["allowed_outbound_hosts"].as_array().unwrap();
            let granted: std::collections::BTreeSet<String> =
                granted.iter().map(|host| host.as_str().unwrap().to_owned()).collect();
            let called =
                COMPONENTS.iter().map(|(_, component)| format!("http://{component}.spin.internal")).collect();
            assert_eq!(granted, called);
        }
    }
}
