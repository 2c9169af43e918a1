//! Listening sockets.

use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpStream};

use crate::error::ListenError;

/// A local address with a listening socket. Clients that connect before it is served wait.
#[derive(Debug)]
pub struct Listener {
    inner: TcpListener,
    address: SocketAddr,
    url: String,
}

impl Listener {
    /// Listens on `address`; port 0 picks a free one. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// The address is in use or does not belong to this machine.
    pub async fn bind(address: SocketAddr) -> Result<Self, ListenError> {
        let refuse = |source| ListenError::Address { address, source };
        let inner = TcpListener::bind(address).await.map_err(refuse)?;
        let address = inner.local_addr().map_err(refuse)?;
        Ok(Self { inner, address, url: local_url(address) })
    }

    /// Takes over a socket that is already listening. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// The socket is unusable.
    pub fn from_socket(socket: std::net::TcpListener) -> Result<Self, ListenError> {
        socket.set_nonblocking(true).map_err(ListenError::Socket)?;
        let inner = TcpListener::from_std(socket).map_err(ListenError::Socket)?;
        let address = inner.local_addr().map_err(ListenError::Socket)?;
        Ok(Self { inner, address, url: local_url(address) })
    }

    /// The next connection, and the address of its client.
    ///
    /// # Errors
    /// For example, there are no file descriptors left.
    pub async fn accept(&self) -> std::io::Result<(TcpStream, SocketAddr)> {
        self.inner.accept().await
    }

    /// The base URL on this machine, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The base URL of a listening address for programs on this machine, without a trailing slash.
pub fn local_url(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://127.0.0.1:{}", address.port())
    } else {
        format!("http://{address}")
    }
}
