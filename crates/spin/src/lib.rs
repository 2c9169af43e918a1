//! Adapters to Spin, and the entry point of every component. The only crate that uses the Spin SDK; empty in
//! native builds.
//!
//! It has two forms, both with `entry!` and `serve`, so that all code above it is the same. By default
//! components are built for WASI preview 2. With the feature `preview3` they are built for preview 3, where
//! instances live on between requests (`docs/adr/0042-two-forms-of-the-platform.md`). A component enables the
//! features `database` and `outgoing-http` if it uses them; without a feature the calls behind it fail
//! (`docs/adr/0043-imports-are-grants.md`).
#![cfg(target_family = "wasm")]
#![deny(clippy::print_stderr)]

mod bindings;
#[cfg(feature = "database")]
mod database;
mod key_value;
#[cfg(not(feature = "database"))]
mod no_database;
#[cfg(not(feature = "outgoing-http"))]
mod no_http_client;
mod platform;
#[cfg(not(feature = "preview3"))]
mod preview2;
#[cfg(feature = "preview3")]
mod preview3;

#[cfg(not(feature = "preview3"))]
use preview2 as form;
#[cfg(feature = "preview3")]
use preview3 as form;

/// How long work waits for that of other requests, in nanoseconds: shorter than Spin keeps an idle instance
/// of preview 3.
const GATHER_NANOS: u64 = 250_000_000;

pub use form::serve;
pub use platform::SpinPlatform;
#[cfg(not(feature = "preview3"))]
pub use wasi;
#[cfg(feature = "preview3")]
pub use wasip3;
