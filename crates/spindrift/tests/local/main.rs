//! The service on this machine, seen from outside.
#![expect(clippy::unwrap_used, reason = "tests")]

mod local;
#[path = "../../../../tests/probe/manifest.rs"]
mod probe;
mod program;
