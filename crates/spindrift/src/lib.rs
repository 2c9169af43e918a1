//! The service on this machine: the embedded host with what this application wants of it.
//!
//! [`Local`] runs the service and an object storage, tells it where both are, and makes up secrets that nobody gave.
//! [`main_from_args`] is the program around it, with the demo and the timer of maintenance.

mod cli;
mod client;
mod demo;
mod error;
mod local;
mod secrets;
mod source;
mod timer;
mod variables;

pub use cli::main_from_args;
pub use error::LocalError;
pub use local::{Local, LocalOptions};
