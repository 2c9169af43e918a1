//! The requests to a client.

use std::path::PathBuf;
use std::time::Duration;

use super::place::Place;
use super::role::TestTarget;

/// Everything that a client needs for one update.
pub(super) struct Request<'a> {
    pub(super) place: &'a Place,
    pub(super) target: &'a TestTarget,
    pub(super) root: PathBuf,
    /// The client's folder.
    pub(super) state: PathBuf,
    /// The path to download the target to.
    pub(super) file: PathBuf,
    /// For one answer of a server.
    pub(super) limit: Duration,
}
