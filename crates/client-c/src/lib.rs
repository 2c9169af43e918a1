//! The client library of Spindrift, for C and for every language that can call C.
//!
//! Texts are UTF-8 and end with NUL. Paths are texts too, on all systems. A text that you pass stays yours,
//! and is read during the call only. A text that you get belongs to the handle that it comes from. Do not
//! change or free it, and do not use it after you have freed the handle.
//!
//! Handles (client, kit, update, progress, error) are yours from the call that makes them until you free
//! them. Each is freed once, by the function of its kind. Freeing NULL does nothing. A handle does not need
//! the arguments that it was made with, and handles may be freed in any order.
//!
//! A function that can fail returns a status. Its argument `error` is NULL, or the address of a variable,
//! which then holds an error that you free, or NULL if there was no failure. Results have variables of the
//! same kind, and are NULL or 0 after a failure. A NULL that an argument does not allow, a text that is not
//! UTF-8, and a value that is not valid give `SPINDRIFT_INVALID_ARGUMENT`, before anything is sent. A flag is 0
//! for no, and anything else for yes.
//!
//! Calls block until they are done. Several threads may use a handle at the same time, but no thread may use
//! one that is being freed. The library never calls you. It has threads of its own for files and the names of
//! hosts, which end when the client is freed.

#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]
#![expect(unsafe_code, reason = "exported functions keep their names; raw.rs has the only unsafe block")]

pub mod check;
pub mod client;
pub mod config;
pub mod download;
pub mod error;
pub mod kit;
pub mod program;
pub mod progress;
mod raw;
pub mod report;
pub mod status;
pub mod trust;
pub mod update;

pub use raw::CallerText;
