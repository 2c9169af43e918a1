//! Every limit that the host applies to clients, components and stores.

use std::time::Duration;

/// What a host, or a storage, puts up with. Each field says what would happen without it.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long a client may take to send its request head. Without it idle connections pile up. Default 30 s.
    pub request_head_timeout: Duration,
    /// Bytes of a request's body that are read for nobody, so that the client, still sending, can read the answer. Without
    /// it a refused client could go on for ever. Default 16 MiB: what small uploads have.
    pub drain_bytes: usize,
    /// For how long they are read. Without it a slow client would be enough. Default 5 s.
    pub drain_time: Duration,
    /// Requests that one host runs at once; further ones wait. Without it memory is taken by whoever comes. Default 256.
    pub concurrent_requests: usize,
    /// How long a component may take for one request, work after the response included. Without it an endless loop is
    /// never ended. Default 600 s: large uploads stream through components.
    pub request_timeout: Duration,
    /// Linear memory of one instance in bytes. Without it one request can take all memory. Default 128 MiB, the least that
    /// hosted Spin platforms give.
    pub instance_memory: usize,
    /// Key-value stores, and as many database connections, that one instance has open. Without it they fill memory and
    /// file descriptors of the host. Default 256, as in Spin.
    pub open_handles: usize,
    /// Largest result of one key-value read or SQL query in bytes. Without it one query fills the host's memory. Default
    /// 128 MiB, as in Spin.
    pub result_bytes: usize,
    /// How long a call to a key-value store waits for others, and for another process that holds the file, before it fails.
    /// Without it whoever asked the component waits as long. Default 2 s.
    pub store_wait: Duration,
    /// How long a statement waits for a lock that another connection holds. Without it every collision is an error. Default
    /// 5 s.
    pub database_wait: Duration,
    /// How long a component's own requests wait for a connection, for the first byte and between two bytes, where the
    /// component does not say. Without it they wait for ever. Default 600 s, as in Spin.
    pub outbound_wait: Duration,
    /// Longest line of a component's output that is kept together, in bytes; a longer one is cut into several. Without it a
    /// component that ends no line fills memory. Default 16 KiB.
    pub line_bytes: usize,
    /// How long `stop` waits for running requests and for work after responses. Without it one request could keep the
    /// process from ending. Default 30 s.
    pub stop_wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_head_timeout: Duration::from_secs(30),
            drain_bytes: 16 * 1024 * 1024,
            drain_time: Duration::from_secs(5),
            concurrent_requests: 256,
            request_timeout: Duration::from_mins(10),
            instance_memory: 128 * 1024 * 1024,
            open_handles: 256,
            result_bytes: 128 * 1024 * 1024,
            store_wait: Duration::from_secs(2),
            database_wait: Duration::from_secs(5),
            outbound_wait: Duration::from_mins(10),
            line_bytes: 16 * 1024,
            stop_wait: Duration::from_secs(30),
        }
    }
}
