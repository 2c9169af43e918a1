//! Connections that stay open between requests of components.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::uri::Authority;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;
use wasmtime_wasi_http::{Error, WasiBody};

/// How long an unused connection stays open. Shorter than the usual timeout of servers.
const IDLE_TIME: Duration = Duration::from_secs(15);

/// Maximum number of unused connections to one authority.
const MAX_IDLE: usize = 16;

/// The open connections of one host.
#[derive(Default)]
pub(crate) struct Connections {
    idle: Mutex<HashMap<Authority, Vec<Idle>>>,
}

struct Idle {
    sender: SendRequest<WasiBody>,
    since: Instant,
}

impl Connections {
    /// An unused connection that appears to be still open.
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

    /// Stores a connection for reuse after its response has been read completely.
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

/// Opens a connection. Fails after `limit`.
pub(crate) async fn connect(authority: &Authority, limit: Duration) -> Result<SendRequest<WasiBody>, Error> {
    let port = authority.port_u16().unwrap_or(80);
    let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
    let connect = async {
        let stream = TcpStream::connect((host, port)).await.map_err(Error::Connect)?;
        stream.set_nodelay(true).map_err(Error::Connect)?;
        http1::handshake(TokioIo::new(stream)).await.map_err(Error::from)
    };
    let (sender, connection) = timeout(limit, connect).await.map_err(|_| Error::ConnectionTimeout)??;
    // Runs until the sender is dropped or the server closes. A request in progress gets its error.
    tokio::spawn(connection);
    Ok(sender)
}
