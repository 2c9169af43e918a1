//! The HTTP client for calls and uploads.

use std::time::Duration;

use reqwest::{Client, ClientBuilder};

use crate::error::CliError;

/// Time limit for connecting, unless the call has a shorter one.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy)]
pub(crate) struct CallLimits {
    /// Time from the first byte sent to the last byte of the answer. 60 seconds unless `--timeout` is given.
    pub(crate) timeout: Duration,
}

/// A client that never retries, and follows no redirects because callers need to see them.
pub(crate) fn client(limits: CallLimits) -> Result<Client, CliError> {
    client_with(limits, |builder| builder)
}

/// Like [`client`], with further settings.
pub(crate) fn client_with(
    limits: CallLimits,
    more: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Result<Client, CliError> {
    let builder = Client::builder()
        .user_agent(concat!("spindrift-cli/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(CONNECT_LIMIT.min(limits.timeout));
    let client = with_tls(more(builder))?.build();
    client.map_err(|error| CliError::Other(format!("TLS cannot be set up: {error}")))
}

/// Uses the TLS of the operating system.
#[cfg(any(windows, target_vendor = "apple"))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere this can fail")]
fn with_tls(builder: ClientBuilder) -> Result<ClientBuilder, CliError> {
    Ok(builder.tls_backend_native())
}

/// Uses rustls with the installed certificates. Without any certificates, plain `http` still works.
#[cfg(not(any(windows, target_vendor = "apple")))]
fn with_tls(builder: ClientBuilder) -> Result<ClientBuilder, CliError> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| CliError::Other(format!("TLS cannot be set up: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(builder.tls_backend_preconfigured(config))
}
