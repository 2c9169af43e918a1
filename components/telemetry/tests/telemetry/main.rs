//! The component from its callers' point of view.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

mod beacon;
mod figures;
mod folds;
mod overview;
mod world;
