//! The error type of the crate.

/// Why a server cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address is in use, or does not belong to this machine.
    #[error("cannot listen on {address}: {source}")]
    Address {
        address: std::net::SocketAddr,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A socket opened by another program is unusable.
    #[error("a socket of another program: {0}")]
    Socket(#[source] std::io::Error),
}
