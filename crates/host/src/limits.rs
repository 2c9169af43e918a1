//! Every limit the host applies, with its unit and its reason.

use std::time::Duration;

/// Limits on requests and instances. All of them have a flag of the same meaning.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long a component may take for one request, work after the response included.
    /// Default 600 s: large uploads stream through components.
    pub request_timeout: Duration,
    /// Linear memory of one instance in bytes. Default 128 MiB, the least that hosted Spin platforms give.
    pub instance_memory: usize,
    /// Requests that one host runs at once; further ones wait. Default 256.
    pub concurrent_requests: usize,
    /// How long `stop` waits for running requests and for work after responses. Default 30 s.
    pub stop_wait: Duration,
    /// How long a client may take to send its request head. Default 30 s.
    pub request_head_timeout: Duration,
    /// Largest result of one key-value read or SQL query in bytes. Default 128 MiB, as in Spin.
    pub result_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_timeout: Duration::from_mins(10),
            instance_memory: 128 * 1024 * 1024,
            concurrent_requests: 256,
            stop_wait: Duration::from_secs(30),
            request_head_timeout: Duration::from_secs(30),
            result_bytes: 128 * 1024 * 1024,
        }
    }
}
