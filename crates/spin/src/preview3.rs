//! The form for WASI 0.3.0: an instance answers many requests, also several at the same time, and its memory lives as long.
//! It needs Spin 4.1: earlier versions do not know these interfaces.
//!
//! Stores and settings are those of preview 2, whose calls return when they are done. So while a handler works, no other
//! request of the instance does; requests alternate only where a handler waits for HTTP.

mod body;
#[cfg(not(feature = "edge"))]
pub(crate) mod connection;
mod entry;
mod http_client;
pub(crate) mod lifetime;
pub(crate) mod memory;

pub use entry::serve;
