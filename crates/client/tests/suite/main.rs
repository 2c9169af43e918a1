//! The library over real HTTP, against servers that answer as each test says.
#![expect(clippy::unwrap_used, reason = "what a test cannot go on without is its failure")]

mod checks;
mod downloads;
mod polling;
mod redirects;
mod reports;
mod resumed;
mod server;
mod world;
