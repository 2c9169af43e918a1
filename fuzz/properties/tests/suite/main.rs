//! The properties, with inputs of a known structure and changes to it, and with kept inputs.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a failed step fails the test")]

mod cases;
mod documents;
mod feeds;
mod headers;
mod kept;
mod mutation;
mod stored;
mod words;
