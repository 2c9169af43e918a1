//! Sockets that systemd opened for this process (`sd_listen_fds(3)`).
//!
//! systemd keeps them open while one process ends and the next one starts. Clients that connect in between
//! wait.

use std::collections::VecDeque;
use std::net::{SocketAddr, TcpListener};

use spindrift_http::Listener;

use crate::error::LocalError;

/// The remaining sockets, in the order of systemd's configuration. Empty by default.
#[derive(Debug, Default)]
pub(crate) struct Sockets(VecDeque<TcpListener>);

impl Sockets {
    /// Takes the sockets from the environment. At most `wanted` can be used.
    ///
    /// # Errors
    /// There are more, or one is not a TCP socket.
    #[cfg(unix)]
    pub(crate) fn from_environment(wanted: usize) -> Result<Self, LocalError> {
        let mut given = listenfd::ListenFd::from_env();
        if given.len() > wanted {
            return Err(LocalError::Sockets { given: given.len(), wanted });
        }
        let taken = (0..given.len()).filter_map(|at| given.take_tcp_listener(at).transpose());
        taken.collect::<Result<_, _>>().map(Self).map_err(LocalError::Socket)
    }

    /// This system has no systemd.
    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere this can fail")]
    pub(crate) fn from_environment(_wanted: usize) -> Result<Self, LocalError> {
        Ok(Self::default())
    }

    /// The next socket. If none is left, one is opened at `address`. Must be called inside a tokio runtime.
    pub(crate) async fn next_or(&mut self, address: SocketAddr) -> Result<Listener, LocalError> {
        Ok(match self.0.pop_front() {
            Some(socket) => Listener::from_socket(socket)?,
            None => Listener::bind(address).await?,
        })
    }
}
