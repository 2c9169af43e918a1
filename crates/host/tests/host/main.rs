//! Tests of the host from outside: real components, real requests, a folder and ports of its own for each test.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod application;
mod common;
#[path = "../../../../tests/probe/manifest.rs"]
mod probe;
mod storage;
