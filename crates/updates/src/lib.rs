//! The calls of installed copies that the service and its edges answer: checks, feeds and static answers.
//!
//! The service has a component for each; an edge has one component for all. The entry point of a component is
//! part of its library, so no component can link another one.

pub mod check;
pub mod feeds;
pub mod responses;
