//! Tests of the service on this machine, from outside.
#![expect(clippy::unwrap_used, reason = "tests")]

mod health;
mod local;
#[path = "../../../../tests/probe/manifest.rs"]
mod probe;
mod program;
#[cfg(unix)]
mod restart;
