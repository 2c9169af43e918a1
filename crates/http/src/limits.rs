//! Limits on the time and memory of a server that a client may take.

use std::time::Duration;

/// Limits on connections. Each field states what would happen without it.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Time limit for the head of a request, and for the pause between two requests of a connection. Without
    /// it, idle connections accumulate. Default 30 s.
    pub request_head_timeout: Duration,
    /// The time that a client gets for a request body, in addition to [`ConnectionLimits::body_rate`]. Only
    /// the time in which the server waits for bytes counts. Without it, a client that sends a byte now and
    /// then could occupy the server forever. Default 10 s.
    pub body_grace: Duration,
    /// The minimum rate at which a request body has to arrive after [`ConnectionLimits::body_grace`], in
    /// bytes per second. Default 1 KiB/s: a tenth of the slowest mobile networks.
    pub body_rate: u64,
    /// Number of bytes that are read from the rest of a request body, so that a client that is still sending
    /// can read the answer. Without a limit, a refused client could send forever. Default 16 MiB, the size of
    /// small uploads.
    pub drain_bytes: usize,
    /// Time limit for reading these bytes. Without it, a slow client could keep the connection open. Default
    /// 5 s.
    pub drain_time: Duration,
    /// How long a stop waits for running requests and for work after answers. Without it, one request could
    /// keep the process from ending. Default 30 s.
    pub stop_wait: Duration,
    /// How long a stop waits for the first request of a connection that is already open. Without it, a client
    /// that has just connected would be cut off. Default 1 s: a client that connects sends at once.
    pub stop_first_request: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            request_head_timeout: Duration::from_secs(30),
            body_grace: Duration::from_secs(10),
            body_rate: 1024,
            drain_bytes: 16 * 1024 * 1024,
            drain_time: Duration::from_secs(5),
            stop_wait: Duration::from_secs(30),
            stop_first_request: Duration::from_secs(1),
        }
    }
}
