//! Requests sent by components.

mod pooled_body;
mod send;

use std::sync::Arc;

use http::Request;
use http::uri::Scheme;
use http_body_util::BodyExt;
use tokio::time::timeout;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks, default_send_request};

use crate::chain::Chain;
use crate::services::Services;
use spindrift_http::log_line;

/// Checks and sends the requests of one instance.
pub(crate) struct Outbound {
    services: Arc<Services>,
    chain: Arc<dyn Chain>,
}

/// Requests to `<component>.spin.internal` stay in the application
/// ([service chaining](https://spinframework.dev/v3/http-outbound#local-service-chaining)).
const CHAINED: &str = ".spin.internal";

type Response = http::Response<WasiBody>;
type Io = Box<dyn Future<Output = Result<(), Error>> + Send>;

impl Outbound {
    pub(crate) fn new(services: Arc<Services>, chain: Arc<dyn Chain>) -> Self {
        Self { services, chain }
    }
}

impl WasiHttpHooks for Outbound {
    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _response_error: Io,
    ) -> Box<dyn Future<Output = Result<(Response, Io), Error>> + Send> {
        let (services, chain) = (self.services.clone(), self.chain.clone());
        Box::new(async move {
            check(&services, request.uri())?;
            if let Some(id) = request.uri().host().and_then(|host| host.strip_suffix(CHAINED)) {
                let wait = options.and_then(|options| options.first_byte_timeout);
                let answer = timeout(
                    wait.unwrap_or(services.limits.outbound_wait),
                    chain.send(id.to_owned(), request),
                );
                return Ok((answer.await.map_err(|_| Error::ConnectionReadTimeout)?, done()));
            }
            if request.uri().scheme() == Some(&Scheme::HTTPS) {
                let (response, io) = default_send_request(request, options).await?;
                return Ok((response.map(BodyExt::boxed_unsync), Box::new(io) as Io));
            }
            let response = send::send(
                &services.connections,
                services.limits.outbound_wait,
                request,
                options.unwrap_or_default(),
            )
            .await?;
            Ok((response, done()))
        })
    }
}

fn done() -> Io {
    Box::new(std::future::ready(Ok(())))
}

fn check(services: &Services, uri: &http::Uri) -> Result<(), Error> {
    let scheme = uri.scheme_str().unwrap_or("https");
    let host = uri.host().ok_or(Error::HttpRequestUriInvalid)?;
    if services.allowed_hosts.allows(scheme, host, uri.port_u16()) {
        return Ok(());
    }
    let component = &services.component;
    let authority = uri.authority().map_or(host, http::uri::Authority::as_str);
    log_line(&format!(
        "[{component}] denied a request to {scheme}://{authority}; \
         to allow it, add that to `allowed_outbound_hosts` of [component.{component}] in the manifest"
    ));
    Err(Error::HttpRequestDenied)
}
