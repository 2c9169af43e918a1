//! The component from its callers' point of view.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what a test cannot go on without is its failure")]

mod ingest;
mod limits;
mod management;
mod world;
