//! The components of `spin.toml`, linked into one program and served over HTTP.
//!
//! A connection belongs to one of a few threads, one for each processor. Requests of installed copies are
//! answered there. Everything that may take long, such as password hashes, signing, uploads and pages, goes
//! to a separate pool of threads, so that no check waits behind it. [`admission`] limits how much runs at a
//! time.

mod admission;
mod answer;
mod application;
mod components;
mod error;
mod limits;
mod logins;
mod observer;
mod server;
mod shares;
mod small_body;

pub use application::{Application, MANIFEST};
pub use component_identity::reset_passkeys;
pub use components::{ApiRoute, api_routes};
pub use error::ServerError;
pub use limits::ServerLimits;
pub use observer::Observer;
pub use server::Server;
