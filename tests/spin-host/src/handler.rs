//! Handles one inbound request: finds the route, has an instance answer, returns the answer.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt as _, Full};
use tokio::sync::{Semaphore, oneshot};
use wasmtime_wasi_http::p2::bindings::ProxyPre;
use wasmtime_wasi_http::p2::bindings::http::types::{ErrorCode, Scheme};
use wasmtime_wasi_http::{Error, WasiBody, WasiHttpView as _};

use crate::chain::Chain;
use crate::guest::Guest;
use crate::limits::Limits;
use crate::outcome::{Failure, Place};
use crate::program::Program;
use crate::reused::Reused;
use crate::services::Services;
use spindrift_http::Tasks;
use spindrift_http::{log_line, without_parameters};
use spindrift_manifest::RouteMatch;

/// A program, with the services granted to its components on one host.
pub(crate) struct App {
    pub(crate) program: Program,
    pub(crate) components: BTreeMap<String, Runnable>,
    /// This application, as its own components reach it.
    pub(crate) chain: Arc<dyn Chain>,
    pub(crate) limits: Limits,
    pub(crate) running: Arc<Semaphore>,
    pub(crate) tasks: Tasks,
}

/// A component with its services.
pub(crate) enum Runnable {
    /// An instance answers one request.
    Single(ProxyPre<Guest>, Arc<Services>),
    /// An instance answers many.
    Reused(Reused),
}

type Answer = Result<Response<WasiBody>, ErrorCode>;

/// The client address of requests that a component of the application sends, as in Spin.
const COMPONENT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

impl App {
    /// Answers a request from outside. Every failure becomes an answer too.
    pub(crate) async fn handle<B>(
        self: Arc<Self>,
        request: Request<B>,
        client: SocketAddr,
    ) -> Response<WasiBody>
    where
        B: Body<Data = Bytes, Error: Into<Error>> + Send + 'static,
    {
        let path = request.uri().path().to_owned();
        let Some(found) = self.program.routes().find(&path) else {
            return json(StatusCode::NOT_FOUND, "not found");
        };
        self.dispatch(&found, request, Some(client)).await
    }

    /// Runs the component of a route. `client` is `None` if a component asks.
    async fn dispatch<B>(
        self: &Arc<Self>,
        found: &RouteMatch<'_>,
        mut request: Request<B>,
        client: Option<SocketAddr>,
    ) -> Response<WasiBody>
    where
        B: Body<Data = Bytes, Error: Into<Error>> + Send + 'static,
    {
        let id = found.component();
        let Some(component) = self.components.get(id) else {
            return json(StatusCode::NOT_FOUND, "not found");
        };
        let what = format!("{} {}", request.method(), without_parameters(request.uri().path()));
        add_headers(&mut request, found, client.unwrap_or(COMPONENT_ADDRESS));
        let is_outside = client.is_some();
        let answer = match component {
            Runnable::Single(pre, services) => {
                let call = Call { pre: pre.clone(), services: services.clone(), is_outside, what };
                self.answer(call, request).await
            }
            Runnable::Reused(instances) => {
                let request = request.map(|body| body.map_err(Into::into).boxed_unsync());
                instances.answer(self.place(is_outside), request, &what).await
            }
        };
        answer.unwrap_or_else(Failure::answer)
    }

    /// Waits for the place of a request. A request from another component does not wait for a
    /// place, because that component already holds one.
    async fn place(&self, is_outside: bool) -> Place {
        if !is_outside {
            return None;
        }
        // The semaphore is never closed, so waiting for a permit cannot fail.
        self.running.clone().acquire_owned().await.ok()
    }

    /// Answers a request with a new instance.
    async fn answer<B>(
        self: &Arc<Self>,
        call: Call,
        request: Request<B>,
    ) -> Result<Response<WasiBody>, Failure>
    where
        B: Body<Data = Bytes, Error: Into<Error>> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let component = call.services.component.clone();
        let task = self.tasks.spawn(self.clone().run(call, request, sender));
        match receiver.await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(code)) => {
                log_line(&format!("[{component}] answered with an error: {code}"));
                Err(Failure::Failed)
            }
            // The instance ended without sending an answer.
            Err(_) => match task.await {
                Ok(Some(Err(failure))) => Err(failure),
                Ok(None) => Err(Failure::Stopped),
                _ => Err(Failure::Failed),
            },
        }
    }

    /// Runs one instance to its end, which may come after its answer, and logs a failure.
    async fn run<B>(
        self: Arc<Self>,
        call: Call,
        request: Request<B>,
        sender: oneshot::Sender<Answer>,
    ) -> Result<(), Failure>
    where
        B: Body<Data = Bytes, Error: Into<Error>> + Send + 'static,
    {
        let Call { services, what, .. } = &call;
        let work = async {
            let _place = self.place(call.is_outside).await;
            let _slot = self.program.slots().acquire().await;
            call.instantiate(&self, request, sender).await
        };
        let outcome = tokio::time::timeout(self.limits.request_timeout, work).await;
        match outcome {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                log_line(&format!("[{}] {what} failed: {error:?}", services.component));
                Err(Failure::Failed)
            }
            Err(_) => {
                log_line(&format!(
                    "[{}] {what} was ended after {:?}",
                    services.component, self.limits.request_timeout
                ));
                Err(Failure::TimedOut)
            }
        }
    }
}

/// Service chaining: the application as its own components reach it. It is weak, because the application owns
/// it.
pub(crate) struct Inside(pub(crate) Weak<App>);

impl Chain for Inside {
    fn send(
        &self,
        id: String,
        request: Request<WasiBody>,
    ) -> Pin<Box<dyn Future<Output = Response<WasiBody>> + Send>> {
        let app = self.0.upgrade();
        Box::pin(async move {
            let Some(app) = app else { return Failure::Stopped.answer() };
            let path = request.uri().path().to_owned();
            app.dispatch(&RouteMatch::of_component(&id, &path), request, None).await
        })
    }
}

/// One run of a component.
struct Call {
    pre: ProxyPre<Guest>,
    services: Arc<Services>,
    /// Whether the request comes from a client, and not from another component.
    is_outside: bool,
    /// Method and path, for the log.
    what: String,
}

impl Call {
    async fn instantiate<B>(
        &self,
        app: &Arc<App>,
        request: Request<B>,
        sender: oneshot::Sender<Answer>,
    ) -> wasmtime::Result<()>
    where
        B: Body<Data = Bytes, Error: Into<Error>> + Send + 'static,
    {
        let mut store = Guest::new_store(self.pre.engine(), &self.services, app.chain.clone());
        let request = store.data_mut().http().new_incoming_request(Scheme::Http, request)?;
        let response = store.data_mut().http().new_response_outparam(sender)?;
        let proxy = self.pre.instantiate_async(&mut store).await?;
        let result = proxy.wasi_http_incoming_handler().call_handle(&mut store, request, response).await;
        if let Ok(left) = store.get_fuel() {
            self.services.instructions.fetch_add(u64::MAX - left, Ordering::Relaxed);
        }
        result
    }
}

impl Failure {
    fn answer(self) -> Response<WasiBody> {
        match self {
            Self::TimedOut => json(StatusCode::GATEWAY_TIMEOUT, "the request took too long"),
            Self::Stopped => json(StatusCode::SERVICE_UNAVAILABLE, "shutting down"),
            Self::Failed => json(StatusCode::INTERNAL_SERVER_ERROR, "internal error"),
        }
    }
}

/// Adds the headers in which Spin describes the request to a component.
fn add_headers<B>(request: &mut Request<B>, found: &RouteMatch<'_>, client: SocketAddr) {
    let host =
        request.headers().get(header::HOST).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
    let host = host.or_else(|| request.uri().authority().map(ToString::to_string));
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
    let full_url = format!("http://{}{target}", host.as_deref().unwrap_or("localhost"));
    let headers = request.headers_mut();
    if host.is_none() {
        headers.insert(header::HOST, HeaderValue::from_static("localhost"));
    }
    let mut insert = |name: HeaderName, value: &str| {
        // Removes a header of this name that the client sent.
        headers.remove(&name);
        if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
            headers.insert(name, value);
        }
    };
    for (name, value) in &found.variables {
        if let Ok(name) = HeaderName::try_from(format!("spin-path-match-{}", name.to_ascii_lowercase())) {
            insert(name, value);
        }
    }
    insert(HeaderName::from_static("spin-full-url"), &full_url);
    insert(HeaderName::from_static("spin-path-info"), &found.path_info);
    insert(HeaderName::from_static("spin-matched-route"), found.raw());
    insert(HeaderName::from_static("spin-raw-component-route"), found.raw());
    insert(HeaderName::from_static("spin-component-route"), found.prefix());
    insert(HeaderName::from_static("spin-base-path"), "/");
    insert(HeaderName::from_static("spin-client-addr"), &client.to_string());
}

/// An answer made by the host itself.
fn json(status: StatusCode, message: &str) -> Response<WasiBody> {
    let body = format!("{{\"error\":\"{message}\"}}");
    let body = Full::new(Bytes::from(body)).map_err(|never| match never {}).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
