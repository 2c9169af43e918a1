//! Parts that the pages of several components share: release notes as HTML, and sizes as text.

mod markdown;
mod size;

pub use markdown::{markdown, markdown_below};
pub use size::size;
