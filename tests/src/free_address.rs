//! Addresses for servers.

use std::net::TcpListener;

/// An address that is free at this moment; for servers that cannot report the port that they got.
pub fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").to_string()
}
