//! The part that all HTTP servers of this workspace share: accepting connections, limiting the resources that
//! a client may use, and stopping in an orderly way. The servers are the service, the object storage, and the
//! tests' runner of `.wasm` files.

mod blocking;
mod body;
mod connection;
mod error;
mod limits;
mod listener;
mod log;
mod tasks;

pub use blocking::blocking;
pub use body::{BodyError, RequestBody};
pub use connection::{connection, serve};
pub use error::ListenError;
pub use limits::ConnectionLimits;
pub use listener::{Listener, local_url};
pub use log::{LogFormat, log_line, log_of_component, set_log_format, without_parameters};
pub use tasks::Tasks;
