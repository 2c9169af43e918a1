//! A proxy between the service and a world's object storage, or between clients and a service. It can delay,
//! block or refuse calls below one path, at first those about static answers, and it records them. It can
//! block copies too.

use std::io::{Error, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{client, server};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::runtime::runtime;
use crate::storage::CDN_BUCKET;

/// A running proxy. It runs until the process ends.
#[derive(Debug)]
pub struct Gate {
    url: String,
    state: Arc<State>,
}

/// An answered call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    pub method: Method,
    pub path: String,
    pub status: u16,
    /// The length of its body in bytes.
    pub bytes: u64,
    /// Whether it copies an object of the storage.
    pub is_copy: bool,
}

#[derive(Debug)]
struct State {
    backend: String,
    /// The prefix of the paths of calls that are delayed, blocked, refused and recorded.
    watched: Mutex<String>,
    delay: Mutex<Duration>,
    refusing: AtomicBool,
    /// How many calls pass before one is refused. `None`: none is.
    refused_after: Mutex<Option<u32>>,
    has_refused: AtomicBool,
    cutting_requests: AtomicBool,
    cutting_bodies: AtomicBool,
    cutting_answers: AtomicBool,
    holding: AtomicBool,
    holding_copies: AtomicBool,
    released: watch::Sender<bool>,
    waiting: watch::Sender<usize>,
    calls: Mutex<Vec<(Method, String)>>,
    passed: Mutex<Vec<Passed>>,
}

impl Gate {
    /// Starts a proxy for the storage, or the service, at this URL.
    pub fn before(url: &str) -> Self {
        let state = Arc::new(State {
            backend: url.trim_start_matches("http://").to_owned(),
            watched: Mutex::new(format!("/{CDN_BUCKET}")),
            delay: Mutex::default(),
            refusing: AtomicBool::new(false),
            refused_after: Mutex::default(),
            has_refused: AtomicBool::new(false),
            cutting_requests: AtomicBool::new(false),
            cutting_bodies: AtomicBool::new(false),
            cutting_answers: AtomicBool::new(false),
            holding: AtomicBool::new(false),
            holding_copies: AtomicBool::new(false),
            released: watch::Sender::new(false),
            waiting: watch::Sender::new(0),
            calls: Mutex::default(),
            passed: Mutex::default(),
        });
        let listener = runtime().block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        runtime().spawn(accept(listener, state.clone()));
        Self { url, state }
    }

    /// The proxy's base URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Watches the calls whose paths have this prefix, instead of those about static answers.
    pub fn watch(&self, path: &str) {
        path.clone_into(&mut lock(&self.state.watched));
        lock(&self.state.calls).clear();
        lock(&self.state.passed).clear();
    }

    /// Sets whether the watched calls are answered with a 503, as by a storage that is overloaded.
    pub fn refuse(&self, refuse: bool) {
        self.state.refusing.store(refuse, Ordering::SeqCst);
    }

    /// Refuses one watched call, as [`Gate::refuse`] does, after these many have passed.
    pub fn refuse_after(&self, calls: u32) {
        *lock(&self.state.refused_after) = Some(calls);
        self.state.has_refused.store(false, Ordering::SeqCst);
    }

    /// Whether the call chosen by [`Gate::refuse_after`] was refused.
    pub fn has_refused(&self) -> bool {
        self.state.has_refused.load(Ordering::SeqCst)
    }

    /// Sets whether the connections of watched calls are closed before anything is done.
    pub fn cut_requests(&self, cut: bool) {
        self.state.cutting_requests.store(cut, Ordering::SeqCst);
    }

    /// Sets whether the connections of watched writes are closed when the first part of their body is there.
    pub fn cut_bodies(&self, cut: bool) {
        self.state.cutting_bodies.store(cut, Ordering::SeqCst);
    }

    /// Sets whether watched calls are done, and their connections closed instead of an answer.
    pub fn cut_answers(&self, cut: bool) {
        self.state.cutting_answers.store(cut, Ordering::SeqCst);
    }

    /// Delays every further watched call.
    pub fn delay(&self, delay: Duration) {
        *lock(&self.state.delay) = delay;
    }

    /// Blocks further watched writes until [`Gate::release`].
    pub fn hold(&self) {
        self.state.holding.store(true, Ordering::SeqCst);
    }

    /// Blocks further copies of objects until [`Gate::release`].
    pub fn hold_copies(&self) {
        self.state.holding_copies.store(true, Ordering::SeqCst);
    }

    /// Waits until a call is blocked, and stops blocking further ones.
    pub fn hold_no_more(&self) {
        self.hold_no_more_after(1);
    }

    /// Waits until this number of calls is blocked, and stops blocking further ones.
    pub fn hold_no_more_after(&self, calls: usize) {
        let mut waiting = self.state.waiting.subscribe();
        let _ = runtime().block_on(waiting.wait_for(|waiting| *waiting >= calls)).expect("a count");
        self.state.holding.store(false, Ordering::SeqCst);
        self.state.holding_copies.store(false, Ordering::SeqCst);
    }

    /// Lets the blocked calls continue.
    pub fn release(&self) {
        self.state.released.send_replace(true);
    }

    /// The method and path of each watched call since the last call of this function.
    pub fn take_calls(&self) -> Vec<(Method, String)> {
        std::mem::take(&mut lock(&self.state.calls))
    }

    /// The watched calls that were answered since the last call of this function.
    pub fn take_passed(&self) -> Vec<Passed> {
        std::mem::take(&mut lock(&self.state.passed))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        let state = state.clone();
        let service = service_fn(move |request| pass(state.clone(), request));
        // Errors of the connection are ignored: the client and the storage see them.
        tokio::spawn(server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// The error that ends a connection.
type Cut = Box<dyn std::error::Error + Send + Sync>;

fn cut() -> Cut {
    Error::from(ErrorKind::ConnectionAborted).into()
}

async fn pass(state: Arc<State>, mut request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Cut> {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let is_watched = path.starts_with(lock(&state.watched).as_str());
    if is_watched {
        state.before_call(&method, &path).await;
    }
    let is_copy = request.headers().contains_key("x-amz-copy-source");
    if is_copy && state.holding_copies.load(Ordering::SeqCst) {
        state.wait().await;
    }
    if is_watched && state.cutting_requests.load(Ordering::SeqCst) {
        return Err(cut());
    }
    if is_watched && method == Method::PUT && state.cutting_bodies.load(Ordering::SeqCst) {
        let _ = request.body_mut().frame().await;
        return Err(cut());
    }
    let answer = if is_watched && state.refuses() { unavailable() } else { forward(&state, request).await? };
    if is_watched && state.cutting_answers.load(Ordering::SeqCst) {
        return Err(cut());
    }
    if is_watched {
        let bytes = hyper::body::Body::size_hint(answer.body()).lower();
        lock(&state.passed).push(Passed { method, path, status: answer.status().as_u16(), bytes, is_copy });
    }
    Ok(answer)
}

fn unavailable() -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from("<Error><Code>SlowDown</Code></Error>"));
    *response.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
    response
}

async fn forward(state: &State, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let (parts, body) = request.into_parts();
    let request = Request::from_parts(parts, Full::new(body.collect().await?.to_bytes()));
    let Ok(stream) = TcpStream::connect(&state.backend).await else { return Ok(unavailable()) };
    let (mut sender, connection) = client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let (parts, body) = sender.send_request(request).await?.into_parts();
    Ok(Response::from_parts(parts, Full::new(body.collect().await?.to_bytes())))
}

impl State {
    /// Whether this call is refused.
    fn refuses(&self) -> bool {
        let mut after = lock(&self.refused_after);
        match &mut *after {
            Some(0) => {
                *after = None;
                self.has_refused.store(true, Ordering::SeqCst);
                true
            }
            Some(calls) => {
                *calls -= 1;
                self.refusing.load(Ordering::SeqCst)
            }
            None => self.refusing.load(Ordering::SeqCst),
        }
    }

    async fn before_call(&self, method: &Method, path: &str) {
        lock(&self.calls).push((method.clone(), path.to_owned()));
        let delay = *lock(&self.delay);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        if *method == Method::PUT && self.holding.load(Ordering::SeqCst) {
            self.wait().await;
        }
    }

    async fn wait(&self) {
        self.waiting.send_modify(|waiting| *waiting += 1);
        let _ = self.released.subscribe().wait_for(|released| *released).await;
    }
}
