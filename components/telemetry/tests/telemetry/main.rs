//! The component as its callers see it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what a test cannot go on without is its failure")]

mod beacon;
mod figures;
mod world;
