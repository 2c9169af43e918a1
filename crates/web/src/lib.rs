//! Requests, limits, multipart bodies, errors and their statuses, `ETag`, CORS.

#![deny(clippy::print_stderr)]

mod context;
pub mod cors;
mod deferred;
mod error;
mod form;
mod json;
mod log;
mod multipart;
mod page;
mod ports;
mod query;
mod reason;
mod reply;
mod request;
pub mod response;
mod routes;

pub use http::Method;
pub use spindrift_api::ErrorCode;
#[cfg(not(target_family = "wasm"))]
pub use spindrift_api::describe;

pub use context::RequestContext;
pub use deferred::DeferredWork;
pub use error::{ApiError, FileProblem};
pub use form::{Form, FormFile, FormLimits};
pub use json::parse_json;
pub use log::{log_line, set_log_writer};
pub use multipart::{FormPart, FormParts};
pub use page::PageQuery;
pub use ports::{Clock, Deployment, KeyValue, KeyValueError, Lifetime, Random};
pub use query::{Query, parse_parameter, required};
pub use reason::Reason;
pub use reply::Reply;
pub use request::{ByteStream, HeaderLookup, Request, header_values};
pub use response::{Response, ResponseBody};
pub use routes::Routes;
