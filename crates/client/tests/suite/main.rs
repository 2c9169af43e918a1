//! Tests of the library over real HTTP, against servers controlled by each test.
#![expect(clippy::unwrap_used, reason = "what a test cannot go on without is its failure")]

mod checks;
mod downloads;
mod polling;
mod redirects;
mod reports;
mod resumed;
mod server;
mod world;
