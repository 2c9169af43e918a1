//! The component from its callers' point of view.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what a test cannot go on without is its failure")]

mod beacon;
mod figures;
mod folds;
mod overview;
mod world;
