//! The signature and the JSON answer of Tauri's updater plugin.
//!
//! See [Tauri, Updater](https://v2.tauri.app/plugin/updater/). "No update" is status 204 without a body.

mod bundle;
mod check;
mod format;
mod render;
#[cfg(test)]
mod tests;

pub(super) use bundle::BUNDLES;
pub(super) use format::{StoredForm, Tauri};
pub(super) use render::installs;
