//! The requests and answers of this component.

pub(crate) mod artifacts;
mod managing;
pub(crate) mod metadata;
pub(crate) mod repository;
