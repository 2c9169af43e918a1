//! Runs the service on this machine: the embedded host, configured for this application.
//!
//! [`Local`] runs the service and an object storage, gives the service the URLs of both, and generates the secrets that
//! are not set. [`main_from_args`] is the program around it, with the demo and the maintenance timer.
//!
//! Everything about this product is here and nothing of it in the host, whose tests therefore show what it does for any
//! application. The service's URL is known only after the port is bound, but must be among the variables before the first
//! request: so the host is bound first and started afterwards.

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
