//! A web in memory: folders at addresses, each of which answers as it likes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt as _};
use http::{HeaderMap, Request, Response, StatusCode, header};
use serde_json::json;
use spindrift_client::{Body, Transport, TransportError, body};

use super::repository::TestRepository;

/// The answer to a request.
#[derive(Debug, Clone)]
pub enum Reply {
    File(Vec<u8>),
    /// A status with an empty body.
    Status(u16),
    /// A redirect with status 302.
    Redirect(String),
    /// No connection.
    Dead,
    /// A byte, again and again, after this time.
    Slow(Duration),
    /// Bytes without an end.
    Endless,
}

/// A request, and how much of its answer was read.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The address.
    pub url: String,
    pub headers: HeaderMap,
    /// Bytes of the body.
    pub bytes: usize,
}

type Behaviour = Arc<dyn Fn(&str) -> Reply + Send + Sync>;

/// Everything that an application can reach. Clones are the same web.
#[derive(Clone, Default)]
pub struct Web {
    folders: Arc<Mutex<BTreeMap<String, Behaviour>>>,
    offer: Arc<Mutex<Option<String>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Web {
    pub const SERVICE: &str = "https://updates.example";

    /// From now on a folder answers like this. The address ends with a slash, and the function gets what
    /// follows it.
    pub fn behave(&self, folder: &str, behaviour: impl Fn(&str) -> Reply + Send + Sync + 'static) {
        let _before = lock(&self.folders).insert(folder.to_owned(), Arc::new(behaviour));
    }

    /// From now on a folder has these files and no others.
    pub fn show(&self, folder: &str, files: &BTreeMap<String, Vec<u8>>) {
        let files = files.clone();
        self.behave(folder, move |file| files.get(file).cloned().map_or(Reply::Status(404), Reply::File));
    }

    /// From now on the service has the repository's metadata as it is now.
    pub fn serve(&self, repository: &TestRepository) {
        self.show(&Self::metadata(repository), &repository.metadata);
    }

    /// The path of a repository's metadata at the service.
    pub fn metadata(repository: &TestRepository) -> String {
        format!("{}/tuf/repository/{}/metadata/", Self::SERVICE, repository.path)
    }

    /// Sets the version that checks offer from now on.
    pub fn offer(&self, version: Option<&str>) {
        *lock(&self.offer) = version.map(str::to_owned);
    }

    /// All requests but checks.
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.asked).clone()
    }

    /// The requests since the last call.
    pub fn take_asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *lock(&self.asked))
    }

    fn check(&self) -> Response<Body> {
        let offer = lock(&self.offer).clone();
        let answer = match offer {
            Some(version) => json!({ "update_available": true, "critical": false, "version": version }),
            None => json!({ "update_available": false, "critical": false }),
        };
        Response::new(body(answer.to_string()))
    }

    fn answer(&self, request: &Request<Bytes>) -> Result<Response<Body>, TransportError> {
        let url = request.uri().to_string();
        if url.starts_with(&format!("{}/checkVersion", Self::SERVICE)) {
            return Ok(self.check());
        }
        let found = lock(&self.folders).iter().find_map(|(folder, behaviour)| {
            Some((Arc::clone(behaviour), url.strip_prefix(folder.as_str())?.to_owned()))
        });
        let reply = found.map_or(Reply::Status(404), |(behaviour, file)| behaviour(&file));
        let index = {
            let mut asked = lock(&self.asked);
            asked.push(Asked { url, headers: request.headers().clone(), bytes: 0 });
            asked.len() - 1
        };
        let mut response = Response::new(body(Bytes::new()));
        match reply {
            Reply::File(bytes) => *response.body_mut() = body(bytes),
            Reply::Status(status) => *response.status_mut() = StatusCode::from_u16(status).expect("a status"),
            Reply::Redirect(to) => {
                *response.status_mut() = StatusCode::FOUND;
                let to = to.parse().expect("an address");
                let _before = response.headers_mut().insert(header::LOCATION, to);
            }
            Reply::Dead => return Err(TransportError::Failed("connection refused".to_owned())),
            Reply::Slow(pause) => *response.body_mut() = slow(pause),
            Reply::Endless => *response.body_mut() = endless(),
        }
        let asked = Arc::clone(&self.asked);
        Ok(response.map(|body| {
            let counted = body.inspect(move |chunk| {
                if let (Ok(chunk), Some(asked)) = (chunk, lock(&asked).get_mut(index)) {
                    asked.bytes += chunk.len();
                }
            });
            counted.boxed()
        }))
    }
}

impl std::fmt::Debug for Web {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Web")
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody has panicked")
}

fn slow(pause: Duration) -> Body {
    let bytes = stream::unfold(pause, async |pause| {
        tokio::time::sleep(pause).await;
        Some((Ok(Bytes::from_static(b" ")), pause))
    });
    bytes.boxed()
}

fn endless() -> Body {
    stream::repeat_with(|| Ok(Bytes::from_static(&[b' '; 1024]))).boxed()
}

impl Transport for Web {
    fn send(
        &self,
        request: Request<Bytes>,
        _time_out: Option<Duration>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move { self.answer(&request) })
    }
}
