//! Use cases shared by several components: the common parts of all requests (`requests`), the stored records
//! of a scope (`records`), answers to clients (`answers`, `static_answers`), changes to all of that
//! (`changes`), objects in the storage (`objects`), and adding files to releases (`publish`).
//!
//! Components never use each other, and `db`, `storage` and `web` do not depend on each other. Code that
//! needs all three, and that at least two components need, is here; code of one component stays there. This
//! crate reaches the platform through the traits of [`Ports`] and has the only mapping from store failures to
//! answers ([`Failure::into_api`]).

#![deny(clippy::print_stderr)]

pub mod answers;
pub mod audit_entries;
pub mod changes;
pub mod cut_off;
pub mod deadline;
pub mod device_groups;
mod error;
mod failure;
pub mod last_asked;
pub mod links;
pub mod log;
pub mod objects;
pub mod passkeys;
mod ports;
pub mod publish;
pub mod rate_limits;
pub mod records;
pub mod report_keys;
pub mod requests;
pub mod scope_path;
pub mod settings;
pub mod static_answers;
pub mod telemetry;
pub mod webhooks;

pub use error::ServiceError;
pub use failure::Failure;
pub use ports::Ports;
pub use requests::{serve, serve_logged_by, shared_answer};
