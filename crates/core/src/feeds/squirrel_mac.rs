//! The JSON answer of Squirrel.Mac, also read by Electron for MSIX.
//!
//! A client installs any version that it gets, even the one that it already has, so "no update" is
//! status 204 without a body. See
//! [Squirrel.Mac](https://github.com/Squirrel/Squirrel.Mac#update-json-format).

mod format;
mod render;
#[cfg(test)]
mod tests;

pub(super) use format::{SquirrelDarwin, StoredForm};

/// The package that clients install. Clients since August 2026 verify its digest, and download a
/// delta instead if there is one from their version: see [pull request
/// 328](https://github.com/Squirrel/Squirrel.Mac/pull/328).
const PACKAGE: &str = "zip";
