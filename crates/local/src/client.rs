//! A plain HTTP client, for calls such as those of a publisher or an updater.

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::TokioIo;
use serde_json::Value;

use crate::error::LocalError;

/// An answer with its complete body.
pub(crate) struct HttpAnswer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl HttpAnswer {
    /// The body as JSON; null if it is not JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The answer, if its status is a success; otherwise an error with the body.
    pub(crate) fn ok(self, step: &str) -> Result<Self, LocalError> {
        if self.status.is_success() {
            return Ok(self);
        }
        Err(call_error(step, format!("{} {}", self.status, String::from_utf8_lossy(&self.body))))
    }
}

/// The error for a failed call.
pub(crate) fn call_error(step: &str, reason: impl std::fmt::Display) -> LocalError {
    LocalError::Call { step: step.to_owned(), reason: reason.to_string() }
}

/// Sends one request on a new connection.
pub(crate) async fn send(
    method: Method,
    url: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Result<HttpAnswer, LocalError> {
    let fail = |error: &dyn std::fmt::Display| call_error(method.as_str(), error);
    let uri: Uri = url.parse().map_err(|error: http::uri::InvalidUri| fail(&error))?;
    let authority =
        uri.authority().ok_or_else(|| fail(&"an absolute address is needed"))?.as_str().to_owned();
    let path = uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    let mut request = Request::builder().method(method.clone()).uri(path).header(header::HOST, &authority);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(body.into())).map_err(|error| fail(&error))?;
    let stream = tokio::net::TcpStream::connect(authority).await.map_err(|error| fail(&error))?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|error| fail(&error))?;
    tokio::spawn(connection);
    let response = sender.send_request(request).await.map_err(|error| fail(&error))?;
    let (parts, body) = response.into_parts();
    let body = body.collect().await.map_err(|error| fail(&error))?.to_bytes();
    Ok(HttpAnswer { status: parts.status, headers: parts.headers, body })
}

/// `name=value&...`, percent-encoded.
pub(crate) fn form(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}
