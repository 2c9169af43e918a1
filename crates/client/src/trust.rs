//! Updates that are verified by signed metadata ([TUF
//! 1.0](https://theupdateframework.github.io/specification/latest/)), no matter who answers checks and where
//! the bytes come from.
//!
//! | module | content |
//! |---|---|
//! | [`config`] | the configuration that an application is built with |
//! | [`error`] | reasons for refusing files |
//! | [`metadata_file`] | names of files and their limits |
//! | [`mirror`] | folders with metadata |
//! | [`fetch`] | one file from one mirror |
//! | [`metadata_source`] | the files that tough requests: from the mirror, or from disk |
//! | [`state`] | the state between two refreshes |
//! | [`folder`] | the folder with that state |
//! | [`tough_folder`] | tough's own folder |
//! | [`session`] | refreshes, mirror by mirror |
//! | [`listing`] | the targets in verified metadata |
//! | [`choice`] | the target that an offer means |
//! | [`plan`] | the checked configuration |
//! | [`sights`] | the times since which newer versions are listed |
//! | [`verify`] | the calls |

mod choice;
mod config;
mod error;
mod fetch;
mod folder;
mod listing;
mod metadata_file;
mod metadata_source;
mod mirror;
mod plan;
mod session;
mod sights;
mod state;
mod tough_folder;
mod verify;

pub use config::{TrustConfig, TrustSettings, WITHHELD_AFTER};
pub use error::TrustError;
pub use sights::Withheld;
pub use verify::{Trust, Trusted};
