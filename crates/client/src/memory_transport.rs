//! A service in memory, for tests and examples.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};

use crate::{Body, Transport, TransportError, body};

/// Answers from memory and records all requests. Clones share both.
///
/// Answers are selected by path only, percent-encoded as sent. Several answers for a path are returned in
/// turn, and the last one repeats. A path without an answer gets a 404.
///
/// ```
/// use spindrift_client::{CheckOptions, Client, Config, MemoryTransport, Source};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), spindrift_client::Error> {
/// let service = MemoryTransport::new().with_answer(
///     "/checkVersion",
///     200,
///     r#"{"update_available": true, "critical": false, "version": "1.3.0",
///         "update_url_deb": "https://d.example/a.deb"}"#,
/// );
/// let client = Client::with_transport(Config::new("https://updates.example"), service.clone())?;
///
/// let update = client.check(&CheckOptions::new("acme", "notes", "1.2.0")).await?.expect("an update");
///
/// assert_eq!((update.version.as_str(), update.source), ("1.3.0", Source::Api));
/// assert_eq!(update.url_of("deb"), Some("https://d.example/a.deb"));
/// assert_eq!(service.requests().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct MemoryTransport {
    state: Arc<Mutex<MemoryState>>,
}

#[derive(Default)]
struct MemoryState {
    answers: Vec<(String, VecDeque<StoredAnswer>)>,
    requests: Vec<Request<Bytes>>,
}

#[derive(Clone)]
struct StoredAnswer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl MemoryTransport {
    /// A transport without answers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an answer for a path.
    #[must_use]
    pub fn with_answer(self, path: &str, status: u16, body: impl Into<Bytes>) -> Self {
        self.with_headers(path, status, &[], body)
    }

    /// Adds an answer with headers for a path. An invalid status becomes 500; invalid headers are left out.
    #[must_use]
    pub fn with_headers(
        self,
        path: &str,
        status: u16,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = headers
            .iter()
            .filter_map(|(name, value)| {
                Some((HeaderName::try_from(*name).ok()?, HeaderValue::from_str(value).ok()?))
            })
            .collect();
        let answer = StoredAnswer { status, headers, body: body.into() };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.answers.iter_mut().find(|(known, _)| known == path) {
            Some((_, answers)) => answers.push_back(answer),
            None => state.answers.push((path.to_owned(), VecDeque::from([answer]))),
        }
        drop(state);
        self
    }

    /// All requests so far, in order.
    pub fn requests(&self) -> Vec<Request<Bytes>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).requests.clone()
    }

    fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let path = request.uri().path();
        let answers = state.answers.iter_mut().find(|(known, _)| known == path).map(|(_, answers)| answers);
        let answer = answers.and_then(|answers| match answers.len() {
            0 | 1 => answers.front().cloned(),
            _ => answers.pop_front(),
        });
        state.requests.push(request);
        let mut response = Response::new(body(Bytes::new()));
        match answer {
            Some(answer) => {
                *response.status_mut() = answer.status;
                *response.headers_mut() = answer.headers;
                *response.body_mut() = body(answer.body);
            }
            None => *response.status_mut() = StatusCode::NOT_FOUND,
        }
        response
    }
}

impl Transport for MemoryTransport {
    fn send(
        &self,
        request: Request<Bytes>,
        _time_out: Option<Duration>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move { Ok(self.answer(request)) })
    }
}
