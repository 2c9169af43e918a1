//! Addresses for servers.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};

/// Ports that no system gives to outgoing connections by itself: one of those could be in use when the server
/// starts.
const PORTS: std::ops::Range<u32> = 10_000..32_000;

/// Addresses that this process has asked for.
static GIVEN: AtomicU32 = AtomicU32::new(0);

/// An address that is free at this moment and given only once; for servers that cannot report the port that
/// they got.
pub fn free_address() -> String {
    // Another run of the tests at the same time begins elsewhere.
    let first = std::process::id().wrapping_mul(97);
    loop {
        let at = first.wrapping_add(GIVEN.fetch_add(1, Ordering::Relaxed)) % (PORTS.end - PORTS.start);
        let address = format!("127.0.0.1:{}", PORTS.start + at);
        if TcpListener::bind(&address).is_ok() {
            return address;
        }
    }
}
