//! The console, in a real browser.

mod accessible;
mod failures;
mod many;
mod people;
mod pictures;
mod seeds;
mod session;
mod sessions;
mod setup;
mod snippets;
mod telemetry;
mod trust;
mod visitor;
