//! The console, in a real browser, and where scripts and looks do not matter over plain HTTP.

mod failures;
mod people;
mod session;
mod sessions;
mod setup;
mod snippets;
mod telemetry;
mod trust;
mod visitor;
