//! `GET /update/...` and `GET /velopack/...`: the feeds of native updaters. Edges answer them too, so the code is
//! in `crates/updates`.

pub use spindrift_updates::feeds::*;

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
