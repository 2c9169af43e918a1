//! `POST /maintenance/run`: removes what is past its time.

#[cfg(target_family = "wasm")]
mod entry;
