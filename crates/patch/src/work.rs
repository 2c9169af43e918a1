//! The files of the work, its progress and its end.

use std::io::{self, Read, Seek};

/// A file that is compared.
pub trait Source: Read + Seek {}

impl<T: Read + Seek> Source for T {}

/// The error of work that was told to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

impl Stopped {
    /// Whether an error is this one.
    #[must_use]
    pub fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.downcast_ref::<Self>().is_some())
    }
}

impl From<Stopped> for io::Error {
    fn from(stopped: Stopped) -> Self {
        Self::other(stopped)
    }
}

/// Sees the progress, and says whether to go on.
pub trait Watch: Sync {
    /// This many more bytes of the new file are in the patch.
    fn done(&self, bytes: u64);

    /// Whether the work goes on. Asked several times in a second, except while a part of the base is sorted:
    /// that takes up to a minute.
    fn goes_on(&self) -> bool;
}

/// Sees nothing, and always goes on.
impl Watch for () {
    fn done(&self, _: u64) {}

    fn goes_on(&self) -> bool {
        true
    }
}
