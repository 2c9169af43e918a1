//! Tests of the library as programs of other languages use it: they are built here, and run against a server of
//! the test.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod build;
mod calls;
mod examples;
mod header;
mod server;
mod signed;
