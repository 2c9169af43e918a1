//! Adapters to Spin, and the entry point of every component. The only crate that uses the Spin SDK; empty in native
//! builds.
#![cfg(target_family = "wasm")]

mod arena;
mod database;
mod entry;
mod http_client;
mod key_value;
mod platform;
mod request_headers;

pub use entry::serve;
pub use platform::SpinPlatform;
