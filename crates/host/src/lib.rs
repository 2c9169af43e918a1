//! An embedded host for Spin applications, and an S3 object storage on local files.
//!
//! Like Spin, the host reads `spin.toml` and `runtime-config.toml`. It offers components the interfaces in `wit/`, WASI
//! preview 2 and 0.3, and `wasi:http`. An instance of preview 2 answers one request, and one of WASI 0.3 many. Components are
//! opaque to it. It has no feature that Spin lacks, so every application that runs here also runs unchanged with `spin up`. It
//! knows no particular application: it gives no variable, route or secret a special meaning.
//!
//! [`Program`] is an application with compiled components. [`Host`] runs one program at a [`Listener`]; a process can
//! have any number of hosts. [`Storage`] is the object storage, a separate server.
//! [`StateFiles`] copies the database and the objects of an application that runs.

mod allowed_hosts;
mod bindings;
mod blocking;
mod build;
mod chain;
mod connections;
mod drain;
mod engine;
mod error;
mod folder;
mod grants;
mod guest;
mod guest_output;
mod handler;
mod host;
mod key_value;
mod limits;
mod log;
mod manifest;
mod observer;
mod options;
mod outbound;
mod outcome;
mod program;
mod reused;
mod routes;
mod runtime_config;
mod server;
mod services;
mod shares;
mod sqlite;
mod state_files;
mod storage;
mod template;
mod variables;

pub use build::build;
pub use drain::{BodyError, Drained};
pub use error::HostError;
pub use folder::sync_folder;
pub use host::Host;
pub use limits::Limits;
pub use log::{LogFormat, log_line, set_log_format};
pub use manifest::{Manifest, Variable};
pub use observer::Observer;
pub use options::HostOptions;
pub use program::Program;
pub use server::{Listener, local_url};
pub use state_files::{BackedUp, StateFiles};
pub use storage::{Bucket, Storage, StorageOptions};
pub use variables::Values;
