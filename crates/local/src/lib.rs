//! Runs the service on this machine: the server with all components, and an object storage beside it.
//!
//! [`Local`] runs the service and an object storage, gives the service the URLs of both, and generates the
//! secrets that are not set. [`Command`] contains the commands around it, including the demo and the timer.
//!
//! The URL of the service is known only once its port is bound, but has to be among the variables before the
//! first request. So the port is bound first, and served once everything is known.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod backup;
mod client;
mod command;
mod demo;
mod error;
mod health;
mod last_backup;
mod local;
mod log;
mod metrics;
mod output;
mod own_requests;
mod restore;
mod secrets;
mod settings;
mod sockets;
mod state_dir;
mod state_lock;
mod timer;
mod up;
mod variables;
mod welcome;

pub use command::{Command, run};
pub use error::LocalError;
pub use local::{Local, LocalOptions};
