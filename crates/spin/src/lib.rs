//! Adapters to Spin, and the entry point of every component. The only crate that uses the Spin SDK; empty in
//! native builds.
//!
//! It has two forms, both with `entry!` and `serve`, so that all code above it is the same. By default
//! components are built for WASI preview 2. With the feature `preview3` they are built for preview 3, where
//! instances live on between requests (`docs/adr/0042-two-forms-of-the-platform.md`).
//!
//! [`SpinPlatform`] is the platform of the service's components, and [`EdgePlatform`] that of an edge, which
//! has an origin instead of a database. A component imports the interfaces that it calls, and nothing else
//! (`docs/adr/0043-imports-are-grants.md`).
#![cfg(target_family = "wasm")]
#![deny(clippy::print_stderr)]

mod bindings;
mod database;
mod key_value;
mod no_database;
mod platform;
#[cfg(not(feature = "preview3"))]
mod preview2;
#[cfg(feature = "preview3")]
mod preview3;

#[cfg(not(feature = "preview3"))]
use preview2 as form;
#[cfg(feature = "preview3")]
use preview3 as form;

/// How long the work of a request waits for that of other requests, in nanoseconds: shorter than the time for
/// which Spin keeps an idle instance of preview 3.
const GATHER_NANOS: u64 = 250_000_000;

pub use form::serve;
pub use platform::{EdgePlatform, SpinPlatform};
#[cfg(not(feature = "preview3"))]
pub use wasi;
#[cfg(feature = "preview3")]
pub use wasip3;
