//! Tests of the library over real HTTP, against servers controlled by each test.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod checks;
mod downloads;
mod patched;
mod polling;
mod redirects;
mod reports;
mod resumed;
mod server;
mod world;
