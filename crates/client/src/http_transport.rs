//! The default transport.

use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt as _};
use http::{Request, Response};
use reqwest::redirect::Policy;

use crate::{Body, Transport, TransportError};

/// The default `User-Agent`.
const USER_AGENT: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

/// Settings of [`HttpTransport`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// To establish a connection. Default 10 seconds.
    pub connect_time_out: Duration,
    /// Longest wait for the next piece of an answer, including the first one. This ends a download that
    /// hangs. Default 30 seconds.
    pub idle_time_out: Duration,
    /// `User-Agent` of all requests. Default: this library's name and version.
    pub user_agent: String,
    /// Whether to use the proxies configured in the environment and the operating system. Default: yes.
    pub proxies: bool,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            connect_time_out: Duration::from_secs(10),
            idle_time_out: Duration::from_secs(30),
            user_agent: USER_AGENT.to_owned(),
            proxies: true,
        }
    }
}

/// HTTP/1.1 over TCP and TLS. Needs a tokio runtime with IO and time.
///
/// Windows and macOS use the operating system's TLS and certificates. Other systems use rustls with the
/// certificates installed on the system. If none are installed, only plain `http` works.
#[derive(Debug, Clone)]
pub struct HttpTransport {
    client: reqwest::Client,
}

impl HttpTransport {
    /// Sets up TLS. Does not connect.
    ///
    /// # Errors
    ///
    /// [`TransportError::Failed`] if TLS cannot be set up or the user agent is not a valid header.
    pub fn new(settings: &HttpSettings) -> Result<Self, TransportError> {
        let builder = reqwest::Client::builder()
            .connect_timeout(settings.connect_time_out)
            .read_timeout(settings.idle_time_out)
            .user_agent(settings.user_agent.as_str())
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false);
        let builder = if settings.proxies { builder } else { builder.no_proxy() };
        let client = with_tls(builder)?.build().map_err(transport_error)?;
        Ok(Self { client })
    }
}

/// Uses the operating system's TLS.
#[cfg(any(windows, target_vendor = "apple"))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere this can fail")]
fn with_tls(builder: reqwest::ClientBuilder) -> Result<reqwest::ClientBuilder, TransportError> {
    Ok(builder.tls_backend_native())
}

/// Uses rustls with its own crypto provider, so that the process need not install a default one.
#[cfg(not(any(windows, target_vendor = "apple")))]
fn with_tls(builder: reqwest::ClientBuilder) -> Result<reqwest::ClientBuilder, TransportError> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| TransportError::Failed(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(builder.tls_backend_preconfigured(config))
}

impl Transport for HttpTransport {
    fn send(
        &self,
        request: Request<Bytes>,
        time_out: Option<Duration>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let mut request = reqwest::Request::try_from(request).map_err(transport_error)?;
            *request.timeout_mut() = time_out;
            let answer = self.client.execute(request).await.map_err(transport_error)?;
            let (status, headers) = (answer.status(), answer.headers().clone());
            let mut response = Response::new(chunks(answer));
            *response.status_mut() = status;
            *response.headers_mut() = headers;
            Ok(response)
        })
    }
}

fn chunks(answer: reqwest::Response) -> Body {
    stream::unfold(Some(answer), async |answer| {
        let mut answer = answer?;
        match answer.chunk().await {
            Ok(Some(chunk)) => Some((Ok(chunk), Some(answer))),
            Ok(None) => None,
            Err(error) => Some((Err(transport_error(error)), None)),
        }
    })
    .boxed()
}

/// The innermost cause is the most specific. No cause contains the URL once it is removed from the outermost
/// one.
fn transport_error(error: reqwest::Error) -> TransportError {
    if error.is_timeout() {
        return TransportError::TimedOut;
    }
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text = error.to_string();
        cause = error.source();
    }
    TransportError::Failed(text)
}
