//! Connections that are kept open between the requests of components.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::uri::Authority;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;
use wasmtime_wasi_http::{Error, WasiBody};

/// How long an unused connection is kept; below what servers usually keep.
const IDLE_TIME: Duration = Duration::from_secs(15);

/// Unused connections kept per authority.
const MAX_IDLE: usize = 16;

/// The connections of one host.
#[derive(Default)]
pub(crate) struct Connections {
    idle: Mutex<HashMap<Authority, Vec<Idle>>>,
}

struct Idle {
    sender: SendRequest<WasiBody>,
    since: Instant,
}

impl Connections {
    /// A connection that was kept and still looks open.
    pub(crate) async fn take(&self, authority: &Authority) -> Option<SendRequest<WasiBody>> {
        loop {
            let idle = {
                let mut all = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
                all.get_mut(authority)?.pop()?
            };
            let mut sender = idle.sender;
            if idle.since.elapsed() < IDLE_TIME && !sender.is_closed() && sender.ready().await.is_ok() {
                return Some(sender);
            }
        }
    }

    /// Keeps a connection whose response was read to its end.
    pub(crate) fn put(&self, authority: Authority, sender: SendRequest<WasiBody>) {
        if sender.is_closed() {
            return;
        }
        let mut all = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = all.entry(authority).or_default();
        idle.retain(|idle| idle.since.elapsed() < IDLE_TIME);
        if idle.len() < MAX_IDLE {
            idle.push(Idle { sender, since: Instant::now() });
        }
    }
}

/// Opens a connection within `limit`.
pub(crate) async fn connect(authority: &Authority, limit: Duration) -> Result<SendRequest<WasiBody>, Error> {
    let port = authority.port_u16().unwrap_or(80);
    let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
    let connect = async {
        let stream = TcpStream::connect((host, port)).await.map_err(Error::Connect)?;
        stream.set_nodelay(true).map_err(Error::Connect)?;
        http1::handshake(TokioIo::new(stream)).await.map_err(Error::from)
    };
    let (sender, connection) = timeout(limit, connect).await.map_err(|_| Error::ConnectionTimeout)??;
    // Ends when the sender is dropped or the server closes; its error is reported to the request that is under way.
    tokio::spawn(connection);
    Ok(sender)
}
