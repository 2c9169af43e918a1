//! Runs the `.wasm` files of an application, for tests: as Spin does, in the test's own process.
//!
//! Like Spin, it reads `spin.toml` and `runtime-config.toml`. It offers components the interfaces in `wit/`,
//! WASI preview 2 and 0.3, and `wasi:http`. An instance of preview 2 answers one request, and one of WASI 0.3
//! many. Components are opaque to it. It has no feature that Spin lacks, and gives no variable, route or
//! secret a special meaning, so whatever runs here also runs unchanged with `spin up`. It is part of no
//! program that users get.
//!
//! [`Program`] is an application with compiled components. [`Host`] runs one program at a [`Listener`]; a
//! process can have any number of hosts.

mod bindings;
mod build;
mod chain;
mod connections;
mod engine;
mod error;
mod grants;
mod guest;
mod guest_output;
mod handler;
mod host;
mod key_value;
mod limits;
mod options;
mod outbound;
mod outcome;
mod program;
mod reused;
mod runtime_config;
mod services;
mod sqlite;

pub use build::build;
pub use engine::Metering;
pub use error::HostError;
pub use host::Host;
pub use limits::Limits;
pub use options::HostOptions;
pub use program::Program;
