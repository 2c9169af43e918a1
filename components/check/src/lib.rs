//! `GET /checkVersion`: whether there is an update. Edges answer it too, so the code is in `crates/updates`.

pub use spindrift_updates::check::*;

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
