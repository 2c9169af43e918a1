//! Tests of the host from outside: real components and requests. Each test has its own folder and ports.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod application;
mod common;
#[path = "../../../../tests/probe/manifest.rs"]
mod probe;
mod reused;
mod world;
