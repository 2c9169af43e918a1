//! Tests of the storage from outside, with presigned URLs. Each test has its own folder and port.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;
mod storage;
