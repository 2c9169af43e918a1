//! The component from its callers' point of view.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

mod ingest;
mod limits;
mod management;
mod world;
