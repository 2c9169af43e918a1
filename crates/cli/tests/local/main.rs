//! Tests of the commands that run the service on one machine, as processes.
#![expect(clippy::unwrap_used, reason = "tests")]

mod health;
mod program;
#[cfg(unix)]
mod restart;
