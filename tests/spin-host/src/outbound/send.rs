//! Sends one request of a component, on a reused or new connection.

use std::sync::Arc;
use std::time::Duration;

use http::uri::{PathAndQuery, Uri};
use http::{Request, Response};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::time::timeout;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

use super::pooled_body::PooledBody;
use crate::connections::{Connections, connect};

/// Sends a plain `http` request over HTTP/1.1. `wait` is the default for each time-out in `options`.
/// Redirects are returned, not followed.
pub(super) async fn send(
    connections: &Arc<Connections>,
    wait: Duration,
    mut request: Request<WasiBody>,
    options: RequestOptions,
) -> Result<Response<WasiBody>, Error> {
    let connect_timeout = options.connect_timeout.unwrap_or(wait);
    let first_byte_timeout = options.first_byte_timeout.unwrap_or(wait);
    let between_bytes_timeout = options.between_bytes_timeout.unwrap_or(wait);
    let authority = request.uri().authority().cloned().ok_or(Error::HttpRequestUriInvalid)?;
    *request.uri_mut() = origin_form(request.uri());

    loop {
        let (mut sender, reused) = match connections.take(&authority).await {
            Some(sender) => (sender, true),
            None => (connect(&authority, connect_timeout).await?, false),
        };
        let answer = timeout(first_byte_timeout, sender.try_send_request(request))
            .await
            .map_err(|_| Error::ConnectionReadTimeout)?;
        match answer {
            Ok(response) => {
                let wrap = |body: Incoming| {
                    PooledBody::new(
                        body,
                        between_bytes_timeout,
                        (connections.clone(), authority.clone(), sender),
                    )
                    .boxed_unsync()
                };
                return Ok(response.map(wrap));
            }
            Err(mut error) => match error.take_message() {
                // The server had closed the reused connection before anything was sent.
                Some(unsent) if reused => request = unsent,
                _ => return Err(Error::from(error.into_error())),
            },
        }
    }
}

fn origin_form(uri: &Uri) -> Uri {
    Uri::from(uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/")))
}
