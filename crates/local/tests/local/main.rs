//! Tests of the service on this machine, from outside.
#![expect(clippy::unwrap_used, reason = "tests")]

mod local;
