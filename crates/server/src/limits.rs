//! Every limit that the server sets.

use std::time::Duration;

use spindrift_http::ConnectionLimits;

/// The limits of a server. Each field states what would happen without it.
#[derive(Debug, Clone, Copy)]
pub struct ServerLimits {
    pub connections: ConnectionLimits,
    /// Number of requests that run at a time, for each kind of caller: installed copies, known logins,
    /// unknown logins, others. Further requests wait. Without it, requests could use up all memory. Default
    /// 256.
    pub concurrent_requests: usize,
    /// Number of requests without a known login that run at a time for one client address (for IPv6: for one
    /// /64); further ones wait. Without it, one client could take all permits. Default 128, half of all.
    pub requests_per_client: usize,
    /// Request bodies up to this size are read before the request takes a permit, in bytes. Without it, slow
    /// clients could take all permits. Default 256 KiB: the largest failure report.
    pub small_body_bytes: usize,
    /// Time limit for reading such a body. Default 10 s.
    pub small_body_time: Duration,
    /// Time limit of a request, including the work after its answer. Without it, a request that waits for
    /// another server could keep its permit forever. Default 600 s, because large uploads pass through the
    /// service.
    pub request_timeout: Duration,
    /// Number of threads for everything that is not an answer to an installed copy. Without it, there would
    /// be as many as requests, and each password hash takes 19 MiB. Default 8.
    pub workers: usize,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: ConnectionLimits::default(),
            concurrent_requests: 256,
            requests_per_client: 128,
            small_body_bytes: 256 * 1024,
            small_body_time: Duration::from_secs(10),
            request_timeout: Duration::from_mins(10),
            workers: 8,
        }
    }
}
