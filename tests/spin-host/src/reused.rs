//! Components of WASI 0.3: an instance answers many requests, also several at the same time.
//!
//! An idle instance takes the next request; if there is none, another one is started. While an
//! instance computes, or waits for a key-value store or a database, its other requests wait.

mod instance;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::uri::Uri;
use http::{Request, Response, header};
use http_body_util::BodyExt as _;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};
use wasmtime_wasi_http::WasiBody;
use wasmtime_wasi_http::handler::{ExpirationError, InstantiationError, ProxyHandler, TrapOrPanicError};

use self::instance::Begun;
pub(crate) use self::instance::Starter;
use crate::outcome::{Failure, Place};
use spindrift_http::Tasks;
use spindrift_http::log_line;

/// The longest time limit that is added to the present time, which may not overflow.
const LONGEST: Duration = Duration::from_hours(24 * 365);

/// The instances of one component.
pub(crate) struct Reused {
    handler: ProxyHandler<Starter>,
    component: Arc<str>,
    request_timeout: Duration,
    tasks: Tasks,
    turns: Semaphore,
    turn: Duration,
}

impl Reused {
    /// No instance yet.
    pub(crate) fn new(starter: Starter) -> Self {
        let limits = starter.services.limits;
        Self {
            component: starter.services.component.clone(),
            request_timeout: limits.request_timeout,
            tasks: starter.tasks.clone(),
            turns: Semaphore::new(limits.component_turns),
            turn: limits.component_turn,
            handler: ProxyHandler::new(starter),
        }
    }

    /// Answers a request, and logs a failure. `what` is its method and path.
    pub(crate) async fn answer(
        &self,
        place: impl Future<Output = Place>,
        request: Request<WasiBody>,
        what: &str,
    ) -> Result<Response<WasiBody>, Failure> {
        let limit = self.request_timeout;
        let deadline = Instant::now() + limit.min(LONGEST);
        let work = async {
            let place = Arc::new(place.await);
            let answer = self.in_turn(Begun { deadline, place: place.clone() }, absolute(request)).await?;
            wasmtime::error::Ok(answer.map(|body| holding(body, place)))
        };
        let error = match timeout_at(deadline, work).await {
            Ok(Ok(response)) => return Ok(response),
            // At the deadline the instance may end before the time-out here.
            Ok(Err(error)) if Instant::now() < deadline && !error.is::<ExpirationError>() => error,
            _ => {
                log_line(&format!("[{}] {what} was ended after {limit:?}", self.component));
                return Err(Failure::TimedOut);
            }
        };
        if self.tasks.are_killed() {
            return Err(Failure::Stopped);
        }
        let reason = if error.is::<TrapOrPanicError>() {
            // The instance has logged why.
            "its instance ended".to_owned()
        } else if let Some(InstantiationError { error, .. }) =
            error.downcast_ref::<InstantiationError<Begun>>()
        {
            format!("{error:#}")
        } else {
            format!("the answer is an error: {error}")
        };
        log_line(&format!("[{}] {what} failed: {reason}", self.component));
        Err(Failure::Failed)
    }

    /// Passes the request to an instance when it is its turn.
    async fn in_turn(
        &self,
        begun: Begun,
        request: Request<WasiBody>,
    ) -> wasmtime::Result<Response<WasiBody>> {
        // The semaphore is never closed.
        let turn = self.turns.acquire().await.ok();
        let mut answer = pin!(self.handler.handle(begun, request));
        if let Ok(answer) = timeout(self.turn, answer.as_mut()).await {
            return answer;
        }
        drop(turn);
        answer.await
    }
}

/// A request with the whole URL: WASI 0.3 has no other place for the host's name.
fn absolute(mut request: Request<WasiBody>) -> Request<WasiBody> {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    if let Some(host) = host
        && let Ok(uri) = Uri::builder().scheme("http").authority(host).path_and_query(path).build()
    {
        *request.uri_mut() = uri;
    }
    request
}

/// The body. The request keeps its place until it is sent.
fn holding(body: WasiBody, place: Arc<Place>) -> WasiBody {
    if place.is_none() {
        return body;
    }
    let held = move |error| {
        let _place = &place;
        error
    };
    body.map_err(held).boxed_unsync()
}
