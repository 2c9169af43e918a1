//! `GET /responses/...`: the answers of checks under static paths, and the records that edges fetch. Edges have
//! these paths too, so the code is in `crates/updates`.

pub use spindrift_updates::responses::*;

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
