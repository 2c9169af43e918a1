//! What every HTTP server of this workspace does the same way: it accepts connections, bounds what a client may take,
//! and stops in order. The service, the object storage and the tests' runner of `.wasm` files use it.

mod body;
mod connection;
mod error;
mod limits;
mod listener;
mod log;
mod tasks;

pub use body::{BodyError, RequestBody};
pub use connection::{connection, serve};
pub use error::ListenError;
pub use limits::Limits;
pub use listener::{Listener, local_url};
pub use log::{LogFormat, log_line, log_of_component, set_log_format, without_parameters};
pub use tasks::Tasks;
