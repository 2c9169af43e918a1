//! The form for WASI preview 2, in which an instance answers one request. It runs on every version of Spin.

mod arena;
pub(crate) mod connection;
mod entry;
mod http_client;
pub(crate) mod lifetime;
pub(crate) mod memory;
mod request_headers;
mod waiting;

pub use entry::serve;
