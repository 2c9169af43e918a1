//! The embedded local host: runs a Spin application and an S3 object storage in one process.
//!
//! It reads `spin.toml` and `runtime-config.toml` as Spin does and offers components the interfaces in `wit/`, WASI preview 2
//! and `wasi:http`. It treats components as opaque and has no feature that Spin lacks, so whatever runs here runs unchanged
//! with `spin up`.
//!
//! [`Program`] is an application with its components compiled; [`Host`] runs one, any number of them in one process;
//! [`Storage`] is the object storage, which a host starts for itself and which can be used alone.

mod allowed_hosts;
mod bindings;
mod blocking;
mod build;
mod cli;
mod client;
mod demo;
mod drain;
mod engine;
mod error;
mod grants;
mod guest;
mod guest_output;
mod handler;
mod host;
mod key_value;
mod limits;
mod manifest;
mod options;
mod outbound;
mod program;
mod routes;
mod runtime_config;
mod secrets;
mod server;
mod services;
mod sqlite;
mod storage;
mod template;
mod timer;
mod variables;

pub use build::build;
pub use cli::main_from_args;
pub use drain::Drained;
pub use error::HostError;
pub use host::Host;
pub use limits::Limits;
pub use manifest::Manifest;
pub use options::HostOptions;
pub use program::Program;
pub use storage::{Bucket, Storage, StorageOptions};
