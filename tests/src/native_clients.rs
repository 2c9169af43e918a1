//! The updaters that apps already have: the real ones if they run here, otherwise implementations of their
//! published rules. Each module also contains tools that make the files for its updater.
//!
//! | module | updater | how |
//! |---|---|---|
//! | [`electron`] | electron-updater | the npm package itself under Node |
//! | [`squirrel`] | Squirrel.Windows | its rules |
//! | [`squirrel_mac`] | Squirrel.Mac | its rules |
//! | [`tauri`] | Tauri 2 | its rules; keys, signatures and their check are minisign's |
//! | [`velopack`] | Velopack | its libraries for Rust, Node and Python themselves |
//! | [`sparkle`] | Sparkle 2 | its rules; RSS and signatures by libraries |
//! | [`zsync`] | zsync | the program itself |

pub mod electron;
pub mod nupkg;
pub mod sparkle;
pub mod squirrel;
pub mod squirrel_mac;
pub mod tauri;
pub mod velopack;
pub mod zsync;
