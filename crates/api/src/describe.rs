//! The description of the interface: the words in which components describe their calls, and the OpenAPI
//! document made of these descriptions. Each component has its descriptions in `src/describe.rs`, which is
//! compiled only in native builds, so no component that runs contains them. `cargo xtask openapi` writes the
//! document.

mod answer;
mod body;
mod call;
mod document;
mod parameter;
mod route;
pub mod schema;
mod who;

pub use answer::{Answer, Content};
pub use body::{Body, Files, SchemaOf};
pub use call::Call;
pub use document::{document, lines};
pub use parameter::{Parameter, Place};
pub use route::Route;
pub use who::Who;
