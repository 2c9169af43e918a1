//! Runs the service on this machine: the embedded host, configured for this application.
//!
//! [`Local`] runs the service and an object storage, gives the service the URLs of both, and generates the secrets that
//! are not set. [`Command`] are the commands around it, with the demo and the timer, and [`main_from_args`] is a program
//! that has only these.
//!
//! Everything about this product is here and nothing of it in the host, whose tests therefore show what it does for any
//! application. The service's URL is known only after the port is bound, but must be among the variables before the first
//! request: so the host is bound first and started afterwards.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod backup;
mod bundle;
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
mod source;
mod state_dir;
mod timer;
mod up;
mod variables;
mod welcome;

pub use command::{Command, main_from_args};
pub use error::LocalError;
pub use local::{Local, LocalOptions};
