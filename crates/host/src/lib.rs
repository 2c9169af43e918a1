//! An embedded host for Spin applications, and an S3 object storage on local files.
//!
//! The host reads `spin.toml` and `runtime-config.toml` as Spin does and offers components the interfaces in `wit/`, WASI
//! preview 2 and `wasi:http`. It treats components as opaque and has no feature that Spin lacks, so whatever runs here runs
//! unchanged with `spin up`. It knows no application: no variable, route or secret has a meaning here.
//!
//! [`Program`] is an application with its components compiled; [`Host`] runs one at a [`Listener`], any number of them in one
//! process. [`Storage`] is the object storage, a server of its own.

mod allowed_hosts;
mod bindings;
mod blocking;
mod build;
mod connections;
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
mod server;
mod services;
mod sqlite;
mod storage;
mod template;
mod variables;

pub use build::build;
pub use drain::Drained;
pub use error::HostError;
pub use host::Host;
pub use limits::Limits;
pub use manifest::{Manifest, Variable};
pub use options::HostOptions;
pub use program::Program;
pub use server::Listener;
pub use storage::{Bucket, Storage, StorageOptions};
pub use variables::Values;
