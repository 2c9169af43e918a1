//! Runs the service on this machine: the embedded host, configured for this application.
//!
//! [`Local`] runs the service and an object storage, gives the service the URLs of both, and generates the secrets that
//! are not set. [`main_from_args`] is the program around it, with the demo and the maintenance timer.

mod cli;
mod client;
mod demo;
mod error;
mod local;
mod secrets;
mod source;
mod state_dir;
mod timer;
mod variables;
mod welcome;

pub use cli::main_from_args;
pub use error::LocalError;
pub use local::{Local, LocalOptions};
