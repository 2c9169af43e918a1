//! The end-to-end suite: what the service promises, seen from outside. One module for each part of the promise.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "whatever fails here fails the test that uses it"
)]

mod check;
mod presigned;
mod service;
mod tokens;
mod upload_complete;
mod upload_init;
mod whole_path;
