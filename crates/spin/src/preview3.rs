//! The form for WASI 0.3.0, in which an instance answers many requests, including several at the same time,
//! and keeps its memory between them. It needs Spin 4.1: earlier versions do not know these interfaces.
//!
//! Stores and settings are those of preview 2, whose calls block until they are done. So while a handler
//! works, no other request of the instance makes progress; requests alternate only where a handler waits for
//! HTTP.

mod body;
pub(crate) mod connection;
mod entry;
mod http_client;
pub(crate) mod lifetime;
pub(crate) mod memory;

pub use entry::serve;
