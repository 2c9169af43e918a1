//! Updates that are verified by signed metadata ([TUF 1.0](https://theupdateframework.github.io/specification/latest/)),
//! whoever answers checks and wherever the bytes come from.
//!
//! | module | what |
//! |---|---|
//! | [`config`] | what an application is built with |
//! | [`error`] | why nothing is trusted |
//! | [`metadata_file`] | names of files and their limits |
//! | [`mirror`] | where metadata is |
//! | [`fetch`] | one file from one mirror |
//! | [`supply`] | files as tough asks for them: from the mirror, or kept |
//! | [`state`] | what is known between two refreshes |
//! | [`folder`] | where that is kept |
//! | [`work`] | where tough works |
//! | [`session`] | refreshes, mirror by mirror |
//! | [`listing`] | what verified metadata lists |
//! | [`choice`] | which target an offer means |
//! | [`plan`] | all of that, checked |
//! | [`sights`] | since when newer versions are listed |
//! | [`installation`] | the calls |

mod choice;
mod config;
mod error;
mod fetch;
mod folder;
mod installation;
mod listing;
mod metadata_file;
mod mirror;
mod plan;
mod session;
mod sights;
mod state;
mod supply;
mod work;

pub use config::{TrustConfig, TrustSettings, WITHHELD_AFTER};
pub use error::TrustError;
pub use installation::{Trust, Trusted};
pub use sights::Withheld;
