//! Every limit that the host sets for clients, components and stores.

use std::time::Duration;

/// The limits of a host. Each field says what would happen without it.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub connections: spindrift_http::ConnectionLimits,
    /// Requests that one host runs at a time; further ones wait. Without it, requests could take all memory.
    /// Default
    /// 256.
    pub concurrent_requests: usize,
    /// Time limit of a component for one request, including work after the response. Without it, an endless
    /// loop never ends. Default 600 s, because components stream large uploads.
    pub request_timeout: Duration,
    /// Requests that an instance of WASI 0.3 answers in all; then it ends. Without it, memory that a
    /// component leaks would grow as long as there are requests. Default 1024.
    pub instance_requests: usize,
    /// Requests that an instance of WASI 0.3 answers at a time; further ones go to another. Without it, one
    /// failure would end any number of requests. Default 16, as in Spin.
    pub instance_concurrency: usize,
    /// How long an instance of WASI 0.3 waits for its next request. Without it, instances would keep their
    /// memory for ever. Default 1 s, as in Spin.
    pub instance_idle: Duration,
    /// Requests that a component of WASI 0.3 begins at a time; further ones wait for their turn. Without it,
    /// a burst of requests would start as many instances. Default twice the number of processors, so that
    /// every processor has work while an instance waits for a store.
    pub component_turns: usize,
    /// How long a request keeps its turn. Without it, requests that wait would hold others up. Default 20 ms.
    pub component_turn: Duration,
    /// Linear memory of one instance, in bytes. Without it, one request could take all memory. Default 128
    /// MiB, the smallest limit of hosted Spin platforms.
    pub instance_memory: usize,
    /// Maximum number of key-value stores, and of database connections, that one instance has open. Without
    /// it, they could use up the memory and file descriptors of the host. Default 256, as in Spin.
    pub open_handles: usize,
    /// Maximum size of the result of a key-value read or an SQL query, in bytes. Without it, one query could
    /// fill the host's memory. Default 128 MiB, as in Spin.
    pub result_bytes: usize,
    /// How long a call to a key-value store waits for other calls, and for another process that has locked
    /// the file, before it fails. Without it, the component's caller waits as long as they do. Default 2 s.
    pub store_wait: Duration,
    /// How long a statement waits for a lock of another connection. Without it, every conflict is an error.
    /// Default 5 s.
    pub database_wait: Duration,
    /// How long a request sent by a component waits for the connection, for the first byte, and between two
    /// bytes, if the component sets no time-out. Without it, the request could wait for ever. Default 600 s,
    /// as in Spin.
    pub outbound_wait: Duration,
    /// Maximum length of a line of a component's output, in bytes; a longer line is split. Without it, a
    /// component that ends no line could fill the memory. Default 16 KiB.
    pub line_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: spindrift_http::ConnectionLimits::default(),
            concurrent_requests: 256,
            request_timeout: Duration::from_mins(10),
            instance_requests: 1024,
            instance_concurrency: 16,
            instance_idle: Duration::from_secs(1),
            component_turns: 2 * std::thread::available_parallelism().map_or(1, usize::from),
            component_turn: Duration::from_millis(20),
            instance_memory: 128 * 1024 * 1024,
            open_handles: 256,
            result_bytes: 128 * 1024 * 1024,
            store_wait: Duration::from_secs(2),
            database_wait: Duration::from_secs(5),
            outbound_wait: Duration::from_mins(10),
            line_bytes: 16 * 1024,
        }
    }
}
