//! Spin manifests, version 2: an application's routes, the grants of its components, and its variables.
//!
//! The native program reads `spin.toml` with this crate, and so does the runner of the `.wasm` files in
//! tests. Like Spin, both give a component exactly what its section grants.

mod allowed_hosts;
mod error;
mod manifest;
mod routes;
mod template;
mod variables;

pub use allowed_hosts::AllowedHosts;
pub use error::ManifestError;
pub use manifest::{Build, Component, Manifest, Variable, is_variable_name};
pub use routes::{RouteMatch, Routes};
pub use template::render;
pub use variables::{Values, resolve};
