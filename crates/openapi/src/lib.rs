//! The routes of all components with their descriptions. `cargo xtask openapi` writes the OpenAPI document made
//! of them to where `components/docs` has it.

mod routes;

pub use routes::routes;
