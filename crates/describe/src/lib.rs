//! The words in which components describe their calls: callers, requests and answers. Each component has its
//! descriptions in `src/describe.rs`, built only with its feature `describe`, so no component that runs
//! contains them. `crates/openapi` makes the document of them.

mod answer;
mod body;
mod call;
mod parameter;
pub mod schema;
mod who;

pub use answer::{Answer, Content};
pub use body::{Body, Files, SchemaOf};
pub use call::Call;
pub use parameter::{Parameter, Place};
pub use who::Who;
