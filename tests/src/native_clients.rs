//! The updaters that apps already have, pointed at a base address: the real ones where they run here, and readers written
//! from their published rules where they do not. With each comes what makes the files that it downloads.
//!
//! | module | updater | how |
//! |---|---|---|
//! | [`squirrel`] | Squirrel.Windows | its rules |
//! | [`squirrel_mac`] | Squirrel.Mac | its rules |

mod fetch;
#[cfg(test)]
mod file_server;
pub mod nupkg;
pub mod squirrel;
pub mod squirrel_mac;
