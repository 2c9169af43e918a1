//! The files of the work, its progress and its end.

use std::io::{self, Read, Seek};

/// A file that is compared.
pub trait PatchSource: Read + Seek {}

impl<T: Read + Seek> PatchSource for T {}

/// The work was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Cancelled;

impl Cancelled {
    /// Whether an error is this one.
    #[must_use]
    pub fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.downcast_ref::<Self>().is_some())
    }
}

impl From<Cancelled> for io::Error {
    fn from(cancelled: Cancelled) -> Self {
        Self::other(cancelled)
    }
}

/// Observes the progress, and decides whether to continue.
pub trait Watch: Sync {
    /// This many more bytes of the new file are in the patch.
    fn done(&self, bytes: u64);

    /// Whether to continue. Called several times a second, except while a part of the base is
    /// sorted, which takes up to a minute.
    fn should_continue(&self) -> bool;
}

/// Observes nothing, and always continues.
impl Watch for () {
    fn done(&self, _: u64) {}

    fn should_continue(&self) -> bool {
        true
    }
}
