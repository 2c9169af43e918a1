//! The OpenAPI document of the interface, made of the routes of the components and of their descriptions, and
//! a page to read it. `cargo xtask openapi` writes both to where `components/docs` has them.

mod components;
mod document;
mod example;
mod operation;
mod page;
mod responses;
mod routes;

pub use document::document;
pub use page::page;
pub use routes::{Route, routes};
